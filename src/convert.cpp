#include "convert.h"

#include "core/block_design.h"

namespace zeronorm {
namespace {

std::string text(const Rcpp::List& spec, const char* name) { return Rcpp::as<std::string>(spec[name]); }

Vec read_vector(SEXP values) { return Rcpp::as<Vec>(values); }

// R counts from 1.
IndexList read_indices(SEXP values) {
  IndexList list;
  if (Rf_isNull(values)) return list;
  for (int value : Rcpp::as<std::vector<int>>(values)) list.push_back(value - 1);
  return list;
}

// A row for each column of x: the features that share its cost, 0 for none.
std::vector<IndexList> read_sharing(const Rcpp::IntegerMatrix& features) {
  std::vector<IndexList> groups(features.nrow());
  for (int j = 0; j < features.nrow(); ++j)
    for (int k = 0; k < features.ncol(); ++k)
      if (features(j, k) > 0) groups[j].push_back(features(j, k) - 1);
  return groups;
}

Penalty user_penalty(const Rcpp::Function& value, const Rcpp::Function& slope) {
  return {[=](double t) { return Rcpp::as<double>(value(t)); },
          [=](double t) { return Rcpp::as<double>(slope(t)); }};
}

// One penalty for each entry of alpha; a user's own penalty is two R functions.
std::vector<Penalty> read_schedule(const Rcpp::List& penalty) {
  const std::string kind = text(penalty, "kind");
  if (kind == "user") return {user_penalty(penalty["value"], penalty["slope"])};
  std::map<std::string, double> parameters;
  std::vector<double> alpha = {0.0};
  for (const char* name : {"eps", "p", "theta", "lambda", "a", "alpha"}) {
    if (!penalty.containsElementNamed(name) || Rf_isNull(penalty[name])) continue;
    const auto values = Rcpp::as<std::vector<double>>(penalty[name]);
    if (std::string(name) == "alpha")
      alpha = values;
    else
      parameters[name] = values.at(0);
  }
  std::vector<Penalty> schedule;
  for (double value : alpha) {
    if (penalty.containsElementNamed("alpha")) parameters["alpha"] = value;
    schedule.push_back(make_penalty(kind, parameters));
  }
  return schedule;
}

RuleKind read_rule(const std::string& rule) {
  return meaning<RuleKind>("rule", rule,
                           {{"convex", RuleKind::convex},
                            {"reweight", RuleKind::reweight},
                            {"rescale", RuleKind::rescale},
                            {"project", RuleKind::project},
                            {"fs_svmcp", RuleKind::fs_svmcp},
                            {"norm", RuleKind::norm},
                            {"relevance", RuleKind::relevance},
                            {"eliminate", RuleKind::eliminate},
                            {"ranking", RuleKind::ranking},
                            {"admit", RuleKind::admit},
                            {"forward", RuleKind::forward},
                            {"graft", RuleKind::graft},
                            {"scaling", RuleKind::scaling},
                            {"alignment", RuleKind::alignment},
                            {"constrain", RuleKind::constrain},
                            {"potential", RuleKind::potential},
                            {"discriminate", RuleKind::discriminate},
                            {"alma", RuleKind::alma},
                            {"adaptive", RuleKind::adaptive},
                            {"joint", RuleKind::joint}});
}

Task read_task(const std::string& task) {
  return meaning<Task>("task", task,
                       {{"two-class", Task::two_class},
                        {"k-class", Task::k_class},
                        {"multi-label", Task::multi_label},
                        {"regression", Task::regression}});
}

void read_rescaling(const Rcpp::List& spec, FitSpec& fit) {
  enum class Norms { l2, l1, both };
  const Norms norm = meaning<Norms>("norm", text(spec, "norm"),
                                    {{"l2", Norms::l2}, {"l1", Norms::l1}, {"l2-l1", Norms::both}});
  fit.l1_step = norm == Norms::l1;
  if (norm == Norms::both) {
    const Rcpp::List when = spec["switch"];
    fit.switch_features = Rcpp::as<int>(when["features"]);
    fit.switch_round = Rcpp::as<int>(when["round"]);
  }
  fit.rescale_features = meaning<bool>("features", text(spec, "features"), {{"zero", true}, {"norm", false}});
  fit.errors = meaning<std::string>("errors", text(spec, "errors"),
                                    {{"none", "none"}, {"zero", "zero"}, {"l1", "l1"}, {"l2", "l2"}});
  fit.lambda = Rcpp::as<double>(spec["lambda"]);
  fit.literal =
      meaning<bool>("slack_form", text(spec, "slack_form"), {{"literal", true}, {"weighted", false}});
  if (!Rf_isNull(spec["multiplicity"])) fit.multiplicity = read_vector(spec["multiplicity"]);
}

Test read_test(const char* argument, const std::string& test) {
  return meaning<Test>(
      argument, test,
      {{"none", Test::none}, {"probe", Test::probe}, {"fisher", Test::fisher}, {"loo", Test::loo}});
}

Forward read_forward(const Rcpp::List& spec) {
  Forward forward;
  forward.angle = Rcpp::as<bool>(spec["residualise"]) ? Angle::rest : Angle::column;
  forward.stop = read_test("stop", text(spec, "stop_test"));
  forward.backward = read_test("backward", text(spec, "backward"));
  forward.level = Rcpp::as<double>(spec["level"]);
  forward.most = Rcpp::as<int>(spec["most"]);
  if (!Rf_isNull(spec["probes"])) forward.probes = Rcpp::as<Mat>(spec["probes"]);
  return forward;
}

void read_tree(const Rcpp::List& spec, FitSpec& fit) {
  fit.tree.classes = fit.task != Task::multi_label;
  fit.tree.depth = Rcpp::as<int>(spec["depth"]);
  fit.tree.leaf = Rcpp::as<double>(spec["leaf"]);
  fit.tree.impurity = meaning<Impurity>("split", text(spec, "split"),
                                        {{"information", Impurity::entropy}, {"error", Impurity::errors}});
  if (fit.task == Task::regression) fit.tree.impurity = Impurity::squares;
}

void read_saliency(const Rcpp::List& spec, FitSpec& fit) {
  fit.saliency = true;
  fit.network.hidden = Rcpp::as<int>(spec["hidden"]);
  fit.network.gauss_newton = Rcpp::as<bool>(spec["gauss_newton"]);
  if (fit.network.hidden > 0) fit.network.starts = Rcpp::as<Mat>(spec["networks"]);
}

Judge read_judge(const std::string& judge) {
  return meaning<Judge>("judge", judge,
                        {{"weight", Judge::weight},
                         {"l1", Judge::sensitivity_l1},
                         {"l2", Judge::sensitivity_l2},
                         {"radius_margin", Judge::radius_margin},
                         {"span", Judge::span}});
}

void read_ranking(const Rcpp::List& spec, FitSpec& fit) {
  if (fit.rule == RuleKind::eliminate) {
    fit.drop = Rcpp::as<double>(spec["step"]);
    fit.group = read_indices(spec["groups"]);
    fit.group_mean =
        meaning<bool>("group_score", text(spec, "group_score"), {{"sum", false}, {"mean", true}});
    fit.retrain = Rcpp::as<bool>(spec["retrain"]);
    if (spec.containsElementNamed("saliency")) read_saliency(spec, fit);
    if (spec.containsElementNamed("judge")) {
      fit.judge = read_judge(text(spec, "judge"));
      if (bounds(fit.judge)) fit.bounding = {Rcpp::as<int>(spec["order"]), Rcpp::as<double>(spec["C"])};
    }
  } else if (fit.rule == RuleKind::ranking) {
    fit.score =
        meaning<std::string>("score", text(spec, "score"),
                             {{"weights", "weights"}, {"correlation", "correlation"}, {"tree", "tree"}});
    fit.case_weights = read_vector(spec["case_weights"]);
    if (fit.score == "tree") read_tree(spec, fit);
  } else if (fit.rule == RuleKind::admit) {
    fit.folds = Rcpp::as<std::vector<int>>(spec["folds"]);
    fit.patience = Rcpp::as<int>(spec["patience"]);
    fit.tolerance = Rcpp::as<double>(spec["tolerance"]);
  } else if (fit.rule == RuleKind::forward) {
    fit.forward = read_forward(spec);
  } else if (fit.rule == RuleKind::graft) {
    fit.l0 = Rcpp::as<double>(spec["l0"]);
    fit.norm = Rcpp::as<double>(spec["norm"]);
  }
}

Scaling read_scaling(const Rcpp::List& spec) {
  Scaling scaling;
  scaling.criterion = meaning<Criterion>("criterion", text(spec, "criterion"),
                                         {{"radius_margin", Criterion::ball},
                                          {"variance", Criterion::variance},
                                          {"span", Criterion::span},
                                          {"validation", Criterion::validation}});
  if (scaling.criterion == Criterion::validation) {
    for (int fold : Rcpp::as<std::vector<int>>(spec["folds"])) scaling.held_out.push_back(fold == 1);
  }
  scaling.discard = meaning<Discard>(
      "discard", text(spec, "discard"),
      {{"scale", Discard::scale}, {"retrain", Discard::retrain}, {"second_order", Discard::second_order}});
  scaling.step = Rcpp::as<double>(spec["step"]);
  scaling.C = Rcpp::as<double>(spec["C"]);
  scaling.tune = Rcpp::as<bool>(spec["tune"]);
  return scaling;
}

std::vector<Adaptive> read_adaptives(const Rcpp::List& spec) {
  const auto p = Rcpp::as<std::vector<double>>(spec["p"]),
             sigma0 = Rcpp::as<std::vector<double>>(spec["sigma0"]);
  std::vector<Adaptive> all(p.size());
  for (std::size_t k = 0; k < p.size(); ++k) {
    all[k].p = p[k];
    all[k].sigma0 = sigma0[k];
  }
  return all;
}

KernelForm read_form(const Rcpp::List& form) {
  using Kind = KernelForm::Kind;
  KernelForm read;
  read.parameter = Rcpp::as<double>(form["parameter"]);
  read.kind = meaning<Kind>("kernel", text(form, "kind"),
                            {{"gaussian", Kind::gaussian},
                             {"chi2", Kind::chi2},
                             {"sum", Kind::poly_sum},
                             {"power", Kind::poly_power}});
  return read;
}

std::vector<Alignment> read_alignments(const Rcpp::List& spec) {
  std::vector<Alignment> all;
  for (double lambda : Rcpp::as<std::vector<double>>(spec["lambda"])) {
    Alignment one;
    one.lambda = lambda;
    one.alpha = Rcpp::as<double>(spec["alpha"]);
    one.tol = Rcpp::as<double>(spec["tol"]);
    one.threshold = Rcpp::as<double>(spec["threshold"]);
    all.push_back(one);
  }
  return all;
}

std::vector<NormPenalty> read_norms(const Rcpp::List& spec) {
  const Vec p = read_vector(spec["p"]), price = read_vector(spec["C_alpha"]);
  const bool unit = Rcpp::as<bool>(spec["unit"]), printed = Rcpp::as<bool>(spec["printed"]);
  std::vector<NormPenalty> norms;
  for (Index k = 0; k < p.size(); ++k) norms.push_back({p[k], price[k], unit, printed});
  return norms;
}

// Standardised columns: spread 1. A column without spread says nothing that the intercept does not; its
// infinite scale makes zeros of what rounding left of it, for all that look at it.
Vec scales(const Moments& moments, bool standardize, bool intercept, IndexList& constant) {
  Vec scale = Vec::Ones(moments.sd.size());
  for (Index j = 0; j < scale.size(); ++j) {
    if (moments.sd[j] == 0 && (intercept || moments.mean[j] == 0)) {
      constant.push_back(j);
      scale[j] = kInf;
    } else if (standardize && moments.sd[j] > 0) {
      scale[j] = moments.sd[j];
    }
  }
  return scale;
}

void check_range(const Moments& moments) {
  if (!moments.finite) throw std::invalid_argument("x: holds values that are missing or not finite");
  for (Index j = 0; j < moments.sd.size(); ++j)
    if (!std::isfinite(moments.mean[j]) || !std::isfinite(moments.sd[j]))
      throw std::invalid_argument("x: values in column " + std::to_string(j + 1) +
                                  " are too large or too small to be squared. Use other units.");
}

// Columns of a sparse matrix whose rows are all stored are centred as those of a dense one; the intercept makes up for
// the means of the others.  Their zeros keep these means small beside the spread, unless they are in rows without
// weight: then entries would lose the digits that tell them apart.
Vec sparse_centers(const Rcpp::IntegerVector& p, const Moments& moments, Index n, bool intercept) {
  constexpr double most = 1e4;  // spreads: of the 16 digits of an entry eight are left in its square
  Vec center = Vec::Zero(moments.mean.size());
  if (!intercept) return center;
  for (Index j = 0; j < center.size(); ++j) {
    if (p[j + 1] - p[j] == n)
      center[j] = moments.mean[j];
    else if (moments.sd[j] > 0 && std::abs(moments.mean[j]) > most * moments.sd[j])
      throw std::invalid_argument(
          "x: the entries of column " + std::to_string(j + 1) +
          " vary so little beside their mean that a sparse matrix with zeros in rows "
          "without weight loses their digits. Use as.matrix(x), or take the mean away.");
  }
  return center;
}

// list(dim, tile, read), read(row, rows, col, cols) giving that many entries from there on.
Blocks read_blocks(const Rcpp::List& x) {
  const Rcpp::IntegerVector dim = x["dim"], tile = x["tile"];
  const Rcpp::Function read = x["read"];
  Blocks blocks;
  blocks.rows = dim[0];
  blocks.cols = dim[1];
  blocks.tile_rows = tile[0];
  blocks.tile_cols = tile[1];
  blocks.read = [read](Index row, Index rows, Index col, Index cols, double* out) {
    const Rcpp::NumericVector values(read(static_cast<int>(row) + 1, static_cast<int>(rows),
                                          static_cast<int>(col) + 1, static_cast<int>(cols)));
    if (values.size() != rows * cols) throw std::runtime_error("a block has another size than was asked for");
    std::copy(values.begin(), values.end(), out);
  };
  return blocks;
}

}  // namespace

Data read_data(SEXP x, const Vec& weights, bool standardize, bool intercept) {
  Data data;
  if (Rf_isReal(x)) {
    const Index n = Rf_nrows(x), d = Rf_ncols(x);
    const Moments moments = dense_moments(REAL(x), n, d, weights);
    check_range(moments);
    Vec scale = scales(moments, standardize, intercept, data.constant), squares;
    // About the mean, where that is the centre and rows count alike.
    if (intercept && (weights.array() == 1).all())
      squares = degrees_of_freedom(weights) * moments.sd.cwiseQuotient(scale).cwiseAbs2();
    data.x = dense_design(REAL(x), n, d, intercept ? moments.mean : Vec::Zero(d), std::move(scale),
                          std::move(squares));
    return data;
  }
  if (TYPEOF(x) == VECSXP) {
    const auto store = open_blocks(read_blocks(x));
    const Moments moments = block_moments(*store, weights);
    check_range(moments);
    Vec scale = scales(moments, standardize, intercept, data.constant);
    Vec center = intercept ? moments.mean : Vec::Zero(scale.size());
    data.x = block_design(store, std::move(center), std::move(scale));
    return data;
  }
  const Rcpp::S4 matrix(x);
  const Rcpp::IntegerVector p = matrix.slot("p"), i = matrix.slot("i"), dim = matrix.slot("Dim");
  const Rcpp::NumericVector values = matrix.slot("x");
  const Moments moments = sparse_moments(p.begin(), i.begin(), values.begin(), dim[0], dim[1], weights);
  check_range(moments);
  Vec scale = scales(moments, standardize, intercept, data.constant);
  Vec center = sparse_centers(p, moments, dim[0], intercept);
  data.x = sparse_design(p.begin(), i.begin(), values.begin(), dim[0], dim[1], std::move(center),
                         std::move(scale));
  return data;
}

Loss read_loss(const std::string& loss) {
  return meaning<Loss>("loss", loss,
                       {{"hinge", Loss::hinge},
                        {"squared_hinge", Loss::squared_hinge},
                        {"squared", Loss::squared},
                        {"logistic", Loss::logistic}});
}

std::shared_ptr<const Design> dense_view(SEXP x) {
  const Index n = Rf_nrows(x), d = Rf_ncols(x);
  return dense_design(REAL(x), n, d, Vec::Zero(d), Vec::Ones(d));
}

FitSpec read_spec(const Rcpp::List& spec) {
  FitSpec fit;
  fit.rule = read_rule(text(spec, "rule"));
  fit.task = read_task(text(spec, "task"));
  fit.joint = Rcpp::as<bool>(spec["joint"]);
  if (!Rf_isNull(spec["epsilon"])) fit.epsilon = Rcpp::as<double>(spec["epsilon"]);
  if (!Rf_isNull(spec["lower"])) {
    fit.lower = read_vector(spec["lower"]);
    fit.upper = read_vector(spec["upper"]);
  }
  fit.loss = read_loss(text(spec, "loss"));
  fit.hard = Rcpp::as<bool>(spec["hard"]);
  if (fit.hard) fit.loss = Loss::hinge;
  fit.limit = Rcpp::as<bool>(spec["limit"]);
  fit.intercept = Rcpp::as<bool>(spec["intercept"]);
  fit.weights = read_vector(spec["weights"]);
  if (!Rf_isNull(spec["costs"])) fit.costs = read_vector(spec["costs"]);
  if (!Rf_isNull(spec["sharing"])) fit.sharing = read_sharing(spec["sharing"]);
  if (!Rf_isNull(spec["held_out"])) fit.held_out = read_vector(spec["held_out"]);
  fit.unpenalized = read_indices(spec["unpenalized"]);
  fit.keep = read_indices(spec["keep"]);
  fit.engine.name = text(spec, "engine");
  fit.kernel = !Rf_isNull(spec["kernel"]);
  for (const Rcpp::List step : Rcpp::List(spec["path"]))
    fit.path.push_back(
        {Rcpp::as<double>(step["l1"]), Rcpp::as<double>(step["ridge"]), Rcpp::as<double>(step["loss"])});
  if (fit.rule == RuleKind::reweight || fit.rule == RuleKind::fs_svmcp)
    fit.schedule = read_schedule(spec["penalty"]);
  if (fit.rule == RuleKind::reweight) {
    const Mat starts = Rcpp::as<Mat>(spec["starts"]);
    for (Index k = 0; k < starts.cols(); ++k) fit.starts.push_back(starts.col(k));
    fit.settled = Rcpp::as<double>(spec["settled"]);
  }
  if (fit.rule == RuleKind::rescale) read_rescaling(spec, fit);
  if (fit.rule == RuleKind::scaling) fit.scaling = read_scaling(spec);
  fit.points = !Rf_isNull(spec["form"]);
  if (fit.points) fit.form = read_form(spec["form"]);
  if (fit.rule == RuleKind::norm) fit.norms = read_norms(spec);
  fit.left_out = read_indices(spec["left_out"]);
  if (fit.rule == RuleKind::alignment) fit.alignments = read_alignments(spec);
  if (!Rf_isNull(spec["targets"])) fit.targets = Rcpp::as<std::vector<double>>(spec["targets"]);
  if (fit.rule == RuleKind::constrain) fit.fisher = Rcpp::as<bool>(spec["fisher"]);
  if (fit.rule == RuleKind::adaptive) fit.adaptives = read_adaptives(spec);
  if (fit.rule == RuleKind::alma) fit.accuracies = Rcpp::as<std::vector<double>>(spec["accuracies"]);
  if (fit.rule == RuleKind::project) {
    const Rcpp::Function kernel = spec["rescaled_kernel"];
    fit.rescaled_kernel = [=](const Vec& b) { return Rcpp::as<Mat>(kernel(b)); };
  }
  if (fit.rule == RuleKind::fs_svmcp) {
    fit.C_grid = Rcpp::as<std::vector<double>>(spec["C_grid"]);
    fit.folds = Rcpp::as<std::vector<int>>(spec["folds"]);
  }
  read_ranking(spec, fit);
  for (int size : Rcpp::as<std::vector<int>>(spec["nonzero"])) fit.sizes.push_back(size);
  const std::string machine = text(spec, "refit");
  fit.refit = meaning<bool>("refit", machine, {{"none", false}, {"l1", true}, {"l2", true}, {"ls", true}});
  fit.machine.l1 = machine == "l1";
  fit.machine.joint = fit.task == Task::k_class && Rcpp::as<bool>(spec["refit_joint"]);
  if (machine == "ls" || (fit.task == Task::regression && fit.loss == Loss::squared))
    fit.machine.loss = Loss::squared;
  fit.machine.C = Rf_isNull(spec["refit_C"]) ? 0.0 : Rcpp::as<double>(spec["refit_C"]);
  const Rcpp::List control = spec["control"];
  fit.stop.rounds = Rcpp::as<int>(control["max_rounds"]);
  fit.stop.limits.tol = Rcpp::as<double>(control["tol"]);
  fit.engine.highs.column_generation = Rcpp::as<bool>(control["column_generation"]);
  return fit;
}

}  // namespace zeronorm
