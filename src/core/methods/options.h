// Named values from the caller: every part of the core reads the values that it needs by name.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/types.h"

namespace zeronorm {

class Options {
 public:
  // A function of a vector that the caller provides; a scalar result is a matrix with one entry.
  using Function = std::function<Mat(const Vec&)>;

  void set(const std::string& name, Mat numbers);
  void set(const std::string& name, std::vector<std::string> words);
  void set(const std::string& name, Options group);
  void set(const std::string& name, Function function);

  // Returns whether there is a value of this name.
  bool has(const std::string& name) const { return values_.count(name) > 0; }

  // Each of these throws std::invalid_argument with the name if the value is missing or of another kind.
  double number(const std::string& name) const;
  Index count(const std::string& name) const { return static_cast<Index>(number(name)); }
  bool flag(const std::string& name) const { return number(name) != 0; }
  Vec numbers(const std::string& name) const;
  const Mat& matrix(const std::string& name) const;
  // Returns zero-based positions from the one-based ones of the caller; empty if there is no value.
  IndexList indices(const std::string& name) const;
  std::vector<int> integers(const std::string& name) const;
  const std::string& text(const std::string& name) const;
  const Options& group(const std::string& name) const;
  const Function& function(const std::string& name) const;
  std::vector<std::string> names() const;

  // Returns the meaning of a word in a table. A word that is not in the table is an error that names the argument and
  // its choices.
  template <class T>
  T word(const std::string& name, std::initializer_list<std::pair<const char*, T>> table) const {
    return meaning(name, text(name), table);
  }

  template <class T>
  static T meaning(const std::string& name, const std::string& word,
                   std::initializer_list<std::pair<const char*, T>> table) {
    std::string choices;
    for (const auto& entry : table) {
      if (word == entry.first) return entry.second;
      choices += (choices.empty() ? "\"" : ", \"") + std::string(entry.first) + "\"";
    }
    throw std::invalid_argument(name + ": is \"" + word + "\". Use one of " + choices + ".");
  }

 private:
  enum class Kind { numbers, words, group, function };
  struct Value {
    Kind kind;
    Mat numbers;
    std::vector<std::string> words;
    std::shared_ptr<Options> group;
    Function function;
  };
  const Value& value(const std::string& name, Kind kind) const;

  std::map<std::string, Value> values_;
};

}  // namespace zeronorm
