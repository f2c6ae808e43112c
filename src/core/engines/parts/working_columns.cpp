#include "engines/parts/working_columns.h"

#include <cmath>

#include "data/design.h"

namespace zeronorm {

void WorkingColumns::setup(std::shared_ptr<const Design> x, Index room) {
  x_ = std::move(x);
  columns_.resize(x_->rows(), room);
  ids_.clear();
  present_.assign(static_cast<std::size_t>(x_->cols()), 0);
}

void WorkingColumns::clear() {
  for (Index j : ids_)
    if (j >= 0) present_[j] = 0;
  ids_.clear();
}

void WorkingColumns::add(Index j) {
  const Index k = size();
  if (k == columns_.cols()) columns_.conservativeResize(columns_.rows(), 2 * k);
  if (j < 0)
    columns_.col(k).setOnes();
  else
    x_->column(j, columns_.col(k).data()), present_[j] = 1;
  ids_.push_back(j);
}

IndexList WorkingColumns::keep(const std::function<bool(Index, Index)>& stays) {
  const IndexList old = ids_;
  IndexList kept;
  ids_.clear();
  for (Index k = 0; k < static_cast<Index>(old.size()); ++k) {
    const Index j = old[k], to = size();
    const bool here = stays(k, j);
    if (j >= 0) present_[j] = here;
    if (!here) continue;
    if (to != k) columns_.col(to) = columns_.col(k);
    ids_.push_back(j);
    kept.push_back(k);
  }
  return kept;
}

void WorkingColumns::read(const Surrogate& s, const Vec& norms) {
  up = down = bend = Vec::Zero(size());
  length.resize(size());
  for (Index k = 0; k < size(); ++k) {
    const Index j = ids_[k];
    length[k] = j < 0 ? std::sqrt(double(columns_.rows())) : norms[j];
    if (j < 0) continue;
    up[k] = s.cost_up(j);
    down[k] = s.cost_down(j);
    if (s.scale[j] < kInf) bend[k] = 1 / (s.scale[j] * s.scale[j]);
  }
}

}  // namespace zeronorm
