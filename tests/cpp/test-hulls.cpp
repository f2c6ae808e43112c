// Tests answers for single sets, close to the least margin and far from it, against exact integer arithmetic.
#include "proofs/hulls.h"

#include <testthat/vendor/catch.h>

#include <cmath>
#include <cstdlib>
#include <random>

#include "base/indices.h"
#include "exact_margins.h"
#include "instances.h"

using namespace zeronorm;

namespace {

struct Instance {
  WholeNumbers whole;
  Mat x;
  Vec y;
};

// Integers in which the first of k columns is a combination of the others plus a step of e towards the label, or all
// are random, with ties, copies, other units and other offsets, all exact in doubles.
Instance random_instance(Index k, Random& random) {
  const auto draw = [&](long long most) { return std::uniform_int_distribution<long long>(0, most)(random); };
  Instance out;
  const Index n = 4 + draw(7);
  const bool near = draw(4) > 0;
  // The range of the first column is up to 2^30, so that a step of one is a relative margin of about 1e-9.
  const long long size = (k == 3 ? 250000000 : 500000000) + draw(k == 3 ? 250000000 : 500000000);
  const long long grain = draw(3) ? 1 : size / (1 + draw(6)), half = size / 2;
  const long long step = draw(2) ? draw(3) : static_cast<long long>(std::pow(10.0, 7 * uniform(random)));
  const long long noise = draw(1) ? 0 : draw(3);
  out.y = Vec(n);
  for (Index i = 0; i < n; ++i) {
    const int y = i < 2 ? (i ? 1 : -1) : draw(1) ? 1 : -1;
    std::array<long long, 3> row{};
    for (Index j = 1; j < k; ++j) row[j] = draw(size) / grain * grain;
    if (!near) {
      row[0] = draw(size) / grain * grain;
    } else {
      row[0] = k == 1 ? (y > 0 ? half + draw(half) : half - draw(half)) : size;
      for (Index j = 1; j < k; ++j) row[0] += (j % 2 ? -1 : 1) * row[j];
      if (y > 0) row[0] += step + (noise ? draw(noise) : 0);
    }
    if (near && k == 1 && i < 2) row[0] = half + (y > 0 ? step : 0);
    out.whole.rows.push_back(row);
    out.whole.y.push_back(y);
  }
  if (draw(9) == 0) out.whole.rows.push_back(out.whole.rows[0]), out.whole.y.push_back(-out.whole.y[0]);
  if (draw(9) == 0 && k > 1)
    for (auto& row : out.whole.rows) row[1] = row[0];
  out.whole.measure();
  const Index rows = static_cast<Index>(out.whole.rows.size());
  out.x = Mat(rows, k);
  out.y = Vec(rows);
  for (Index j = 0; j < k; ++j) {
    const double unit = std::ldexp(1.0, static_cast<int>(draw(54)) - 27);
    const double offset = draw(1) ? 0 : static_cast<double>(draw(4000000000000000LL)) - 2e15;
    for (Index i = 0; i < rows; ++i)
      out.x(i, j) = (static_cast<double>(out.whole.rows[i][j]) + offset) * unit;
  }
  for (Index i = 0; i < rows; ++i) out.y[i] = out.whole.y[i];
  return out;
}

// Number of random problems.
constexpr long kProblems = 3000;

long problems() {
  const char* asked = std::getenv("ZERONORM_PROOFS");
  return asked ? std::atol(asked) : kProblems;
}

}  // namespace

