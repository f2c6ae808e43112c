// Tests that selections made when needed equal those made at each iterate.
#include "loop/selection.h"

#include <testthat/vendor/catch.h>

#include "instances.h"
#include "loop/refit.h"

using namespace zeronorm;

TEST_CASE("of the last iterate with more features, the largest") {
  Random random(1);
  const Index d = 60;
  const IndexList sizes = {7, 60, 1, 30, 12, 30, 70}, forced = {3, 50};
  for (const std::vector<Index>& counts :
       {std::vector<Index>{60, 40, 20, 5, 0}, {60, 20, 45, 9, 50, 1}, {10, 60, 8}, {0}, {60, 60, 60}}) {
    for (bool ranked : {false, true}) {
      Selection selection(sizes, forced);
      std::vector<IndexList> expected(sizes.size());
      std::vector<char> seen(sizes.size(), 0);
      for (Index nonzero : counts) {
        Mat w = gaussian(d, 2, random);
        w.bottomRows(d - nonzero).setZero();
        const Vec second = gaussian(d, random).cwiseAbs(), rank = gaussian(d, random).cwiseAbs();
        selection.observe(w, second, nonzero, ranked ? rank : Vec());
        for (std::size_t k = 0; k < sizes.size(); ++k) {
          if (nonzero <= sizes[k] && seen[k]) continue;
          expected[k] = largest(ranked ? rank : magnitudes(w), second, forced, sizes[k]);
          seen[k] = 1;
        }
        // The selection is requested before the end.
        if (nonzero == 45) CHECK(selection.chosen(3) == expected[3]);
      }
      for (std::size_t k = 0; k < sizes.size(); ++k) CHECK(selection.chosen(k) == expected[k]);
    }
  }
}
