// Where the components of a run are placed, as --dry-run prints it.

#include "hosts/hosts.hpp"

namespace tieline::cli {
namespace hosts_test {

class Placing : public Hosts {
 protected:
  /// A report of an earlier run with these seconds of computing.
  void measure(const std::string& folder, const std::vector<std::pair<std::string, double>>& seconds) const {
    expect_success(tieline({"run", "model.xml", "--out", folder}));
    std::string report = support::text_of(path(folder) / "report.json");
    for (const auto& [name, value] : seconds) {
      const auto component = report.find("\"name\": \"" + name + "\"");
      ASSERT_NE(component, std::string::npos);
      const std::string field = "\"seconds_total\": ";
      const auto begin = report.find(field, component) + field.size();
      report.replace(begin, report.find_first_of(",\n", begin) - begin, fmt::format("{}", value));
    }
    write(folder + "/report.json", report);
  }
  /// The host of a component in the first table.
  [[nodiscard]] static std::string host_of(const std::string& table, const std::string& component) {
    const auto row = table.find("\n" + component + " ");
    if (row == std::string::npos) return "";
    const auto begin = table.find_first_not_of(' ', row + 1 + component.size());
    return table.substr(begin, table.find(' ', begin) - begin);
  }
  [[nodiscard]] std::string plan(const std::string& file, std::vector<std::string> more) const {
    std::vector<std::string> arguments{"run", "model.xml", "--dry-run", "--site", file};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = tieline(arguments);
    expect_success(outcome);
    return outcome.out;
  }
};

TEST_F(Placing, TheSlowestHostIsLeastLoaded) {
  write("model.xml", chain_model(0.1));
  measure("earlier", {{"first", 8.0}, {"second", 4.0}, {"third", 3.0}});
  const std::string file = site(
      "<Host name=\"here\" address=\"127.0.0.1\" cores=\"1\"/>\n"
      "<Host name=\"quick\" start=\"here\" address=\"127.0.0.2\" cores=\"2\" speed=\"2\"/>\n"
      "<Host name=\"slow\" start=\"here\" address=\"127.0.0.3\" cores=\"2\" speed=\"0.1\"/>\n");
  // 8 s take 4 s on the quick host; 4 s are as long here and 2 s there; 3 s are shorter here than on the slow one.
  const std::string chosen = plan(file, {"--place", "auto", "--costs", "earlier"});
  EXPECT_EQ(host_of(chosen, "first"), "quick") << chosen;
  EXPECT_EQ(host_of(chosen, "second"), "quick") << chosen;
  EXPECT_EQ(host_of(chosen, "third"), "here") << chosen;
  EXPECT_TRUE(holds(chosen, "chosen by cost")) << chosen;
  EXPECT_TRUE(holds(chosen, "Measured by the run in earlier")) << chosen;
  EXPECT_EQ(plan(file, {"--place", "auto", "--costs", "earlier"}), chosen) << "a plan is the same each time";
  // What is named is not chosen.
  const std::string named = plan(file, {"--place", "third=slow", "--place", "auto", "--costs", "earlier"});
  EXPECT_EQ(host_of(named, "third"), "slow") << named;
  EXPECT_TRUE(holds(named, "--place")) << named;
  // Without times all components count alike.
  const std::string alike = plan(file, {"--place", "auto", "--out", "none"});
  EXPECT_EQ(host_of(alike, "first"), "quick") << alike;
  EXPECT_FALSE(holds(alike, "Measured")) << alike;
  // Nobody asks for hosts: all stay here.
  EXPECT_EQ(host_of(plan(file, {}), "first"), "here");
  EXPECT_FALSE(std::filesystem::exists(path("model-results"))) << "nothing has run";
}

TEST_F(Placing, ThePlanIsWhatTheRunDoes) {
  write("model.xml", chain_model(0.1, " host=\"auto\""));
  const std::string file =
      site(fmt::format("<Host name=\"here\" address=\"127.0.0.1\" cores=\"1\" speed=\"0.5\"/>\n"
                       "<Host name=\"h2\" start=\"here\" address=\"127.0.0.2\" cores=\"4\" work_folder=\"{}\"/>\n",
                       path("work2").string()));
  EXPECT_EQ(host_of(plan(file, {}), "second"), "h2");
  expect_success(tieline({"run", "model.xml", "--site", file, "--out", "there"}));
  EXPECT_TRUE(std::filesystem::exists(path("there/processes/second.log")));
  // The report says where each was computed, so that times of quick hosts are not taken for those of slow ones.
  EXPECT_TRUE(holds(support::text_of(path("there/report.json")), "\"h2\""));
  expect_success(tieline({"run", "model.xml", "--site", file, "--place", "*=here", "--out", "here"}));
  expect_same_bits("here", "there");
  // A model with such a wish runs where there are no hosts, too.
  expect_success(tieline({"run", "model.xml", "--out", "alone"}, [&] {
    ::unsetenv("TIELINE_SITE");
    ::setenv("XDG_CONFIG_HOME", folder().c_str(), 1);
  }));
}

TEST_F(Placing, WhatDoesNotFitIsAnError) {
  write("model.xml", chain_model(0.1, " cores=\"8\" memory=\"3e9\""));
  const std::string file = site(
      "<Host name=\"here\" address=\"127.0.0.1\" cores=\"2\"/>\n"
      "<Host name=\"small\" start=\"here\" address=\"127.0.0.2\" cores=\"4\" memory=\"8e9\"/>\n"
      "<Host name=\"narrow\" start=\"here\" address=\"127.0.0.3\" cores=\"16\" memory=\"2e9\"/>\n");
  for (const char* wish : {"second=small", "second=narrow"}) {
    const Outcome named = tieline({"run", "model.xml", "--dry-run", "--site", file, "--place", wish});
    EXPECT_EQ(named.exit_code, 1);
    EXPECT_TRUE(holds(named.err, "'second' needs 8 cores and 3 GB, which host")) << named.err;
  }
  const Outcome chosen = tieline({"run", "model.xml", "--dry-run", "--site", file, "--place", "auto"});
  EXPECT_EQ(chosen.exit_code, 1);
  EXPECT_TRUE(holds(chosen.err, "which no host has left: here 2 cores, small 4 cores and 8 GB")) << chosen.err;
  const Outcome no_report =
      tieline({"run", "model.xml", "--dry-run", "--site", file, "--place", "auto", "--costs", "nowhere"});
  EXPECT_EQ(no_report.exit_code, 1);
  EXPECT_TRUE(holds(no_report.err, "'nowhere' is not the result folder of a run")) << no_report.err;
  const std::string reserved = site("<Host name=\"auto\" start=\"here\" address=\"127.0.0.2\"/>\n");
  const Outcome taken = tieline({"run", "model.xml", "--dry-run", "--site", reserved, "--place", "auto"});
  EXPECT_EQ(taken.exit_code, 1);
  EXPECT_TRUE(holds(taken.err, "a host cannot have the name 'auto'")) << taken.err;
}

TEST_F(Placing, ToolsHaveNoMoreUsersThanLicences) {
  const auto user = [](const std::string& name) {
    return fmt::format(
        "<Component name=\"{}\" kind=\"process\" tool=\"beast\"><Interface name=\"a\" "
        "domain=\"translation\"/></Component>\n",
        name);
  };
  write("model.xml", "<CompositeModel name=\"tools\"><Components>\n" + user("one") + user("two") + user("three") +
                         "</Components>\n<Simulation stop=\"1\"/></CompositeModel>\n");
  const std::string file = site("<Tool name=\"beast\" command=\"/bin/true\" licences=\"2\"/>\n");
  const Outcome outcome = tieline({"run", "model.xml", "--dry-run", "--site", file});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(holds(outcome.err, "component 'three' needs a licence of tool 'beast', which has 2")) << outcome.err;
}

}  // namespace hosts_test
}  // namespace tieline::cli
