// Tests costs of features computed by hand.
#include "methods/tangent.h"

#include <testthat/vendor/catch.h>

using namespace zeronorm;

namespace {

CommonOptions common_options() {
  CommonOptions common;
  common.weights = Vec::Ones(2);
  common.path = {{2, 0, 3}};
  return common;
}

Vec of(std::initializer_list<double> values) {
  Vec v(static_cast<Index>(values.size()));
  std::copy(values.begin(), values.end(), v.data());
  return v;
}

}  // namespace

TEST_CASE("prices hold the slopes of both sides of a kink") {
  CommonOptions common = common_options();
  common.keep = {3};
  Options penalty, options;
  penalty.set("kind", std::vector<std::string>{"capped"});
  penalty.set("theta", Mat::Constant(1, 1, 0.5));
  options.set("penalty", penalty);
  options.set("settled", Mat::Zero(1, 1));
  options.set("starts", Mat::Ones(4, 1));
  const auto method = make_method("reweight", options, common);
  const Tangent t = tangent(common, *method, of({0, 0.5, 0.7, 0.1}));
  CHECK(t.low == of({4, 0, 0, 0}));
  CHECK(t.high == of({4, 4, 0, 0}));
  CHECK(t.mean == of({0, 4, 2 / 0.7, 0}));
  CHECK(t.rows == of({3, 3}));
}

TEST_CASE("AROM's zeros are out, what is kept has a price of its own") {
  CommonOptions common = common_options();
  common.hard = true;
  common.keep = {2};
  common.unpenalized = {3};
  Options options;
  const std::pair<const char*, const char*> words[] = {
      {"norm", "l1"}, {"features", "zero"}, {"errors", "none"}, {"slack_form", "literal"}};
  for (const auto& word : words) options.set(word.first, std::vector<std::string>{word.second});
  options.set("lambda", Mat::Ones(1, 1));
  const auto method = make_method("arom", options, common);
  const Tangent t = tangent(common, *method, of({0, 0.5, 0.25, 0.1}));
  CHECK(t.low[0] == kInf);
  CHECK(t.low[1] == Approx(4).epsilon(1e-5));
  CHECK(t.high[1] > t.low[1]);
  CHECK(t.mean[1] == t.high[1]);
  CHECK(t.low[2] == 2);
  CHECK(t.high[3] == 0);
  CHECK(t.rows[0] == kInf);
}
