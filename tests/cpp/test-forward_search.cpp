#include <testthat/vendor/catch.h>
#include <cmath>

#include "methods/ranking/forward_search.h"

using namespace zeronorm;

TEST_CASE("the tail of a probe's squared cosine has its closed forms") {
  for (double x : {0.0, 1e-9, 0.01, 0.3, 0.5, 0.9, 0.999999, 1.0}) {
    CHECK(probe_tail(x, 2) == Approx(1 - 2 / M_PI * std::asin(std::sqrt(x))).margin(1e-13));
    CHECK(probe_tail(x, 3) == Approx(1 - std::sqrt(x)).margin(1e-14));
    CHECK(probe_tail(x, 5) == Approx(1 - std::sqrt(x) * (3 - x) / 2).margin(1e-14));
    CHECK(probe_tail(x, 1) == 1);
  }
  // Far in the tail, where 1 - I_x would have no digits: nu = 41, an even polynomial in the cosine.
  CHECK(probe_tail(0.99, 41) < 1e-38);
  CHECK(probe_tail(0.99, 41) > 0);
}
