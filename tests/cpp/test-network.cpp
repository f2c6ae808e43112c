#include <testthat/vendor/catch.h>

#include "data/design.h"
#include "engines/solve_certified.h"
#include "instances.h"
#include "methods/ranking/network_engine.h"

using namespace zeronorm;

namespace {

Problem outputs_of(Loss loss, Index n, Index d, Index outputs) {
  Problem p;
  static Mat x;
  x = Mat::Random(n, d);
  p.x = dense_design(x.data(), n, d, Vec::Zero(d), Vec::Ones(d));
  p.y = Mat::Random(n, outputs);
  if (loss != Loss::squared) p.y = (p.y.array() > 0).select(Mat::Ones(n, outputs), -Mat::Ones(n, outputs));
  p.cost = Vec::Random(n).cwiseAbs();
  p.loss = loss;
  return p;
}

}  // namespace

TEST_CASE("gradient and second derivatives of a network are those of differences") {
  std::srand(1);
  for (Loss loss : {Loss::squared, Loss::logistic}) {
    for (Index outputs : {1, 3}) {
      const Problem p = outputs_of(loss, 15, 6, outputs);
      Vec scale = Vec::Constant(6, 0.7);
      scale[1] = scale[4] = 0;
      scale[2] = kInf;
      const NetworkLoss network(p, scale, 3);
      const Vec theta = Vec::Random(network.shape().size());
      Vec gradient, up, down;
      network.value(theta, gradient);
      const Mat h = network.curvature(theta, false);
      const double step = 1e-5;
      for (Index k = 0; k < theta.size(); ++k) {
        Vec more = theta, less = theta;
        more[k] += step;
        less[k] -= step;
        const double difference = (network.value(more, up) - network.value(less, down)) / (2 * step);
        CHECK(gradient[k] == Approx(difference).epsilon(1e-7).margin(1e-8));
        if (k >= h.size()) continue;
        CHECK(h(k % h.rows(), k / h.rows()) ==
              Approx((up[k] - down[k]) / (2 * step)).epsilon(1e-7).margin(1e-8));
      }
    }
  }
}

TEST_CASE("Gauss and Newton's second derivatives are exact where nothing is left to fit") {
  std::srand(2);
  Problem p = outputs_of(Loss::squared, 15, 4, 1);
  const NetworkLoss any(p, Vec::Ones(4), 2);
  const Vec theta = Vec::Random(any.shape().size());
  CHECK((any.curvature(theta, true) - any.curvature(theta, false)).cwiseAbs().maxCoeff() > 1e-3);
  // y becomes what the network says: the gradient by the output's bias is minus the sum of the residuals.
  for (Index i = 0; i < 15; ++i) {
    Problem one = p;
    one.cost = Vec::Zero(15);
    one.cost[i] = 1;
    Vec gradient;
    NetworkLoss(one, Vec::Constant(4, kInf), 2).value(theta, gradient);
    p.y(i, 0) += gradient[gradient.size() - 1];
  }
  const NetworkLoss fitted(p, Vec::Ones(4), 2);
  CHECK((fitted.curvature(theta, true) - fitted.curvature(theta, false)).cwiseAbs().maxCoeff() < 1e-12);
}

namespace {

// The engine of networks, whose solution is tampered with.
class Tampering : public NetworkEngine {
 public:
  Tampering(Network what, Networks& trained, std::function<void(Solution&)> change)
      : NetworkEngine(std::move(what), trained), change_(std::move(change)) {}
  Solution solve(const Surrogate& surrogate, const Limits& limits) override {
    Solution s = NetworkEngine::solve(surrogate, limits);
    change_(s);
    return s;
  }

 private:
  std::function<void(Solution&)> change_;
};

}  // namespace

TEST_CASE("networks are certified from the data: what is no minimum is refused") {
  std::srand(3);
  const Problem p = outputs_of(Loss::logistic, 20, 4, 1);
  const Surrogate surrogate{Vec::Zero(4), Vec::Ones(4), Vec(), {}};
  Network what;
  what.hidden = 2;
  what.starts = Mat::Random(NetworkShape{4, 2, 1}.size(), 2);
  const auto solved = [&](std::function<void(Solution&)> change) {
    Networks trained;
    Tampering engine(what, trained, std::move(change));
    engine.setup(p);
    return solve_certified(engine, p, surrogate, Limits());
  };
  const Solution honest = solved([](Solution&) {});
  REQUIRE(honest.status == Status::optimal);
  CHECK(honest.certificate.gap <= kProof);
  Vec gradient;
  CHECK(honest.certificate.primal == NetworkLoss(p, surrogate.scale, 2).value(honest.network, gradient));

  const std::vector<std::function<void(Solution&)>> lies = {
      [](Solution& s) { s.network[0] += 0.01; },
      [](Solution& s) { s.network *= 0.5, s.w *= 0.5; },
      [](Solution& s) { s.w(2, 0) += 0.01; },
      [](Solution& s) { s.network.conservativeResize(s.network.size() - 1); },
      [](Solution& s) { s.network[3] = std::nan(""); },
  };
  for (const auto& lie : lies) CHECK(solved(lie).status == Status::numerical);
}
