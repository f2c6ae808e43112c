// Tests the order in which features are eliminated, with given weights.
#include <testthat/vendor/catch.h>

#include "instances.h"
#include "loop/refit.h"
#include "rules/eliminate.h"

using namespace zeronorm;

namespace {

IndexList list(std::initializer_list<Index> values) { return values; }

// Returns the numbers of features in each iteration if the weight of a feature never changes.
IndexList sizes(Eliminate& rule, const Vec& weight, const Vec& scale) {
  Surrogate s;
  s.scale = scale;
  s.l1 = Vec::Zero(scale.size());
  Trace trace;
  IndexList found;
  while (rule.next(Problem(), trace, s)) {
    const Index left = (s.scale.array() > 0).count();
    found.push_back(left);
    trace.rounds.push_back({0, left, 0, ""});
    trace.solution.status = Status::optimal;
    trace.solution.w = (s.scale.array() > 0).select(weight, 0.0);
  }
  return found;
}

Elimination elimination(double step, const IndexList& sizes) {
  Elimination what;
  what.step = step;
  what.sizes = sizes;
  return what;
}

}  // namespace

TEST_CASE("eliminate: sizes by share and by count") {
  const Vec weight = Vec::LinSpaced(10, 10, 1), scale = Vec::Ones(10);
  Eliminate half(elimination(0.5, {1})), three(elimination(3, {5, 2})), one(elimination(1, {8}));
  CHECK(sizes(half, weight, scale) == list({10, 5, 2, 1}));
  CHECK(sizes(three, weight, scale) == list({10, 7, 5, 2}));
  CHECK(sizes(one, weight, scale) == list({10, 9, 8}));
  CHECK(three.chosen(0) == list({0, 1, 2, 3, 4}));
  CHECK(three.chosen(1) == list({0, 1}));
  CHECK(half.ranking() == list({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST_CASE("eliminate: says which share of the way is behind") {
  std::vector<double> told;
  Elimination what = elimination(2, {2});
  what.progress = [&told](double share) { told.push_back(share); };
  Eliminate rule(what);
  sizes(rule, Vec::LinSpaced(10, 10, 1), Vec::Ones(10));
  CHECK(told == std::vector<double>({0, 0.25, 0.5, 0.75, 1}));
}

TEST_CASE("eliminate: equal weights leave the first columns, removed ones were first to go") {
  Vec weight = Vec::Ones(6), scale = Vec::Ones(6);
  weight[4] = 1 + 1e-14;
  scale[1] = 0;
  Eliminate rule(elimination(1, {3, 2}));
  CHECK(sizes(rule, weight, scale) == list({5, 4, 3, 2}));
  CHECK(rule.chosen(0) == list({0, 2, 3}));
  CHECK(rule.ranking() == list({0, 2, 3, 4, 5, 1}));
}

TEST_CASE("eliminate: groups leave whole and forced features stay") {
  Vec weight(7);
  weight << 1, 9, 2, 2, 3, 8, 1;
  Elimination what = elimination(1, {5, 2});
  what.group = {0, 0, 1, 1, 2, 3, 3};
  what.forced = {4};
  Eliminate sum(what);
  CHECK(sizes(sum, weight, Vec::Ones(7)) == list({7, 5, 3}));
  CHECK(sum.chosen(0) == list({0, 1, 4, 5, 6}));
  CHECK(sum.chosen(1) == list({0, 1, 4}));
  CHECK(sum.ranking() == list({4, 1, 0, 5, 6, 2, 3}));
  what.group = {0, 0, 0, 1, 2, 3, 3};
  what.mean = true;
  Eliminate mean(what);
  CHECK(sizes(mean, weight, Vec::Ones(7)) == list({7, 6, 3}));
  CHECK(mean.ranking() == list({4, 5, 6, 1, 2, 0, 3}));
}

TEST_CASE("eliminate: nothing to drop ends at once") {
  Eliminate rule(elimination(0.5, {2, 1}));
  CHECK(sizes(rule, Vec::Zero(3), Vec::Zero(3)) == list({0}));
  CHECK(rule.chosen(1).empty());
  CHECK(rule.ranking() == list({0, 1, 2}));
}

TEST_CASE("ranking: scores that differ by rounding are ties") {
  CHECK(without_rounding(0.3) == without_rounding(0.1 + 0.2));
  CHECK(without_rounding(1.0) != without_rounding(1.0 + 1e-7));
  CHECK(without_rounding(kInf) == kInf);
  CHECK(without_rounding(1e306) == 1e306);
}
