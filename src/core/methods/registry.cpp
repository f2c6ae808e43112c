#include <map>
#include <stdexcept>

#include "methods/method.h"

namespace zeronorm {
namespace {

// Returns the makers by name. The map is created on first use, because methods register before main() in any order.
std::map<std::string, MethodMaker>& registry() {
  static std::map<std::string, MethodMaker> makers;
  return makers;
}

}  // namespace

RegisteredMethod::RegisteredMethod(const std::string& name, MethodMaker make) {
  if (!registry().emplace(name, std::move(make)).second)
    throw std::logic_error("Two methods are registered as '" + name + "'.");
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const auto& entry : registry()) names.push_back(entry.first);
  return names;
}

std::unique_ptr<Method> make_method(const std::string& name, const Options& options,
                                    const CommonOptions& common) {
  const auto found = registry().find(name);
  if (found != registry().end()) return found->second(options, common);
  std::string choices;
  for (const std::string& choice : method_names()) choices += (choices.empty() ? "" : ", ") + choice;
  throw std::invalid_argument("method: there is none named '" + name + "'. Use one of " + choices + ".");
}

}  // namespace zeronorm
