// Tests lazy prices against X'v: reported prices are exact, and omitted ones cannot have reached their cost.
#include <testthat/vendor/catch.h>

#include "engines/parts/pricing.h"
#include "instances.h"

using namespace zeronorm;

namespace {

// Prices are reported from this fraction of their cost on.
constexpr double kNear = 1 - 1e-11;

IndexList beyond(const Vec& g, const Vec& up, const Vec& down) {
  IndexList list;
  for (Index j = 0; j < g.size(); ++j)
    if (g[j] >= kNear * up[j] || -g[j] >= kNear * down[j]) list.push_back(j);
  return list;
}

// Runs a sequence of multipliers with decreasing changes and with costs that change on the way.
void check_walk(Index n, Index d, Random& random) {
  const Mat x = gaussian(n, d, random);
  Pricing pricing;
  pricing.setup(view(x));
  Vec v = gaussian(n, random), g = Vec::Zero(d);
  Vec up = Vec::Constant(d, 3 * v.norm()), down = up;
  for (int step = 0; step < 300; ++step) {
    if (step % 7 == 3) v *= 0.8;
    v += std::pow(0.9, step) * gaussian(n, random);
    if (step % 5 == 0)
      for (Index j = 0; j < d; ++j) {
        up[j] = 3 * v.norm() * (0.7 + 0.6 * uniform(random));
        down[j] = j % 11 == 0 ? kInf : up[j] * (0.7 + 0.6 * uniform(random));
        if (j % 13 == 0) up[j] = down[j] = kInf;
      }
    const Vec exact = x.transpose() * v;
    const IndexList all = beyond(exact, up, down);
    const auto is_exact = [&](const IndexList& list) {
      for (Index j : list)
        if (std::abs(g[j] - exact[j]) > 1e-12 * v.norm() * x.col(j).norm()) return false;
      return true;
    };
    const IndexList some = pricing.promising(v, up, down, kNear, g);
    CHECK(is_exact(some));
    CHECK(std::includes(all.begin(), all.end(), some.begin(), some.end()));
    const IndexList found = pricing.update(v, up, down, kNear, g);
    CHECK(is_exact(found));
    CHECK(found == all);
  }
}

}  // namespace

TEST_CASE("prices: all that reach their costs are found, with the price they have") {
  Random random(1);
  check_walk(20, 300, random);
  check_walk(256, 4200, random);
}
