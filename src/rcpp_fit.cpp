#include "convert.h"
#include "core/base/parallel.h"
#include "core/methods/fitting.h"
#include "core/methods/tangent.h"
#include "interrupt.h"

using namespace zeronorm;

namespace {

// Solutions as the columns of one sparse matrix on the scale of the user, one column per output.
struct Columns {
  std::vector<int> i, p = {0};
  std::vector<double> x, magnitude, intercept;

  // Adds the scales of the features of a kernel SVM.
  void add_scales(const Fitted& f) {
    const bool good = f.solution.status == Status::optimal;
    for (Index j = 0; good && j < f.scales.size(); ++j) {
      if (f.scales[j] == 0) continue;
      i.push_back(static_cast<int>(j));
      x.push_back(f.scales[j]);
      magnitude.push_back(f.solution.importance.size() ? f.solution.importance[j] : f.scales[j]);
    }
    p.push_back(static_cast<int>(i.size()));
    intercept.push_back(!good ? NA_REAL : f.solution.b.size() ? f.solution.b[0] : 0.0);
  }

  // Adds a linear solution. Importances that differ from |w| are divided among the outputs in proportion to |w|.
  void add(const Fitted& f, const Design& design, Index outputs, bool intercept_too) {
    const Solution& s = f.solution;
    const Vec& importance = f.importance;
    const bool good = s.status == Status::optimal;
    for (Index k = 0; k < outputs; ++k) {
      double b = !good ? NA_REAL : intercept_too && s.b.size() ? s.b[k] : 0.0;
      for (Index j = 0; good && j < s.w.rows(); ++j) {
        if (s.w(j, k) == 0) continue;
        i.push_back(static_cast<int>(j));
        x.push_back(s.w(j, k) / design.scale(j));
        magnitude.push_back(std::abs(s.w(j, k)));
        if (importance.size()) magnitude.back() = importance[j] * (magnitude.back() / s.w.row(j).lpNorm<1>());
        b -= x.back() * design.center(j);
      }
      p.push_back(static_cast<int>(i.size()));
      intercept.push_back(b);
    }
    if (good && intercept_too && f.relative) center_last(outputs);
  }

  // Subtracts the mean from the last intercepts.
  void center_last(Index outputs) {
    Eigen::Map<Vec> last(&intercept[intercept.size() - std::size_t(outputs)], outputs);
    last.array() -= last.mean();
  }
};

// In the units of x, a mean far above the standard deviation of its column costs digits, both in the intercept and in
// the product that it balances. If decision values (of the size of y) lose the proof by this, the solution fails.
void check_digits(Solution& s, const Design& x, bool intercept, double size) {
  // The largest error of decision values relative to y, and the unit roundoff of doubles.
  constexpr double max_loss = 1e-5, epsilon = 1.1e-16;
  if (s.status != Status::optimal || !intercept) return;
  for (Index k = 0; k < s.w.cols(); ++k) {
    double sum = 0;
    for (Index j = 0; j < s.w.rows(); ++j)
      if (s.w(j, k) != 0) sum += std::abs(s.w(j, k) * x.center(j) / x.scale(j));
    if (!(epsilon * sum > max_loss * size)) continue;
    s.status = Status::numerical;
    s.note =
        "Columns vary so little beside their means that weights in their units lose the digits of the "
        "solution; "
        "take the means away.";
    return;
  }
}

Rcpp::List trace_list(const std::vector<Round>& rounds) {
  std::vector<int> round, nonzero;
  std::vector<double> objective, gap;
  std::vector<std::string> engine;
  for (const Round& r : rounds) {
    round.push_back(static_cast<int>(round.size()) + 1);
    objective.push_back(r.objective);
    nonzero.push_back(static_cast<int>(r.nonzero));
    gap.push_back(r.gap);
    engine.push_back(r.engine);
  }
  using Rcpp::_;
  return Rcpp::List::create(_["round"] = round, _["objective"] = objective, _["nonzero"] = nonzero,
                            _["gap"] = gap, _["engine"] = engine);
}

// One vector per property, with one entry per solution.
struct Facts {
  std::vector<std::string> status, stop, engine, kind, note;
  std::vector<bool> fallback;
  std::vector<int> rounds, nonzero, support_vectors, step, target;
  std::vector<double> primal, dual, gap, kkt, C;

