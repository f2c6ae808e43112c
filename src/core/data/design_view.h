// A design that forwards to another one, for classes that override some functions.
#pragma once

#include "data/design.h"

namespace zeronorm {

class DesignView : public Design {
 public:
  explicit DesignView(std::shared_ptr<const Design> base) : base_(std::move(base)) {}

  Index rows() const override { return base_->rows(); }
  Index cols() const override { return base_->cols(); }
  bool in_memory() const override { return base_->in_memory(); }
  void column(Index j, double* out) const override { base_->column(j, out); }
  void columns(const IndexList& which, double* out) const override { base_->columns(which, out); }
  Vec times(const Vec& w) const override { return base_->times(w); }
  Vec transposed_times(const Vec& v) const override { return base_->transposed_times(v); }
  Vec both_products(const Vec& w, const Vec& v, Vec& g) const override {
    return base_->both_products(w, v, g);
  }
  Vec prices(const Vec& v) const override { return base_->prices(v); }
  Mat gram(const Vec& z, const Limits& limits) const override { return base_->gram(z, limits); }
  Vec squared_norms() const override { return base_->squared_norms(); }
  Moments moments(const Vec& weights) const override { return base_->moments(weights); }
  std::vector<Moments> several_moments(const std::vector<Vec>& weights) const override {
    return base_->several_moments(weights);
  }
  Vec weighted_squares(const Vec& v) const override { return base_->weighted_squares(v); }
  void products(const IndexList& which, const Vec& v, double* g) const override {
    base_->products(which, v, g);
  }
  bool is_sparse() const override { return base_->is_sparse(); }
  Index entries(Index j, Index* rows, double* values) const override {
    return base_->entries(j, rows, values);
  }
  StoredColumn stored_column(Index j) const override { return base_->stored_column(j); }
  std::shared_ptr<const Design> subset(const IndexList& rows, const IndexList& cols) const override {
    return base_->subset(rows, cols);
  }
  IndexList points() const override { return base_->points(); }
  double center(Index j) const override { return base_->center(j); }
  double scale(Index j) const override { return base_->scale(j); }

 protected:
  std::shared_ptr<const Design> base_;
};

}  // namespace zeronorm
