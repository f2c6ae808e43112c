// Prices of features by hand.
#include "tangent.h"

#include <testthat/vendor/catch.h>

using namespace zeronorm;

namespace {

FitSpec spec_of(RuleKind rule) {
  FitSpec spec;
  spec.rule = rule;
  spec.weights = Vec::Ones(2);
  spec.path = {{2, 0, 3}};
  return spec;
}

Vec of(std::initializer_list<double> values) {
  Vec v(static_cast<Index>(values.size()));
  std::copy(values.begin(), values.end(), v.data());
  return v;
}

}  // namespace

TEST_CASE("prices hold the slopes of both sides of a kink") {
  FitSpec spec = spec_of(RuleKind::reweight);
  spec.schedule = {make_penalty("capped", {{"theta", 0.5}})};
  spec.keep = {3};
  const Tangent t = tangent(spec, of({0, 0.5, 0.7, 0.1}));
  CHECK(t.low == of({4, 0, 0, 0}));
  CHECK(t.high == of({4, 4, 0, 0}));
  CHECK(t.mean == of({0, 4, 2 / 0.7, 0}));
  CHECK(t.rows == of({3, 3}));
}

TEST_CASE("AROM's zeros are out, what is kept has a price of its own") {
  FitSpec spec = spec_of(RuleKind::rescale);
  spec.hard = true;
  spec.keep = {2};
  spec.unpenalized = {3};
  const Tangent t = tangent(spec, of({0, 0.5, 0.25, 0.1}));
  CHECK(t.low[0] == kInf);
  CHECK(t.low[1] == Approx(4).epsilon(1e-5));
  CHECK(t.high[1] > t.low[1]);
  CHECK(t.mean[1] == t.high[1]);
  CHECK(t.low[2] == 2);
  CHECK(t.high[3] == 0);
  CHECK(t.rows[0] == kInf);
}