  void add(const Fitted& f) {
    const Solution& s = f.solution;
    const bool good = s.status == Status::optimal;
    status.push_back(message(s.status));
    stop.push_back(message(f.stop));
    engine.push_back(s.engine);
    // Weights taken from a search solve no problem that could be certified.
    const bool graded = good && s.certificate.known();
    kind.push_back(good && !graded ? "none" : f.stationary ? "stationarity" : "gap");
    note.push_back(s.note);
    fallback.push_back(f.solution.fallback);
    rounds.push_back(static_cast<int>(f.rounds.size()));
    nonzero.push_back(!good ? NA_INTEGER
                            : static_cast<int>(f.scales.size() ? nonzeros(f.scales).size() : f.nonzero));
    support_vectors.push_back(good ? static_cast<int>(f.support_vectors) : NA_INTEGER);
    step.push_back(static_cast<int>(f.step) + 1);
    target.push_back(f.size < 0 ? NA_INTEGER : static_cast<int>(f.size));
    primal.push_back(graded ? s.certificate.primal : NA_REAL);
    dual.push_back(graded ? s.certificate.dual : NA_REAL);
    gap.push_back(graded ? s.certificate.gap : NA_REAL);
    kkt.push_back(graded ? s.certificate.kkt : NA_REAL);
    C.push_back(f.C < kInf ? f.C : NA_REAL);
  }
};

Rcpp::IntegerVector from_one(const IndexList& list) {
  Rcpp::IntegerVector out(list.begin(), list.end());
  return out + 1;
}

// Returns the weights of a network in the units of the user, or NULL.
Rcpp::RObject network_of(const Fitted& f, const Design& design) {
  if (f.network.size() == 0) return R_NilValue;
  const Index d = design.cols(), hidden = f.hidden;
  Vec numbers = f.network;
  Eigen::Map<Mat> w(numbers.data(), d, hidden);
  Eigen::Map<Vec> bias(numbers.data() + d * hidden, hidden);
  for (Index j = 0; j < d; ++j) {
    w.row(j) /= design.scale(j);
    bias -= design.center(j) * w.row(j).transpose();
  }
  return Rcpp::wrap(numbers);
}

// Makes a list with names at once, because each name added later would cost an exception and a copy.
Rcpp::List named(const std::vector<std::pair<const char*, Rcpp::RObject>>& parts) {
  Rcpp::List list(parts.size());
  Rcpp::CharacterVector names(parts.size());
  for (std::size_t k = 0; k < parts.size(); ++k) {
    list[k] = parts[k].second;
    names[k] = parts[k].first;
  }
  list.names() = names;
  return list;
}

// Returns one column per solution, NA if it has none.
Rcpp::RObject as_columns(const std::vector<Fitted>& found, Index rows,
                         const std::function<Vec(const Fitted&)>& column) {
  Mat all(rows, found.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    const Vec values = column(found[k]);
    if (values.size())
      all.col(k) = values;
    else
      all.col(k).setConstant(NA_REAL);
  }
  return Rcpp::wrap(all);
}

Rcpp::List as_list(const std::vector<Fitted>& found, const Design& design, Index outputs,
                   const CommonOptions& common, double seconds) {
  const bool expands = common.kernel || common.points;
  Columns columns;
  Facts facts;
  Rcpp::List traces(found.size()), rankings(found.size()), networks(found.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    if (expands)
      columns.add_scales(found[k]);
    else
      columns.add(found[k], design, outputs, common.intercept);
    facts.add(found[k]);
    traces[k] = trace_list(found[k].rounds);
    rankings[k] = from_one(found[k].ranking);
    networks[k] = network_of(found[k], design);
  }
  Rcpp::RObject alpha = R_NilValue, expansion = R_NilValue;
  if (expands) {
    alpha = as_columns(found, design.rows(), [](const Fitted& f) {
      return f.solution.status == Status::optimal ? Vec(f.solution.w.col(0)) : Vec();
    });
    const bool projected =
        std::any_of(found.begin(), found.end(), [](const Fitted& f) { return f.expansion.size() > 0; });
    if (projected) expansion = as_columns(found, design.rows(), [](const Fitted& f) { return f.expansion; });
  }
  return named({{"i", Rcpp::wrap(columns.i)},
                {"p", Rcpp::wrap(columns.p)},
                {"x", Rcpp::wrap(columns.x)},
                {"magnitude", Rcpp::wrap(columns.magnitude)},
                {"intercept", Rcpp::wrap(columns.intercept)},
                {"alpha", Rcpp::wrap(alpha)},
                {"expansion", Rcpp::wrap(expansion)},
                {"step", Rcpp::wrap(facts.step)},
                {"target", Rcpp::wrap(facts.target)},
                {"status", Rcpp::wrap(facts.status)},
                {"stop", Rcpp::wrap(facts.stop)},
                {"engine", Rcpp::wrap(facts.engine)},
                {"kind", Rcpp::wrap(facts.kind)},
                {"fallback", Rcpp::wrap(facts.fallback)},
                {"rounds", Rcpp::wrap(facts.rounds)},
                {"nonzero", Rcpp::wrap(facts.nonzero)},
                {"support_vectors", Rcpp::wrap(facts.support_vectors)},
                {"primal", Rcpp::wrap(facts.primal)},
                {"dual", Rcpp::wrap(facts.dual)},
                {"gap", Rcpp::wrap(facts.gap)},
                {"kkt", Rcpp::wrap(facts.kkt)},
                {"C", Rcpp::wrap(facts.C)},
                {"note", Rcpp::wrap(facts.note)},
                {"trace", Rcpp::wrap(traces)},
                {"ranking", Rcpp::wrap(rankings)},
                {"networks", Rcpp::wrap(networks)},
                {"seconds", Rcpp::wrap(seconds)}});
}

}  // namespace

