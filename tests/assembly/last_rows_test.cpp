#include "assembly/last_rows.hpp"

#include <gtest/gtest.h>

#include "support/model_run.hpp"

namespace tieline::support {
namespace last_rows_test {

std::string component(const std::string& name, const std::string& network) {
  return fmt::format("<Component name=\"{}\" kind=\"network\"><Network>{}</Network></Component>", name, network);
}

/// A mass on a spring, x = sin(10 t) / 10, and another one that is joined to a mass, or to one on a spring.
std::string model(const std::string& connection, const std::string& simulation) {
  const std::string held =
      "<Ground name=\"g\"/><Mass name=\"m\" mass=\"1\" velocity=\"1\"/><Spring name=\"k\" from=\"g\" to=\"m\" "
      "stiffness=\"100\"/>";
  const bool is_sampled = connection.find("sampled") != std::string::npos;
  const std::string partner =
      is_sampled ? "<Node name=\"n\"/><Mass name=\"m\" mass=\"0.5\"/><Spring name=\"k\" from=\"n\" to=\"m\" "
                   "stiffness=\"50\"/><Interface name=\"end\" node=\"n\" causality=\"motion\"/>"
                 : "<Mass name=\"m\" mass=\"0.5\" velocity=\"1\"/><Interface name=\"end\" node=\"m\"/>";
  return fmt::format(
      "<CompositeModel name=\"m\"><Components>{}{}{}</Components><Connections>{}</Connections><Simulation {}/>"
      "</CompositeModel>",
      component("free", held), component("a", held + "<Interface name=\"end\" node=\"m\"/>"), component("b", partner),
      connection, simulation);
}

const std::string kLine =
    "<Connection name=\"j\" from=\"a.end\" to=\"b.end\" coupling=\"line\" stiffness=\"1e5\" delay=\"1e-3\"/>";
const std::string kSampled =
    "<Connection name=\"j\" from=\"a.end\" to=\"b.end\" coupling=\"sampled\" schedule=\"jacobi\" step=\"1e-3\"/>";
const std::string kGlue = "<Connection name=\"j\" from=\"a.end\" to=\"b.end\" coupling=\"glue\"/>";

// Intervals that the run's length is no multiple of, and one that is longer than the run.
TEST(LastRows, TheStateAtTheEndIsRecordedWhateverTheInterval) {
  for (const std::string& connection : {kLine, kSampled, kGlue}) {
    for (const double interval : {0.3, 7e-3, 5.0}) {
      const ModelFiles files(model(
          connection, fmt::format("stop=\"1\" step=\"1e-3\" tolerance=\"1e-10\" write_interval=\"{}\"", interval)));
      const TemporaryFolder folder;
      Simulation simulation = Simulation::load(files.path());
      simulation.record_to(folder.path());
      simulation.advance_to(1.0);
      const auto present = present_values(simulation);
      simulation.finish();
      const RunRecord run = read_run(folder.path());
      ASSERT_GT(run.series.size(), 10U);
      for (const auto& [name, series] : run.series) {
        EXPECT_EQ(series.times.back(), 1.0) << name << ", every " << interval;
        EXPECT_EQ(series.values.back(), present.at(name)) << name << ", every " << interval;
        for (std::size_t i = 1; i < series.times.size(); ++i) EXPECT_LT(series.times[i - 1], series.times[i]) << name;
      }
      EXPECT_NEAR(run.values("free.m.position").back(), 0.1 * std::sin(10.0), 1e-8);
      EXPECT_NEAR(run.values("free.m.velocity").back(), std::cos(10.0), 1e-7);
    }
  }
}

TEST(LastRows, ARowThatIsThereIsNotWrittenTwice) {
  for (const double interval : {0.1, 0.05, 1.0 / 3.0}) {
    const RunRecord run = run_text(model(kLine, fmt::format("stop=\"1\" write_interval=\"{:.17g}\"", interval)));
    EXPECT_EQ(run.times("free.m.position").size(), static_cast<std::size_t>(std::lround(1.0 / interval)) + 1);
  }
}

// Where the run was ended, not where the model would have stopped.
TEST(LastRows, ARunThatIsEndedEarlierHasItsLastState) {
  const ModelFiles files(model(kLine, "stop=\"1\" write_interval=\"0.3\""));
  const TemporaryFolder folder;
  Simulation simulation = Simulation::load(files.path());
  simulation.record_to(folder.path());
  simulation.advance_to(0.4);
  simulation.finish();
  const RunRecord run = read_run(folder.path());
  EXPECT_EQ(run.times("free.m.position"), (std::vector<double>{0.0, 0.3, 0.4}));
}

}  // namespace last_rows_test
}  // namespace tieline::support
