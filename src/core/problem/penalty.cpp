#include "problem/penalty.h"

#include <cmath>
#include <stdexcept>

namespace zeronorm {
namespace {

using Parameters = std::map<std::string, double>;

double need(const Parameters& parameters, const std::string& name) {
  const auto found = parameters.find(name);
  if (found == parameters.end())
    throw std::invalid_argument("penalty: the parameter '" + name + "' is missing");
  return found->second;
}

Penalty exp_penalty(const Parameters& q) {
  const double alpha = need(q, "alpha");
  return {[=](double t) { return -std::expm1(-alpha * t); },
          [=](double t) { return alpha * std::exp(-alpha * t); }};
}

Penalty log_penalty(const Parameters& q) {
  const double eps = need(q, "eps");
  return {[=](double t) { return std::log(eps + t); }, [=](double t) { return 1.0 / (eps + t); }};
}

Penalty power_penalty(const Parameters& q) {
  const double p = need(q, "p"), eps = need(q, "eps");
  return {[=](double t) { return std::pow(t + eps, p); },
          [=](double t) { return p * std::pow(t + eps, p - 1); }};
}

Penalty inverse_penalty(const Parameters& q) {
  const double p = need(q, "p"), eps = need(q, "eps");
  return {[=](double t) { return -std::pow(t + eps, -p); },
          [=](double t) { return p * std::pow(t + eps, -p - 1); }};
}

Penalty l1_penalty(const Parameters&) {
  return {[](double t) { return t; }, [](double) { return 1.0; }};
}

Penalty capped_penalty(const Parameters& q) {
  const double theta = need(q, "theta");
  return {[=](double t) { return std::min(t / theta, 1.0); },
          [=](double t) { return t < theta ? 1.0 / theta : 0.0; }};
}

Penalty scad_penalty(const Parameters& q) {
  const double lambda = need(q, "lambda"), a = need(q, "a");
  return {[=](double t) {
            if (t <= lambda) return lambda * t;
            if (t <= a * lambda) return (2 * a * lambda * t - t * t - lambda * lambda) / (2 * (a - 1));
            return lambda * lambda * (a + 1) / 2;
          },
          [=](double t) {
            if (t <= lambda) return lambda;
            return std::max(0.0, a * lambda - t) / (a - 1);
          }};
}

Penalty mcp_penalty(const Parameters& q) {
  const double lambda = need(q, "lambda"), a = need(q, "a");
  return {[=](double t) { return t <= a * lambda ? lambda * t - t * t / (2 * a) : a * lambda * lambda / 2; },
          [=](double t) { return std::max(0.0, lambda - t / a); }};
}

struct Row {
  const char* name;
  Penalty (*make)(const Parameters&);
};

const Row kTable[] = {{"exp", exp_penalty},         {"log", log_penalty}, {"power", power_penalty},
                      {"inverse", inverse_penalty}, {"l1", l1_penalty},   {"capped", capped_penalty},
                      {"scad", scad_penalty},       {"mcp", mcp_penalty}};

}  // namespace

std::vector<std::string> penalty_names() {
  std::vector<std::string> names;
  for (const Row& row : kTable) names.push_back(row.name);
  return names;
}

Penalty make_penalty(const std::string& name, const Parameters& parameters) {
  for (const Row& row : kTable)
    if (name == row.name) return row.make(parameters);
  throw std::invalid_argument("penalty: there is none named '" + name + "'");
}

}  // namespace zeronorm
