// FS-SVMCP: trains an SVM in the present subspace with C chosen by cross-validation, then solves one linear programme
// that keeps the well-classified points at margin 1 with fewer features; its support is the next subspace. A named
// engine solves the SVMs, including those of the cross-validation. No engine solves both these and the linear
// programme, which always uses "auto".
#pragma once

#include "loop/minimise.h"
#include "problem/penalty.h"

namespace zeronorm {

struct FsSvmcpSettings {
  Penalty penalty;
  // The values in increasing order.
  std::vector<double> C_grid;
  // The fold of each row, drawn once.
  std::vector<int> folds;
  // The weights of the rows.
  Vec weights;
  // The columns that are never dropped: those outside the regulariser, and those inside it.
  IndexList free, keep;
  Limits limits;
  // The engine of the SVMs.
  EngineChoice engine;
};

class FsSvmcp : public Rule {
 public:
  explicit FsSvmcp(FsSvmcpSettings settings) : settings_(std::move(settings)) {}
  bool next(const Problem& problem, const Trace& trace, Surrogate& surrogate) override;
  // Returns the sum of violations plus |w|^2 / 2C, with the C of the iteration.
  double objective(const Problem& problem, const Surrogate& surrogate,
                   const Solution& solution) const override;
  StopReason reason() const override { return reason_; }
  // Returns the C of the last iteration.
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
