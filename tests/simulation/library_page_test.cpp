// What the page on the library shows of live inputs is run here: its block of code is the one in the function below.

#include <cmath>
#include <gtest/gtest.h>

#include "support/model_run.hpp"

namespace tieline::support {
namespace library_page_test {

// clang-format off
tieline::Simulation run_as_shown() {
// shown: begin
auto simulation = tieline::Simulation::load("model.xml");
simulation.open_input("body.end");
for (int i = 0; i < 100; ++i) {
  const double position = simulation.time() > 0.0 ? simulation.get("body.body.position") : 0.0;
  simulation.set_input("body.end", -200.0 * position + 5.0);  // [N], until the next call
  simulation.advance_to(0.01 * (i + 1));
}
// shown: end
return simulation;
}
// clang-format on

/// What lies between two marks that follow each other; empty if they are not there.
std::string between(const std::string& text, const std::string& first, const std::string& last) {
  const std::size_t begin = text.find(first);
  if (begin == std::string::npos) return "";
  const std::size_t end = text.find(last, begin + first.size());
  return end == std::string::npos ? "" : text.substr(begin + first.size(), end - begin - first.size());
}

TEST(LibraryPage, ShowsTheLiveInputsThatAreRunHere) {
  const std::string mark = "// shown: ";
  const std::string source = between(text_of(TIELINE_SOURCE_DIR "/tests/simulation/library_page_test.cpp"),
                                     "\n" + mark + "begin\n", mark + "end");
  const std::string page = text_of(TIELINE_SOURCE_DIR "/docs/library.md");
  ASSERT_NE(page.find("### Live inputs"), std::string::npos);
  ASSERT_NE(source, "");
  EXPECT_EQ(between(page.substr(page.find("### Live inputs")), "```cpp\n", "```"), source);
}

// A force that is held for h between looks at the position: x'' = (5 - 200 x_i) / m, step by step in closed form.
TEST(LibraryPage, LiveInputsDoWhatItSays) {
  const ModelFiles files(
      "<CompositeModel name=\"m\"><Components><Component name=\"body\" kind=\"network\"><Network><Mass name=\"body\" "
      "mass=\"2\"/><Interface name=\"end\" node=\"body\"/></Network></Component></Components><Simulation stop=\"1\"/>"
      "</CompositeModel>");
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(files.path().parent_path());
  const Simulation simulation = run_as_shown();
  std::filesystem::current_path(before);
  double x = 0.0, v = 0.0;
  constexpr double h = 0.01;
  for (int i = 0; i < 100; ++i) {
    const double a = (-200.0 * x + 5.0) / 2.0;
    x += h * (v + 0.5 * h * a), v += h * a;
  }
  EXPECT_NEAR(simulation.time(), 1.0, 1e-12);
  EXPECT_NEAR(simulation.get("body.body.position"), x, 1e-9);
  EXPECT_NEAR(simulation.get("body.body.velocity"), v, 1e-8);
}

}  // namespace library_page_test
}  // namespace tieline::support