// The only entry point for fits from R: common options, the name of a method, and its options.
// [[Rcpp::export(rng = false)]]
Rcpp::List fit_core(SEXP x, const Eigen::MatrixXd& y, const Rcpp::List& spec, const std::string& method,
                    const Rcpp::List& parameters, SEXP tell) {
  const Options options = read_options(spec);
  CommonOptions common = read_common(options);
  Data data;
  if (common.kernel)
    data.x = kernel_design(options.matrix("kernel"));
  else if (common.points)
    data.x = dense_view(x);
  else
    data = read_data(x, common.case_weights, options.flag("standardize"), common.intercept);
  common.constant = data.constant;
  Interrupt interrupt(tell);
  common.stop.limits.interrupted = [&interrupt]() { return interrupt(); };
  common.progress = [&interrupt](double share) { interrupt.done(share); };
  const UseThreads threads(static_cast<int>(options.group("control").count("threads")));
  const auto start = std::chrono::steady_clock::now();
  const auto chosen = make_method(method, read_options(parameters), common);
  std::vector<Fitted> found = Fitting(data.x, y, common, *chosen).all();
  if (interrupt.ask()) throw Rcpp::internal::InterruptedException();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const double size = y.size() ? y.cwiseAbs().maxCoeff() : 0.0;
  for (Fitted& f : found)
    if (!common.kernel && !common.points) check_digits(f.solution, *data.x, common.intercept, size);
  return as_list(found, *data.x, y.cols(), common, seconds.count());
}

// Returns the first step of a path as the linear problem at w: bounds of the cost of each feature, its mean from zero
// to w, the costs of the rows, and the scales of the columns, 0 for empty columns.
// [[Rcpp::export(rng = false)]]
Rcpp::List tangent_core(SEXP x, const Rcpp::List& spec, const std::string& method,
                        const Rcpp::List& parameters, const Eigen::VectorXd& w) {
  const Options options = read_options(spec);
  const CommonOptions common = read_common(options);
  const auto chosen = make_method(method, read_options(parameters), common);
  const Data data = read_data(x, common.case_weights, options.flag("standardize"), common.intercept);
  Vec scale(w.size());
  for (Index j = 0; j < w.size(); ++j) scale[j] = data.x->scale(j);
  for (Index j : data.constant) scale[j] = 0;
  const Tangent t = tangent(common, *chosen, w.cwiseAbs().cwiseProduct(scale));
  return Rcpp::List::create(Rcpp::_["low"] = t.low, Rcpp::_["high"] = t.high, Rcpp::_["mean"] = t.mean,
                            Rcpp::_["rows"] = t.rows, Rcpp::_["scale"] = scale);
}
