// Prices g = X'v of all columns, as far as they matter: every optimality proof over d columns needs to know
// that no price exceeds its cost.
#pragma once

#include <utility>

#include "base/types.h"

namespace zeronorm {

// By how much prices exceed costs, and of which columns.
using Violators = std::vector<std::pair<double, Index>>;
// So many of the columns, the worst first; reorders them all.
IndexList worst(Violators& found, Index count);

// Reads the columns where they are.  Each remembers the multipliers it was priced at; by
//   |x_j'v - s x_j'u| <= |x_j| |v - s u|
// it is read again only where its price may have come near its cost since.
class Pricing {
 public:
  // O(nd), or O(nonzeros), where the lengths of the columns are not known yet.
  void setup(std::shared_ptr<const Design> x);
  // The columns where g_j = x_j'v reaches near times a cost.  Elsewhere g_j may belong to some earlier v; g
  // must be that of the last call. O(n) per column that is read, O(d) besides.
  const IndexList& update(const Vec& v, const Vec& up, const Vec& down, double near, Vec& g);
  // The same among the columns that came nearest to their costs when all were read, which proves nothing.
  // None where reading all is cheap.
  const IndexList& promising(const Vec& v, const Vec& up, const Vec& down, double near, Vec& g);
  const Vec& norms() const { return norms_; }
  // Column j, or these, in O(n) each.
  void column(Index j, double* out) const;
  void columns(const IndexList& which, double* out) const;

 private:
  void all(const Vec& v, const Vec& up, const Vec& down, Vec& g);
  void choose_promising(const Vec& up, const Vec& down, const Vec& g);
  // What bounds keep apart from v among earlier multipliers. O(n) for each of them.
  void compare(const Vec& v);
  void collect(const Vec& up, const Vec& down, double near, const Vec& g);
  bool may_reach(Index j, const Vec& up, const Vec& down, double near, const Vec& g) const;
  void read(const Vec& v, const Vec& up, const Vec& down, double near, Vec& g);

  std::shared_ptr<const Design> x_;
  Vec norms_;
  std::vector<Vec> priced_at_;         // earlier multipliers,
  std::vector<unsigned char> last_;    // and which of them a column was priced at last
  std::vector<double> share_, apart_;  // of v along each of them, and across
  IndexList near_, promising_;
};

}  // namespace zeronorm
