// Concave penalties minimised by their tangents: FSV, FW1, DCA, l2-l0-SVM and quadratic FSV.
#include "rules/reweight.h"

#include "methods/fitting.h"
#include "methods/penalties.h"

namespace zeronorm {
namespace {

class ReweightMethod : public Method {
 public:
  explicit ReweightMethod(const Options& options)
      : schedule_(read_penalties(options.group("penalty"))), settled_(options.number("settled")) {
    const Mat& starts = options.matrix("starts");
    for (Index k = 0; k < starts.cols(); ++k) starts_.push_back(starts.col(k));
  }

  // Runs the search from every start and keeps the lowest objective; the first wins ties.
  void fit_step(Fitting& fitting) override {
    const IndexList& sizes = fitting.common().sizes;
    Trace best;
    Selection selection;
    for (const Vec& start : starts_) {
      Reweight rule({schedule_, start, fitting.start().l1, settled_}, Selection(sizes, fitting.forced()));
      Trace trace = fitting.run(rule);
      const bool interrupted = trace.stop == StopReason::interrupted;
      if (!interrupted && !best.rounds.empty() && !lower(trace, best)) continue;
      best = std::move(trace);
      selection = rule.selection();
      if (interrupted) break;
    }
    if (sizes.empty())
      fitting.last_solution(best, true);
    else
      fitting.refits(best, selection);
  }

  bool counts_groups() const override { return true; }
  Penalty last_penalty() const override { return schedule_.back(); }

 private:
  static bool lower(const Trace& one, const Trace& other) {
    if (one.stop == StopReason::failed) return false;
    return other.stop == StopReason::failed || one.rounds.back().objective < other.rounds.back().objective;
  }

  std::vector<Penalty> schedule_;
  // The magnitudes at which the searches start.
  std::vector<Vec> starts_;
  // The change of the magnitudes at which a search ends.
  double settled_;
};

const RegisteredMethod registered("reweight", make_from_options<ReweightMethod>);

}  // namespace

}  // namespace zeronorm
