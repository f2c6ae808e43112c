// Tests working rows against the engine on all rows, with costs that change much from one iteration to the next, so
// that rows outside the working set fall below their margin.
#include <testthat/vendor/catch.h>

#include "engines/working_rows.h"
#include "instances.h"

using namespace zeronorm;

namespace {

// A simplex that records the smallest number of rows it was given.
class Counted : public Engine {
 public:
  explicit Counted(Index* fewest) : inner_(make_simplex()), fewest_(fewest) {}
  std::string name() const override { return inner_->name(); }
  std::string refuses(const Problem& p, const Surrogate& s) const override { return inner_->refuses(p, s); }
  void setup(const Problem& p) override {
    *fewest_ = std::min(*fewest_, p.y.rows());
    inner_->setup(p);
  }
  Solution solve(const Surrogate& s, const Limits& limits) override { return inner_->solve(s, limits); }

 private:
  std::unique_ptr<Engine> inner_;
  Index* fewest_;
};

}  // namespace

TEST_CASE("working rows: those that fall below their margin join") {
  Random random(81);
  const Mat x = shifted(600, 4, 1.2, random);
  const Problem p = svm_problem(x, alternating(600), 1);
  Index fewest = 600;
  const auto engine = make_working_rows([&] { return std::make_unique<Counted>(&fewest); });
  engine->setup(p);
  for (double price : {1.0, 2.0, 30.0, 150.0, 250.0, 20.0, 1.0, 60.0}) {
    INFO("price " << price);
    const Surrogate s = surrogate(4, price, kInf);
    const Solution out = solve(*engine, p, s), all = solve(make_simplex(), p, s);
    REQUIRE(out.status == Status::optimal);
    CHECK(out.certificate.gap <= 1e-9);
    CHECK(objective(x, p, s, out) == Approx(objective(x, p, s, all)).epsilon(1e-9));
  }
  CHECK(fewest < 400);
}
