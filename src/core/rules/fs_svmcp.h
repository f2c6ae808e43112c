// FS-SVMCP: an SVM in the present subspace, C chosen by cross-validation; then one linear programme that
// keeps the well-classified points at margin 1 with fewer features; its support is the next subspace.
// The engine asked for solves the SVMs, those of the cross-validation too.  No engine solves both them and
// the linear programme, which always goes to "auto".
#pragma once

#include "loop/minimise.h"
#include "problem/penalty.h"

namespace zeronorm {

struct FsSvmcpSettings {
  Penalty penalty;
  std::vector<double> C_grid;  // increasing
  std::vector<int> folds;      // fold of each row, drawn once
  Vec weights;                 // of the rows
  IndexList free, keep;        // columns that are never dropped: outside the regulariser, or inside it
  Limits limits;
  EngineChoice engine;  // of the SVMs
};

class FsSvmcp : public Rule {
 public:
  explicit FsSvmcp(FsSvmcpSettings settings) : settings_(std::move(settings)) {}
  bool next(const Problem& problem, const Trace& trace, Surrogate& surrogate) override;
  // The sum of slacks plus |w|^2 / 2C, in the scale of the round's C.
  double objective(const Problem& problem, const Surrogate& surrogate,
                   const Solution& solution) const override;
  StopReason reason() const override { return reason_; }
  // The C of the last round.
  double C() const { return C_; }

 private:
  double choose_C(const Problem& problem) const;
  void add_validation_errors(const Problem& problem, int fold, std::vector<double>& errors) const;
  bool shrink(const Problem& problem, const Solution& svm);
  void write(Surrogate& surrogate) const;

  FsSvmcpSettings settings_;
  std::vector<char> active_, fixed_, is_free_;
  double C_ = 1;
  StopReason reason_ = StopReason::converged;
};

}  // namespace zeronorm
