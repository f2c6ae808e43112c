// A linear or mixed-integer programme in HiGHS, through its C interface; only highs.cpp includes this file.
#pragma once

#include <highs_c_api.h>

#include <Eigen/SparseCore>
#include <Eigen/SparseLU>
#include <algorithm>

#include "base/types.h"

namespace zeronorm {

// The columns of an LP, appended entry by entry.
struct Columns {
  std::vector<double> cost, lower, upper, value;
  std::vector<HighsInt> start, index;

  HighsInt size() const { return HighsInt(cost.size()); }
  void begin(double c, double low, double high) {
    cost.push_back(c);
    lower.push_back(low);
    upper.push_back(high);
    start.push_back(HighsInt(index.size()));
  }
  void entry(Index row, double v) {
    if (v == 0) return;
    index.push_back(HighsInt(row));
    value.push_back(v);
  }
  void append(const Columns& c) {
    for (HighsInt start_of : c.start) start.push_back(start_of + HighsInt(index.size()));
    for (auto part : {&Columns::cost, &Columns::lower, &Columns::upper, &Columns::value})
      (this->*part).insert((this->*part).end(), (c.*part).begin(), (c.*part).end());
    index.insert(index.end(), c.index.begin(), c.index.end());
  }
};

// An LP or MIP in HiGHS: min cost'x with bounded columns and rows >= their lower bounds.
class HighsModel {
  using Sparse = Eigen::SparseMatrix<double, Eigen::ColMajor, HighsInt>;

 public:
  HighsModel() : highs_(Highs_create()) {
    Highs_setBoolOptionValue(highs_, "output_flag", 0);
    Highs_setIntOptionValue(highs_, "threads", 1);
    Highs_setStringOptionValue(highs_, "parallel", "off");
    Highs_setStringOptionValue(highs_, "presolve", "off");  // Presolve cannot be interrupted.
    Highs_setIntOptionValue(highs_, "simplex_strategy", 0);
    Highs_setDoubleOptionValue(highs_, "primal_feasibility_tolerance", 1e-10);
    Highs_setDoubleOptionValue(highs_, "dual_feasibility_tolerance", 1e-10);
    Highs_setDoubleOptionValue(highs_, "small_matrix_value", 1e-12);
  }
  ~HighsModel() { Highs_destroy(highs_); }
  HighsModel(const HighsModel&) = delete;
  HighsModel& operator=(const HighsModel&) = delete;

  void option(const char* name, HighsInt value) { Highs_setIntOptionValue(highs_, name, value); }
  void option(const char* name, bool value) { Highs_setBoolOptionValue(highs_, name, value); }
  void option(const char* name, double value) { Highs_setDoubleOptionValue(highs_, name, value); }
  void option(const char* name, const char* value) { Highs_setStringOptionValue(highs_, name, value); }

  bool pass(const Columns& c, const std::vector<double>& row_lower,
            const std::vector<HighsInt>& integer = {}) {
    data_ = c;
    row_lower_ = row_lower;
    const std::vector<double> row_upper(row_lower.size(), kInf);
    return ok(Highs_passMip(highs_, cols(), rows(), HighsInt(c.index.size()), kHighsMatrixFormatColwise,
                            kHighsObjSenseMinimize, 0.0, c.cost.data(), c.lower.data(), c.upper.data(),
                            row_lower.data(), row_upper.data(), c.start.data(), c.index.data(),
                            c.value.data(), integer.empty() ? nullptr : integer.data()));
  }
  bool add(const Columns& c) {
    data_.append(c);
    return ok(Highs_addCols(highs_, c.size(), c.cost.data(), c.lower.data(), c.upper.data(),
                            HighsInt(c.index.size()), c.start.data(), c.index.data(), c.value.data()));
  }
  // Sets new costs and bounds of the columns from first on.
  bool change(HighsInt first, const std::vector<double>& cost, const std::vector<double>& lower,
              const std::vector<double>& upper) {
    if (cost.empty()) return true;
    std::copy(cost.begin(), cost.end(), data_.cost.begin() + first);
    return ok(Highs_changeColsCostByRange(highs_, first, cols() - 1, cost.data())) &&
           ok(Highs_changeColsBoundsByRange(highs_, first, cols() - 1, lower.data(), upper.data()));
  }