TEST_CASE("hulls: no answer but what exact arithmetic says, and hardly any left open") {
  Random random(20);
  long unclear = 0, yes = 0, near = 0, wrong = 0;
  const long count = problems();
  for (long repeat = 0; repeat < count; ++repeat) {
    const Index k = 1 + repeat % 3;
    const Instance instance = random_instance(k, random);
    Forgiven forgiven;
    const Index smaller = std::min((instance.y.array() > 0).count(), (instance.y.array() < 0).count());
    forgiven.errors = std::min<Index>(repeat % 5 < 3 ? 0 : repeat % 5 - 2, smaller - 1);
    const bool truth = separates_exactly(instance.whole, forgiven.errors);
    near += separates_exactly(instance.whole, forgiven.errors, truth ? 500000000 : 2000000000) != truth;
    const Hulls hulls(instance.x, instance.y, forgiven);
    for (bool precise : {false, true}) {
      Care care;
      care.precise = precise;
      const Answer answer = hulls.apart(first(k), Limits(), care);
      unclear += answer == Answer::unclear;
      wrong += answer != Answer::unclear && (answer == Answer::yes) != truth;
    }
    yes += truth;
    Care care;
    care.widest = true;
    const Decision decision = hulls.decide(first(k), Limits(), care);
    if (decision.answer != Answer::yes) continue;
    const RelativeMargin exact(instance.x, instance.y);
    wrong += !proves(exact, forgiven, instance.x.rows(), first(k), decision);
  }
  if (count != kProblems)
    WARN("sets: " << count << ", separating: " << yes << ", with a margin within a factor of 2 of the least: "
                  << near << ", unclear: " << unclear << ", wrong: " << wrong);
  CHECK(wrong == 0);
  CHECK(unclear == 0);
  CHECK(yes > count / 5);
  CHECK(yes < count * 4 / 5);
  CHECK(near > count / 50);
}

TEST_CASE("hulls: what does not prove a yes is refused") {
  Mat x(4, 2);
  x << 0, 0, 1, 5, 2, 0, 3, 5;
  Vec y(4);
  y << -1, -1, 1, 1;
  const RelativeMargin exact(x, y);
  Decision decision;
  decision.w = {DoubleDouble(1)};
  CHECK(proves(exact, Forgiven(), 4, {0}, decision));
  CHECK_FALSE(proves(exact, Forgiven(), 4, {1}, decision));
  CHECK_FALSE(proves(exact, Forgiven(), 4, {0, 1}, decision));
  decision.w = {DoubleDouble(-1)};
  CHECK_FALSE(proves(exact, Forgiven(), 4, {0}, decision));
  decision.errors = {0};
  CHECK_FALSE(proves(exact, Forgiven(), 4, {0}, decision));
}

TEST_CASE("hulls: large sets, by the dual, by a programme and beyond") {
  Random random(4);
  for (Index n : {20, 2100}) {
    Mat x = gaussian(n, 20, random);
    const Vec y = alternating(n);
    const IndexList all = first(20);
    CHECK(Hulls(x, y, Forgiven()).apart(all, Limits()) == (n == 20 ? Answer::yes : Answer::no));
    x.col(3) += 10 * y;
    CHECK(Hulls(x, y, Forgiven()).apart(all, Limits()) == Answer::yes);
    x.row(1) = x.row(0);
    CHECK(Hulls(x, y, Forgiven()).apart(all, Limits()) == Answer::no);
  }
}

TEST_CASE("hulls: a budget of hinge losses against the losses of all weights of one column") {
  Random random(6);
  for (int repeat = 0; repeat < 40; ++repeat) {
    const Index n = 6 + repeat % 5;
    Mat x = gaussian(n, 1, random);
    if (repeat % 2) x = (2 * x).array().round();
    const Vec y = alternating(n);
    // The sum is piecewise linear in (w, b), so at its minimum two losses are zero or w is.
    double least = 2.0 * static_cast<double>(std::min((y.array() > 0).count(), (y.array() < 0).count()));
    for (Index p = 0; p < n; ++p)
      for (Index q = 0; q < n; ++q) {
        if (x(p, 0) == x(q, 0)) continue;
        const double w = (y[p] - y[q]) / (x(p, 0) - x(q, 0)), b = y[p] - w * x(p, 0);
        double sum = 0;
        for (Index i = 0; i < n; ++i) sum += std::max(0.0, 1 - y[i] * (w * x(i, 0) + b));
        least = std::min(least, sum);
      }
    if (least == 0) continue;
    for (double share : {0.5, 1 - 1e-5, 1.0, 1 + 1e-5, 2.0}) {
      Forgiven forgiven;
      forgiven.hinge = least * share;
      const Decision decision = Hulls(x, y, forgiven).decide({0}, Limits());
      CHECK(decision.answer == (share < 1 ? Answer::no : Answer::yes));
      if (decision.answer == Answer::yes) CHECK(proves(RelativeMargin(x, y), forgiven, n, {0}, decision));
    }
  }
}
