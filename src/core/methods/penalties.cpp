#include "methods/penalties.h"

namespace zeronorm {
namespace {

std::function<double(double)> scalar(const Options::Function& f) {
  return [f](double t) { return f(Vec::Constant(1, t))(0, 0); };
}

}  // namespace

std::vector<Penalty> read_penalties(const Options& penalty) {
  const std::string& kind = penalty.text("kind");
  if (kind == "user") return {{scalar(penalty.function("value")), scalar(penalty.function("slope"))}};
  std::map<std::string, double> parameters;
  for (const char* name : {"eps", "p", "theta", "lambda", "a"})
    if (penalty.has(name)) parameters[name] = penalty.number(name);
  if (!penalty.has("alpha")) return {make_penalty(kind, parameters)};
  std::vector<Penalty> schedule;
  const Vec alpha = penalty.numbers("alpha");
  for (Index k = 0; k < alpha.size(); ++k) {
    parameters["alpha"] = alpha[k];
    schedule.push_back(make_penalty(kind, parameters));
  }
  return schedule;
}

}  // namespace zeronorm