  // The basis remains valid after pass() of the same columns in other units.
  struct Basis {
    std::vector<HighsInt> cols, rows;
    bool valid = false;
  };
  Basis basis() const {
    Basis b;
    b.cols.resize(std::size_t(cols()));
    b.rows.resize(std::size_t(rows()));
    b.valid = ok(Highs_getBasis(highs_, b.cols.data(), b.rows.data()));
    return b;
  }
  void start_from(const Basis& b) {
    if (b.valid) Highs_setBasis(highs_, b.cols.data(), b.rows.data());
  }

  // Solves from the current basis, and a second time without a basis if HiGHS does not know the outcome.
  Status run(const Limits& limits) {
    limits_ = &limits;
    Highs_setCallback(highs_, on_event, this);
    Highs_startCallback(highs_, kHighsCallbackSimplexInterrupt);
    Highs_startCallback(highs_, kHighsCallbackIpmInterrupt);
    Highs_startCallback(highs_, kHighsCallbackMipInterrupt);
    const long most = std::numeric_limits<HighsInt>::max();
    const long wanted = limits.iterations > 0 ? std::min(limits.iterations, most) : most;
    option("simplex_iteration_limit", HighsInt(wanted));
    Status status = attempt();
    if (status == Status::numerical) {
      Highs_clearSolver(highs_);
      status = attempt();
    }
    return status;
  }
  long iterations() const {
    HighsInt count = 0;
    Highs_getIntInfoValue(highs_, "simplex_iteration_count", &count);
    return std::max<HighsInt>(count, 0);
  }
  long nodes() const {
    int64_t count = 0;
    Highs_getInt64InfoValue(highs_, "mip_node_count", &count);
    return long(std::max<int64_t>(count, 0));
  }
  double info(const char* name) const {
    double value = 0;
    Highs_getDoubleInfoValue(highs_, name, &value);
    return value;
  }

  // Returns the vertex of the final basis, solved again from the data because HiGHS uses absolute tolerances. The
  // nonbasic columns of the LP have to be at zero. Returns the values of HiGHS if the basis is unusable. O(m^3) for m
  // rows at their bounds; less if they are sparse.
  struct Vertex {
    Vec x, duals;
  };
  Vertex vertex() const {
    Vertex v{primal(), row_duals()};
    const Basis b = basis();
    std::vector<HighsInt> basic, place(std::size_t(rows()), -1);
    HighsInt m = 0;
    for (HighsInt i = 0; i < rows(); ++i)
      if (b.rows[std::size_t(i)] != kHighsBasisStatusBasic) place[std::size_t(i)] = m++;
    for (HighsInt j = 0; j < cols(); ++j)
      if (b.cols[std::size_t(j)] == kHighsBasisStatusBasic) basic.push_back(j);
    if (!b.valid || m == 0 || m != HighsInt(basic.size())) return v;

    Sparse matrix(m, m);
    Vec lower(m), cost(m);
    std::vector<Eigen::Triplet<double, HighsInt>> entries;
    for (HighsInt k = 0; k < m; ++k) {
      const std::size_t j = std::size_t(basic[std::size_t(k)]);
      const std::size_t end =
          j + 1 < data_.start.size() ? std::size_t(data_.start[j + 1]) : data_.index.size();
      cost[k] = data_.cost[j];
      for (std::size_t e = std::size_t(data_.start[j]); e < end; ++e) {
        const HighsInt row = place[std::size_t(data_.index[e])];
        if (row >= 0) entries.emplace_back(row, k, data_.value[e]);
      }
    }
    for (HighsInt i = 0; i < rows(); ++i)
      if (place[std::size_t(i)] >= 0) lower[place[std::size_t(i)]] = row_lower_[std::size_t(i)];
    matrix.setFromTriplets(entries.begin(), entries.end());
    const Vec x = solve_refined(matrix, lower), y = solve_refined(Sparse(matrix.transpose()), cost);
    if (!x.size() || !y.size()) return v;

    Vertex exact{Vec::Zero(cols()), Vec::Zero(rows())};
    for (HighsInt k = 0; k < m; ++k) exact.x[basic[std::size_t(k)]] = x[k];
    for (HighsInt i = 0; i < rows(); ++i)
      if (place[std::size_t(i)] >= 0) exact.duals[i] = y[place[std::size_t(i)]];
    const bool close = (exact.x - v.x).norm() <= 1e-3 * v.x.norm() + 1e-9 &&
                       (exact.duals - v.duals).norm() <= 1e-3 * v.duals.norm() + 1e-9;
    return close ? exact : v;
  }

