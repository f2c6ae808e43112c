// Tests named values and the methods that read them.
#include "methods/options.h"

#include <testthat/vendor/catch.h>

#include "methods/fitting.h"

using namespace zeronorm;

namespace {

Options some_options() {
  Options options;
  options.set("share", Mat::Constant(1, 1, 0.25));
  options.set("columns", (Mat(3, 1) << 1, 4, 2).finished());
  options.set("kind", std::vector<std::string>{"exp"});
  Options inner;
  inner.set("depth", Mat::Constant(1, 1, 3));
  options.set("tree", inner);
  options.set("twice", [](const Vec& v) { return Mat(2 * v); });
  return options;
}

std::string message_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("options are read by name and kind") {
  const Options options = some_options();
  CHECK(options.number("share") == 0.25);
  CHECK(options.indices("columns") == IndexList({0, 3, 1}));
  CHECK(options.indices("nothing").empty());
  CHECK(options.group("tree").count("depth") == 3);
  CHECK(options.function("twice")(Vec::Ones(2)) == Mat(Vec::Constant(2, 2)));
  CHECK(options.word<int>("kind", {{"log", 1}, {"exp", 2}}) == 2);
  CHECK(!options.has("nothing"));
}

TEST_CASE("what is missing, of another kind or an unknown word is an error with the name") {
  const Options options = some_options();
  CHECK(message_of([&] { options.number("nothing"); }) == "nothing: is missing.");
  CHECK(message_of([&] { options.text("share"); }) == "share: is not of the kind that is needed.");
  CHECK(message_of([&] { options.number("columns"); }) == "columns: has more or less than one value.");
  CHECK(message_of([&] {
          options.word<int>("kind", {{"log", 1}, {"l1", 2}});
        }) == "kind: is \"exp\". Use one of \"log\", \"l1\".");
}

TEST_CASE("a method that nobody made is an error with the choices") {
  const std::string text = message_of([] { make_method("nonsense", Options(), CommonOptions()); });
  CHECK(text.find("'nonsense'") != std::string::npos);
  for (const std::string& name : method_names()) CHECK(text.find(name) != std::string::npos);
}
