// Exchanges that are one step late: what is said of them before the run, and what the run then does.

#include <gtest/gtest.h>

#include "studies/advise.hpp"
#include "support/model_run.hpp"

namespace tieline::support {
namespace layers_exchange_test {

/// 1 kg that leads the end of a stiff spring, along one axis or in space.
std::string pair(bool is_in_space, double step, const std::string& connection, const std::string& layers) {
  const char* const along =
      "<Component name=\"a\" kind=\"network\" solver=\"rk4\" step=\"{0}\"><Network><Mass name=\"m\" mass=\"1\"/>"
      "<Interface name=\"end\" node=\"m\"/></Network></Component><Component name=\"b\" kind=\"network\" solver=\"rk4\" "
      "step=\"{0}\"><Network><Node name=\"n\"/><Mass name=\"m\" mass=\"1000\" velocity=\"0.3\"/><Spring name=\"k\" "
      "from=\"n\" to=\"m\" stiffness=\"1e6\"/><Interface name=\"end\" node=\"n\" causality=\"motion\"/></Network>"
      "</Component>";
  const char* const space =
      "<Component name=\"a\" kind=\"multibody\" solver=\"rk4\" step=\"{0}\"><Multibody><Body name=\"m\" mass=\"1\" "
      "inertia=\"1, 1, 1\"/><Interface name=\"end\" frame=\"m\"/></Multibody></Component><Component name=\"b\" "
      "kind=\"multibody\" solver=\"rk4\" step=\"{0}\"><Multibody><Frame name=\"n\"/><Body name=\"m\" mass=\"1000\" "
      "inertia=\"1, 1, 1\" velocity=\"0.3, 0, 0\"/><Tie name=\"k\" from=\"n\" to=\"m\" stiffness=\"1e6, 1e6, 1e6, 10, "
      "10, 10\"/><Interface name=\"end\" frame=\"n\" causality=\"motion\"/></Multibody></Component>";
  return fmt::format(
      "<CompositeModel name=\"stiff\"><Components>{}</Components><Connections><Connection name=\"c\" from=\"a.end\" "
      "to=\"b.end\" coupling=\"sampled\" {}/></Connections>{}<Simulation stop=\"0.2\"/></CompositeModel>",
      fmt::format(fmt::runtime(is_in_space ? space : along), step), connection, layers);
}

std::vector<std::string> warnings_on(const std::filesystem::path& file) {
  document::Diagnostics diagnostics;
  const auto checked = assembly::check_model(file, {}, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << diagnostics.describe();
  const auto advice = studies::advise(*checked, diagnostics);
  EXPECT_TRUE(advice.has_value()) << diagnostics.describe();
  return advice ? advice->connections.front().warnings : std::vector<std::string>{};
}

std::vector<std::string> warnings_of(const std::string& text) { return warnings_on(ModelFiles(text).path()); }

class LateExchanges : public testing::TestWithParam<bool> {};

TEST_P(LateExchanges, AreNamedBeforeTheRunWithTheirGrowthAndFailInIt) {
  // sqrt(1e6 N/m / 1 kg) in steps of 0.3 ms.
  const std::string naive = pair(GetParam(), 3e-4, "schedule=\"jacobi\" step=\"3e-4\"", "");
  const auto warnings = warnings_of(naive);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("grow by a factor of 1.09 per step if both sides are one step late"), std::string::npos)
      << warnings[0];
  EXPECT_NE(warnings[0].find("would be unstable: use schedule=\"layers\" with first=\"from\", so that 'a' steps first"),
            std::string::npos)
      << warnings[0];
  EXPECT_EQ(run_text(naive).report.verdict, results::Verdict::wrong);
  // What it recommends.
  const std::string ordered = pair(GetParam(), 3e-4, "first=\"from\"", "<Layers/>");
  EXPECT_TRUE(warnings_of(ordered).empty());
  EXPECT_EQ(run_text(ordered).report.verdict, results::Verdict::trust);
}

INSTANTIATE_TEST_SUITE_P(Cases, LateExchanges, testing::Bool(),
                         [](const auto& each) { return each.param ? "InSpace" : "AlongAnAxis"; });

TEST(LateExchangesOfTrains, AreNamedBeforeTheRun) {
  const std::string folder = std::string(TIELINE_SOURCE_DIR) + "/examples/train-meeting/";
  EXPECT_TRUE(warnings_on(folder + "meeting.xml").empty());
  std::string text = text_of(folder + "meeting.xml");
  const auto replace = [&](const std::string& what, const std::string& by) {
    ASSERT_NE(text.find(what), text.npos);
    for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + by.size())) {
      text.replace(at, what.size(), by);
    }
  };
  replace("coupling=\"sampled\"", "coupling=\"sampled\" schedule=\"jacobi\" step=\"5e-5\"");
  replace("<Layers tolerance=\"1e-4\"/>", "");
  replace("../train-crosswind/", std::string(TIELINE_SOURCE_DIR) + "/examples/train-crosswind/");
  const auto warnings = warnings_of(text);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("so that 'track' steps first and 'vehicle' uses its motion of the same time"),
            std::string::npos)
      << warnings[0];
}

}  // namespace layers_exchange_test
}  // namespace tieline::support
