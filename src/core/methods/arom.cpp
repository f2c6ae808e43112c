// AROM: columns rescaled by their weights, on the features or on monomials, and in the projected form of a kernel.
#include "grade/certificate.h"
#include "methods/fitting.h"
#include "rules/project.h"
#include "rules/rescale.h"

namespace zeronorm {
namespace {

class Arom : public Method {
 public:
  Arom(const Options& options, const CommonOptions& common) {
    enum class Norms { l2, l1, both };
    const Norms norm =
        options.word<Norms>("norm", {{"l2", Norms::l2}, {"l1", Norms::l1}, {"l2-l1", Norms::both}});
    l1_ = norm == Norms::l1;
    if (norm == Norms::both) {
      const Options& when = options.group("switch");
      switch_features_ = when.count("features");
      switch_round_ = static_cast<int>(when.count("round"));
    }
    rescale_features_ = options.word<bool>("features", {{"zero", true}, {"norm", false}});
    errors_ = options.word<Errors>(
        "errors", {{"none", Errors::none}, {"zero", Errors::zero}, {"l1", Errors::l1}, {"l2", Errors::l2}});
    lambda_ = options.number("lambda");
    literal_ = options.word<bool>("slack_form", {{"literal", true}, {"weighted", false}});
    if (options.has("multiplicity")) multiplicity_ = options.numbers("multiplicity");
    slack_columns_ = slack_columns(common);
  }

  void fit_step(Fitting& fitting) override {
    const CommonOptions& common = fitting.common();
    Rescale rule(rescaling(fitting), Selection(common.sizes, fitting.forced()));
    // A tolerance above kProof asks for speed in early iterations; a solution that is returned is solved to the
    // tolerance.
    const double tol = common.stop.limits.tol;
    const bool coarse =
        tol > kProof && !l1_ && common.held_out.size() == 0 && (common.sizes.empty() || common.refit);
    Trace trace = fitting.run(rule, 1, coarse ? kCoarseTolFactor : 1);
    if (!common.sizes.empty()) return fitting.refits(trace, rule.selection());
    if (coarse && trace.solution.status == Status::optimal && !trace.solution.certificate.holds(tol)) {
      trace.solution =
          solve_certified(fitting.engine(), fitting.problem(), trace.surrogate, common.stop.limits);
      trace.rounds.back().gap = trace.solution.certificate.gap;
      if (trace.solution.status != Status::optimal) trace.stop = StopReason::failed;
    }
    fitting.last_solution(trace, true);
  }

  // Margin violations become columns if they are rescaled themselves, if the iterations change from one norm to the
  // other, or if several constraints of an observation share them.
  bool slack_columns(const CommonOptions& common) const override {
    if (errors_ == Errors::none) return false;
    return errors_ == Errors::zero || switch_features_ > 0 || switch_round_ > 0 ||
           (common.task == Task::k_class && common.joint);
  }
  double slack_length() const override { return errors_ != Errors::zero || literal_ ? lambda_ : 1.0; }
  bool costs_in_rows() const override { return true; }
  // The logarithm of AROM has no eps beside the magnitude.
  Penalty last_penalty() const override { return make_penalty("log", {{"eps", 0.0}}); }
  bool keeps_first_cost() const override { return true; }

 private:
  enum class Errors { none, zero, l1, l2 };
  // Tolerance of early iterations, in units of the tolerance that was requested.
  static constexpr double kCoarseTolFactor = 100;

  Rescaling rescaling(const Fitting& fitting) const {
    Rescaling r;
    r.l1 = l1_;
    r.switch_features = switch_features_;
    r.switch_round = switch_round_;
    r.features = fitting.columns();
    r.multiplicity = multiplicity_;
    r.rescale_features = rescale_features_;
    r.rescale_slacks = slack_columns_ && errors_ == Errors::zero;
    r.slack_weight = r.rescale_slacks && !literal_ ? lambda_ : 1.0;
    if (slack_columns_ && !r.rescale_slacks) r.slack_weights = fitting.row_weights();
    r.free = fitting.common().unpenalized;
    r.keep = fitting.common().keep;
    return r;
  }

  bool l1_ = false;
  Index switch_features_ = 0;
  int switch_round_ = 0;
  bool rescale_features_ = true;
  Errors errors_ = Errors::none;
  double lambda_ = 1;
  bool literal_ = true;
  // The multiplicities of the columns; empty means ones.
  Vec multiplicity_;
  bool slack_columns_ = false;
};

class ProjectedArom : public Method {
 public:
  explicit ProjectedArom(const Options& options) : kernel_(options.function("rescaled_kernel")) {}

  void fit_step(Fitting& fitting) override {
    Project rule(kernel_);
    fitting.last_solution(fitting.run(rule), true).expansion = rule.expansion();
    fitting.restore_engine();  // The problems that the rule sets up end with it.
  }

 private:
  Options::Function kernel_;
};

const RegisteredMethod arom("arom", make_from_options<Arom>);
const RegisteredMethod projected_arom("projected_arom", make_from_options<ProjectedArom>);

}  // namespace

}  // namespace zeronorm
