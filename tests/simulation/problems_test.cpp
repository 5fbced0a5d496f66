#include "simulation/problems.hpp"

#include <gtest/gtest.h>

#include "support/model_run.hpp"

namespace tieline::support {
namespace problems_test {

TEST(Problem, SeparatesAdviceFromWhatIsWrong) {
  const Problem expected = problem_of("there is no transport 'x'; expected tcp, auto");
  EXPECT_EQ(expected.text, "there is no transport 'x'");
  EXPECT_EQ(expected.advice, "expected tcp, auto");
  const Problem meant = problem_of("unknown element <Sprng> (did you mean 'Spring'?)", Severity::warning);
  EXPECT_EQ(meant.text, "unknown element <Sprng>");
  EXPECT_EQ(meant.advice, "did you mean 'Spring'?");
  EXPECT_EQ(meant.severity, Severity::warning);
  const Problem plain = problem_of("the mass is negative (in a <Repeat>)");
  EXPECT_EQ(plain.text, "the mass is negative (in a <Repeat>)");
  EXPECT_EQ(plain.advice, "");
  for (const char* message : {"a; expected b", "a (did you mean 'b'?)", "a (known: b, c)", "a", "a; b (c)"}) {
    EXPECT_EQ(problem_of(message).message(), message);
  }
}

TEST(Problem, OfAModelHasItsPlace) {
  const ModelFiles files(
      "<CompositeModel name=\"bad\"><Components><Component name=\"a\" kind=\"network\"><Network>\n"
      "<Sprng name=\"s\"/></Network></Component></Components>\n"
      "<Simulation stop=\"1\"/></CompositeModel>");
  try {
    (void)Simulation::load(files.path());
    FAIL() << "not refused";
  } catch (const ModelError& error) {
    ASSERT_FALSE(error.problems().empty());
    const Problem& first = error.problems().front();
    EXPECT_EQ(first.file, files.path());
    EXPECT_EQ(first.line, 2);
    EXPECT_EQ(first.column, 1);
    EXPECT_EQ(first.severity, Severity::error);
    EXPECT_NE(first.text.find("Sprng"), std::string::npos) << first.text;
    EXPECT_NE(first.advice.find("Spring"), std::string::npos) << first.advice;
    EXPECT_NE(std::string(error.what()).find(first.message()), std::string::npos) << error.what();
  }
}

TEST(Problem, OfAnOptionHasNoPlace) {
  const ModelFiles files(
      "<CompositeModel name=\"m\"><Components><Component name=\"a\" kind=\"network\"><Network><Mass name=\"m\" "
      "mass=\"1\"/></Network></Component></Components><Simulation stop=\"1\"/></CompositeModel>");
  Simulation simulation = Simulation::load(files.path());
  try {
    simulation.use_processes({.transport = "pigeon"});
    FAIL() << "not refused";
  } catch (const ModelError& error) {
    ASSERT_EQ(error.problems().size(), 1U);
    EXPECT_TRUE(error.problems().front().file.empty());
    EXPECT_TRUE(error.problems().front().advice.starts_with("expected ")) << error.problems().front().advice;
  }
  EXPECT_EQ(simulation.warnings().size(), simulation.warning_problems().size());
}

}  // namespace problems_test
}  // namespace tieline::support
