// What a method is to the driver, and where it is found by name.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "engines/engine.h"
#include "methods/options.h"
#include "problem/penalty.h"

namespace zeronorm {

struct CommonOptions;
class Fitting;

// A method owns its parameters, which it reads from its options when it is made, and adds its solutions of one
// step of the path to a fitting.  The other functions tell the driver how to set the problem up.
class Method {
 public:
  virtual ~Method() = default;
  virtual void fit_step(Fitting& fitting) = 0;

  // The engine of the search.
  virtual std::unique_ptr<Engine> engine(const EngineChoice& choice) const { return make_engine(choice); }
  // Whether margin violations become columns of their own, each this long.
  virtual bool slack_columns(const CommonOptions&) const { return false; }
  virtual double slack_length() const { return 1; }
  // Whether rows carry the cost parameter, because the surrogate has no cost of its own to divide by.
  virtual bool costs_in_rows() const { return false; }
  // True if only the span of the unpenalised columns matters, so that they may be replaced by an orthonormal
  // basis of it.
  virtual bool sees_span_only() const { return true; }
  // Whether a solution counts the features behind its columns.
  virtual bool counts_groups() const { return false; }
  // What its objective charges for a coefficient at the end of the search.
  virtual Penalty last_penalty() const { return make_penalty("l1", {}); }
  // Whether features that are kept stay at their first cost while the others follow the penalty.
  virtual bool keeps_first_cost() const { return false; }
};

using MethodMaker = std::function<std::unique_ptr<Method>(const Options&, const CommonOptions&)>;

// A method is known to all callers by a constant of this type in its own file.
struct RegisteredMethod {
  RegisteredMethod(const std::string& name, MethodMaker make);
};

// The maker of a method whose constructor takes its options, the common ones as well, or nothing.
template <class Own>
std::unique_ptr<Method> make_from_options(const Options& options, const CommonOptions& common) {
  if constexpr (std::is_constructible_v<Own, const Options&, const CommonOptions&>)
    return std::make_unique<Own>(options, common);
  else if constexpr (std::is_constructible_v<Own, const Options&>)
    return std::make_unique<Own>(options);
  else
    return std::make_unique<Own>();
}

// The method of this name.  Throws std::invalid_argument with the name and the choices where there is none.
std::unique_ptr<Method> make_method(const std::string& name, const Options& options,
                                    const CommonOptions& common);

std::vector<std::string> method_names();

}  // namespace zeronorm
