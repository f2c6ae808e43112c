// The interface between methods and the driver, and the lookup of methods by name.
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

// A method owns its parameters, which it reads from its options when it is made. It adds its solutions of one step of
// the path to a fitting; the other functions tell the driver how to set up the problem.
class Method {
 public:
  virtual ~Method() = default;
  virtual void fit_step(Fitting& fitting) = 0;

  // Returns the engine of the search.
  virtual std::unique_ptr<Engine> engine(const EngineChoice& choice) const { return make_engine(choice); }
  // Whether margin violations become columns of their own, each of length slack_length().
  virtual bool slack_columns(const CommonOptions&) const { return false; }
  virtual double slack_length() const { return 1; }
  // Whether rows carry the cost parameter because the surrogate has no cost to divide by.
  virtual bool costs_in_rows() const { return false; }
  // True if only the span of the unpenalised columns matters to this method, so that they may be replaced by an
  // orthonormal basis.
  virtual bool sees_span_only() const { return true; }
  // Whether a solution counts the features behind its columns.
  virtual bool counts_groups() const { return false; }
  // Returns the penalty of a coefficient in the objective at the end of the search.
  virtual Penalty last_penalty() const { return make_penalty("l1", {}); }
  // Whether features that are always kept stay at their first cost while the others follow the penalty.
  virtual bool keeps_first_cost() const { return false; }
};

using MethodMaker = std::function<std::unique_ptr<Method>(const Options&, const CommonOptions&)>;

// A constant of this type in the file of a method makes the method known to all callers.
struct RegisteredMethod {
  RegisteredMethod(const std::string& name, MethodMaker make);
};

// Makes a method whose constructor takes its options, the common options as well, or nothing.
template <class Own>
std::unique_ptr<Method> make_from_options(const Options& options, const CommonOptions& common) {
  if constexpr (std::is_constructible_v<Own, const Options&, const CommonOptions&>)
    return std::make_unique<Own>(options, common);
  else if constexpr (std::is_constructible_v<Own, const Options&>)
    return std::make_unique<Own>(options);
  else
    return std::make_unique<Own>();
}

// Returns the method of this name. Throws std::invalid_argument with the name and the choices if there is none.
std::unique_ptr<Method> make_method(const std::string& name, const Options& options,
                                    const CommonOptions& common);

std::vector<std::string> method_names();

}  // namespace zeronorm
