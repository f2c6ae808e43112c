#include "engines/parts/scaled_gram.h"

#include <algorithm>
#include <cmath>

#include "base/indices.h"
#include "data/design.h"

namespace zeronorm {

void ScaledGram::setup(std::shared_ptr<const Design> x) {
  base_ = std::move(x);
  base_norms_ = base_->squared_norms();
  k_.resize(0, 0);
  look_at_all();
}

const Mat& ScaledGram::gram(const Vec& scale, const Limits& limits) {
  follow(scale);
  const Vec z = used(scale);
  const double trace = z.cwiseAbs2().dot(norms_);
  stretch(z);
  IndexList gone;
  Index left = 0;
  bool changed = k_.size() == 0;
  for (Index j = 0; j < z.size() && !changed; ++j) {
    left += z[j] > 0;
    if (z[j] == z_[j]) continue;
    if (z[j] == 0)
      gone.push_back(j);
    else
      changed = true;
  }
  if (changed || trace < 0.5 * full_trace_ || static_cast<Index>(gone.size()) > left) {
    recompute(z, trace, limits);
  } else if (!gone.empty()) {
    downdate(gone, limits);
    z_ = z;
    if ((k_.diagonal().array() < 0.05 * full_diagonal_.array()).any()) recompute(z, trace, limits);
  }
  return k_;
}

Vec ScaledGram::coefficients(const Vec& v, const Vec& scale) const {
  const Vec g = view_->transposed_times(v);
  Vec w = Vec::Zero(base_->cols());
  for (Index j = 0; j < g.size(); ++j) {
    const double z = scale[column_[j]];
    if (z < kInf) w[column_[j]] = z * (z * g[j]);
  }
  return w;
}

void ScaledGram::look_at_all() {
  view_ = base_;
  norms_ = base_norms_;
  column_.resize(base_->cols());
  for (std::size_t j = 0; j < column_.size(); ++j) column_[j] = static_cast<Index>(j);
  z_ = Vec::Zero(base_->cols());
}

// Narrows the view when half of its columns have scale zero; a column that comes back widens it. O(d).
void ScaledGram::follow(const Vec& scale) {
  const IndexList present = nonzero_entries(scale);
  const bool inside = std::includes(column_.begin(), column_.end(), present.begin(), present.end());
  if (!inside) {
    look_at_all();
    k_.resize(0, 0);
  }
  if (2 * present.size() > column_.size() || column_.size() < 32) return;
  Vec old = Vec::Zero(base_->cols());
  for (std::size_t j = 0; j < column_.size(); ++j) old[column_[j]] = z_[j];
  // The kept columns include those that K still contains.
  IndexList kept;
  for (Index j : column_)
    if (scale[j] > 0 || old[j] > 0) kept.push_back(j);
  if (2 * kept.size() > column_.size()) {
    kept = std::move(present);
    k_.resize(0, 0);
  }
  IndexList rows(base_->rows());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<Index>(i);
  view_ = base_->subset(rows, kept);
  column_ = std::move(kept);
  norms_.resize(column_.size());
  z_.resize(column_.size());
  for (std::size_t j = 0; j < column_.size(); ++j) {
    norms_[j] = base_norms_[column_[j]];
    z_[j] = old[column_[j]];
  }
}

// Returns the scales of the view, without columns whose share of the trace is below rounding. O(d).
Vec ScaledGram::used(const Vec& scale) const {
  Vec z(column_.size());
  for (Index j = 0; j < z.size(); ++j) z[j] = scale[column_[j]] < kInf ? scale[column_[j]] : 0.0;
  const double cut = 1e-14 * z.cwiseAbs2().dot(norms_) / std::max<Index>(1, z.size());
  for (Index j = 0; j < z.size(); ++j)
    if (z[j] * z[j] * norms_[j] <= cut) z[j] = 0;
  return z;
}

// If all scales change by one factor, as along a path of C, K and what is stored of it are rescaled. O(n^2 + d).
void ScaledGram::stretch(const Vec& z) {
  if (k_.size() == 0 || z.size() != z_.size() || z.size() == 0) return;
  Index largest;
  const double before = z_.maxCoeff(&largest);
  const double factor = z[largest] / before;
  if (!(before > 0) || !(factor > 0) || factor == 1.0) return;
  if (((z - factor * z_).array().abs() > 4e-16 * z.array()).any()) return;
  k_ *= factor * factor;
  full_diagonal_ *= factor * factor;
  full_trace_ *= factor * factor;
  z_ = z;
}

void ScaledGram::recompute(const Vec& z, double trace, const Limits& limits) {
  k_.resize(0, 0);  // Memory may suffice for one matrix only.
  k_ = view_->gram(z, limits);
  z_ = z;
  full_trace_ = trace;
  full_diagonal_ = k_.diagonal();
}

// Subtracts the columns that left from K. O(n^2) per column.
void ScaledGram::downdate(const IndexList& gone, const Limits& limits) {
  if (gone.size() > 8) {
    Vec z = Vec::Zero(z_.size());
    for (Index j : gone) z[j] = z_[j];
    k_ -= view_->gram(z, limits);
    return;
  }
  Mat x(k_.rows(), gone.size());
  view_->columns(gone, x.data());
  for (std::size_t c = 0; c < gone.size(); ++c) {
    const Vec scaled = z_[gone[c]] * x.col(c);
    k_.noalias() -= scaled * scaled.transpose();
  }
}

}  // namespace zeronorm
