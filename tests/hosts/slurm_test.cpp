// Runs and sweeps on a cluster with Slurm, where there is one with three idle nodes that see this machine's folders.
// Set SLURM_CONF for one that is not in /etc. Without any, only what needs no cluster is tried.

#include <fstream>

#include "hosts/hosts.hpp"

namespace tieline::cli {
namespace hosts_test {

class Slurm : public Hosts {
 protected:
  [[nodiscard]] Outcome call(const Process::Command& command) const {
    return Process(command, folder()).wait().value_or(Outcome{.err = "it does not end"});
  }
  /// Empty, or why there is none.
  [[nodiscard]] std::string obstacle() const {
    const Outcome nodes = call({"sinfo", "--noheader", "--states=idle", "--format=%D"});
    if (nodes.exit_code != 0) return "no Slurm: " + nodes.err;
    return std::atoi(nodes.out.c_str()) >= 3 ? "" : "fewer than three idle nodes";
  }
  [[nodiscard]] bool is_there(const std::string& file) const { return std::filesystem::exists(path(file)); }
};

TEST_F(Slurm, ARunOnThreeNodesHasTheSameBits) {
  if (const std::string why = obstacle(); !why.empty()) GTEST_SKIP() << why;
  write("model.xml", chain_model(0.3));
  expect_success(tieline({"run", "model.xml", "--out", "one"}));
  std::istringstream names(call({"sinfo", "--noheader", "--states=idle", "--Node", "--format=%N"}).out);
  std::string own, second, third;
  names >> own >> second >> third;
  const std::vector<std::string> places{"--place", "first=" + second, "--place", "third=" + third};
  const auto with_places = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), places.begin(), places.end());
    return arguments;
  };
  // From a machine outside of the job.
  const Outcome outside = tieline(with_places({"run", "model.xml", "--on", "slurm", "--nodes", "3", "--out", "three"}));
  expect_success(outside);
  EXPECT_TRUE(holds(outside.err, ": submitted")) << outside.err;
  EXPECT_TRUE(holds(outside.out, "Run of 'chain': done")) << outside.out;
  expect_same_bits("one", "three");
  EXPECT_TRUE(holds(support::text_of(path("three/report.json")), "\"host\"")) << "no component was elsewhere";
  // Within an allocation.
  const Outcome inside = call(with_places({"salloc", "--quiet", "--nodes=3", "--exclusive", TIELINE_PROGRAM, "run",
                                           "model.xml", "--on", "slurm", "--out", "inside"}));
  expect_success(inside);
  expect_same_bits("one", "inside");
  EXPECT_TRUE(holds(support::text_of(path("inside/report.json")), "\"host\"")) << "no component was elsewhere";
  for (const char* out : {"three", "inside"}) {
    for (const auto& entry : std::filesystem::directory_iterator(path(out) / "processes")) {
      EXPECT_NE(entry.path().extension(), ".letter") << "secrets are left in the results";
    }
  }
  // A model that is wrong does not wait for nodes.
  const Outcome wrong = tieline({"run", "model.xml", "--on", "slurm", "--set", "G=1"});
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_FALSE(holds(wrong.err, "submitted")) << wrong.err;
}

TEST_F(Slurm, ArraysOfCombinationsWithOneThatFails) {
  if (const std::string why = obstacle(); !why.empty()) GTEST_SKIP() << why;
  // The last of 64 combinations has a stiffness that no line may have.
  std::string model = chain_model(0.02);
  model.replace(model.find("stiffness=\"1e6\""), 15, "stiffness=\"{k}\"");
  const std::string parameter = "<Parameter name=\"F\"";
  model.insert(model.find(parameter), "<Parameter name=\"k\" value=\"1e6\"/>");
  write("model.xml", model);
  std::string list = "k,F\n";
  for (int i = 1; i <= 63; ++i) list += fmt::format("{}e5,{}\n", i, 10 * i);
  list += "1e6,{1e300*1e300}\n";
  write("list.csv", list);
  const std::vector<std::string> common{"sweep", "model.xml", "--list", "list.csv", "--measure", "third.body.position"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), common.begin(), common.end());
    return more;
  };
  const Outcome local = tieline(with({"--out", "local"}));
  const Outcome array = tieline(with({"--out", "array", "--on", "slurm"}));
  EXPECT_EQ(local.exit_code, 0) << local.err;
  EXPECT_EQ(array.exit_code, 0) << array.err;
  EXPECT_TRUE(holds(array.out, "63 of 64")) << array.out;
  // The tables differ by the times alone.
  const auto rows = [&](const char* folder) {
    std::ifstream in(path(folder) / "table.csv");
    std::string header, all;
    std::getline(in, header);
    std::size_t column = 0, time = 0;
    std::istringstream names(header);
    for (std::string name; std::getline(names, name, ','); ++column) {
      if (name.find("wall") != std::string::npos) time = column;
    }
    for (std::string line; std::getline(in, line);) {
      std::istringstream cells(line);
      column = 0;
      for (std::string cell; std::getline(cells, cell, ','); ++column) {
        if (column != time && column < time + 1) all += cell + ",";
      }
      all += "\n";
    }
    return all;
  };
  EXPECT_EQ(rows("local"), rows("array"));
  // All are finished: nothing is computed again.
  const Outcome again = tieline(with({"--out", "array", "--on", "slurm", "--resume"}));
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_TRUE(holds(again.out, "64 of them earlier") || holds(again.out, "63 of them earlier")) << again.out;
}

TEST_F(Slurm, NeedsItsProgramsAndAnAllocation) {
  write("model.xml", chain_model(0.1));
  std::filesystem::create_directories(path("empty"));
  const Outcome absent = tieline({"run", "model.xml", "--on", "slurm"}, [&] {
    ::setenv("PATH", path("empty").c_str(), 1);
    ::unsetenv("SLURM_JOB_ID");
  });
  EXPECT_EQ(absent.exit_code, 2);
  EXPECT_TRUE(holds(absent.err, "Slurm is not installed here")) << absent.err;
  EXPECT_EQ(tieline({"run", "model.xml", "--on", "torque"}).exit_code, 3);
  EXPECT_EQ(tieline({"run", "model.xml", "--nodes", "3"}).exit_code, 3);
  const std::string strange = site("<Slurm partition=\"a b\" nodes=\"0\"/>\n");
  const Outcome wrong =
      tieline({"run", "model.xml", "--on", "slurm", "--site", strange}, [] { ::unsetenv("SLURM_JOB_ID"); });
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_TRUE(holds(wrong.err, "'a b' is not one word")) << wrong.err;
  EXPECT_TRUE(holds(wrong.err, "'0' is not a whole number of at least 1")) << wrong.err;
}

}  // namespace hosts_test
}  // namespace tieline::cli
