// Prices g = X'v of all columns, computed only where they matter. Every proof of optimality over d columns requires
// that no price exceeds its cost.
#pragma once

#include <utility>

#include "base/types.h"

namespace zeronorm {

// The excess of prices over costs, and the columns.
using Violators = std::vector<std::pair<double, Index>>;
// Returns the `count` columns with the largest excess, in this order; reorders found.
IndexList worst(Violators& found, Index count);

// Computes prices where the data lie. Each column stores the multipliers u for which it was last priced, and by
//   |x_j'v - s x_j'u| <= |x_j| |v - s u|
// it is read again only if its price may have come near its cost since.
class Pricing {
 public:
  // Takes the design. O(nd), or O(nonzeros), if the norms of the columns are not known yet.
  void setup(std::shared_ptr<const Design> x);
  // Returns the columns where g_j = x_j'v reaches `near` times a cost. Other entries of g may belong to earlier v; g
  // must be that of the last call. O(n) per column that is read, plus O(d).
  const IndexList& update(const Vec& v, const Vec& up, const Vec& down, double near, Vec& g);
  // Does the same for the columns that were nearest to their costs when all were read, which proves nothing. Returns
  // no column if reading all is cheap.
  const IndexList& promising(const Vec& v, const Vec& up, const Vec& down, double near, Vec& g);
  const Vec& norms() const { return norms_; }
  // Copies one column or several in O(n) each.
  void column(Index j, double* out) const;
  void columns(const IndexList& which, double* out) const;

 private:
  void all(const Vec& v, const Vec& up, const Vec& down, Vec& g);
  void choose_promising(const Vec& up, const Vec& down, const Vec& g);
  // Computes how far v is from each earlier vector of multipliers. O(n) for each of them.
  void compare(const Vec& v);
  void collect(const Vec& up, const Vec& down, double near, const Vec& g);
  bool may_reach(Index j, const Vec& up, const Vec& down, double near, const Vec& g) const;
  void read(const Vec& v, const Vec& up, const Vec& down, double near, Vec& g);

  std::shared_ptr<const Design> x_;
  Vec norms_;
  // The earlier multipliers.
  std::vector<Vec> priced_at_;
  // For each column the number of the multipliers for which it was last priced.
  std::vector<unsigned char> last_;
  // The projection of v on each of the earlier multipliers, and the distance from it.
  std::vector<double> share_, apart_;
  IndexList near_, promising_;
};

}  // namespace zeronorm