  // Sets the point at which a mixed-integer search begins: one value per column.
  void start_at(const Vec& x) { Highs_setSolution(highs_, x.data(), nullptr, nullptr, nullptr); }

  Vec primal() const {
    Vec x = Vec::Zero(cols());
    Highs_getSolution(highs_, x.data(), nullptr, nullptr, nullptr);
    return x;
  }
  Vec row_duals() const {
    Vec a = Vec::Zero(rows());
    Highs_getSolution(highs_, nullptr, nullptr, nullptr, a.data());
    return a;
  }

 private:
  static bool ok(HighsInt status) { return status >= 0; }

  // Interrupts the simplex method if it alternates between its phases without a pivot, which may continue for ever.
  static void on_event(int kind, const char*, const HighsCallbackDataOut* out, HighsCallbackDataIn* in,
                       void* model) {
    HighsModel& m = *static_cast<HighsModel*>(model);
    if (kind == kHighsCallbackSimplexInterrupt && out) {
      m.idle_ = out->simplex_iteration_count == m.pivots_ ? m.idle_ + 1 : 0;
      m.pivots_ = out->simplex_iteration_count;
      m.stuck_ = m.stuck_ || m.idle_ > kMaxIdleEvents;
    }
    // HiGHS keeps this value until the next event.
    if (in) in->user_interrupt = m.stuck_ || m.limits_->stop_now();
  }

  Status attempt() {
    if (cols() == 0) {  // Zero is the only point, and HiGHS reports nothing for it.
      const bool feasible =
          row_lower_.empty() || *std::max_element(row_lower_.begin(), row_lower_.end()) <= 0;
      return feasible ? Status::optimal : Status::infeasible;
    }
    idle_ = 0;
    stuck_ = false;
    if (!ok(Highs_run(highs_))) return Status::numerical;
    const HighsInt status = Highs_getModelStatus(highs_);
    if (status == kHighsModelStatusOptimal) return Status::optimal;
    if (status == kHighsModelStatusInfeasible) return Status::infeasible;
    if (status == kHighsModelStatusUnbounded) return Status::unbounded;
    if (status == kHighsModelStatusInterrupt) return stuck_ ? Status::numerical : Status::interrupted;
    if (status == kHighsModelStatusIterationLimit || status == kHighsModelStatusTimeLimit ||
        status == kHighsModelStatusSolutionLimit)
      return Status::limit;
    return Status::numerical;
  }

  HighsInt cols() const { return data_.size(); }
  HighsInt rows() const { return HighsInt(row_lower_.size()); }

  // Solves m x = rhs with one step of refinement; returns an empty vector if m is singular.
  static Vec solve_refined(Sparse m, const Vec& rhs) {
    m.makeCompressed();
    Eigen::SparseLU<Sparse> lu(m);
    if (lu.info() != Eigen::Success) return Vec();
    Vec x = lu.solve(rhs);
    x += lu.solve(Vec(rhs - m * x));
    return x;
  }

  // Events in a row without a pivot before a run counts as failed; fewer than ten are usual.
  static constexpr long kMaxIdleEvents = 1000;

  void* highs_;
  Columns data_;
  std::vector<double> row_lower_;
  // The limits of this run.
  const Limits* limits_ = nullptr;
  HighsInt pivots_ = -1;
  long idle_ = 0;
  bool stuck_ = false;
};

}  // namespace zeronorm
