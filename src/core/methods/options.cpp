#include "methods/options.h"

#include <stdexcept>

namespace zeronorm {

void Options::set(const std::string& name, Mat numbers) {
  values_[name] = {Kind::numbers, std::move(numbers), {}, nullptr, nullptr};
}

void Options::set(const std::string& name, std::vector<std::string> words) {
  values_[name] = {Kind::words, Mat(), std::move(words), nullptr, nullptr};
}

void Options::set(const std::string& name, Options group) {
  values_[name] = {Kind::group, Mat(), {}, std::make_shared<Options>(std::move(group)), nullptr};
}

void Options::set(const std::string& name, Function function) {
  values_[name] = {Kind::function, Mat(), {}, nullptr, std::move(function)};
}

const Options::Value& Options::value(const std::string& name, Kind kind) const {
  const auto found = values_.find(name);
  if (found == values_.end()) throw std::invalid_argument(name + ": is missing.");
  if (found->second.kind != kind) throw std::invalid_argument(name + ": is not of the kind that is needed.");
  return found->second;
}

double Options::number(const std::string& name) const {
  const Mat& numbers = matrix(name);
  if (numbers.size() != 1) throw std::invalid_argument(name + ": has more or less than one value.");
  return numbers(0, 0);
}

const Mat& Options::matrix(const std::string& name) const { return value(name, Kind::numbers).numbers; }

Vec Options::numbers(const std::string& name) const {
  const Mat& numbers = matrix(name);
  return Eigen::Map<const Vec>(numbers.data(), numbers.size());
}

IndexList Options::indices(const std::string& name) const {
  IndexList list;
  if (!has(name)) return list;
  const Mat& numbers = matrix(name);
  for (Index k = 0; k < numbers.size(); ++k) list.push_back(static_cast<Index>(numbers.data()[k]) - 1);
  return list;
}

std::vector<int> Options::integers(const std::string& name) const {
  const Mat& numbers = matrix(name);
  std::vector<int> list;
  for (Index k = 0; k < numbers.size(); ++k) list.push_back(static_cast<int>(numbers.data()[k]));
  return list;
}

const std::string& Options::text(const std::string& name) const {
  const auto& words = value(name, Kind::words).words;
  if (words.size() != 1) throw std::invalid_argument(name + ": has more or less than one word.");
  return words[0];
}

const Options& Options::group(const std::string& name) const { return *value(name, Kind::group).group; }

const Options::Function& Options::function(const std::string& name) const {
  return value(name, Kind::function).function;
}

std::vector<std::string> Options::names() const {
  std::vector<std::string> all;
  for (const auto& entry : values_) all.push_back(entry.first);
  return all;
}

}  // namespace zeronorm
