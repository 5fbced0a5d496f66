// Runs whose components are computed on several hosts: addresses of this machine, and machines made of network
// namespaces, which are reached by ssh.

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cli/program.hpp"
#include "results/reader.hpp"

namespace tieline::cli {
namespace hosts_test {

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Three bodies in a row, each with a solver of its own.
std::string chain_model(double stop, const std::string& of_second = "") {
  const auto body = [](const std::string& name, double mass, const std::string& more, const std::string& rest) {
    std::string interfaces;
    for (const char* end : {"left", "right"}) {
      if (!holds(rest, std::string("no ") + end))
        interfaces += fmt::format("<Interface name=\"{}\" node=\"body\"/>", end);
    }
    return fmt::format(
        "<Component name=\"{}\" kind=\"network\"{}><Network><Mass name=\"body\" mass=\"{}\"/>{}{}</Network>"
        "</Component>\n",
        name, more, mass, interfaces,
        holds(rest, "load") ? "<Load name=\"push\" node=\"body\" "
                              "force=\"{F*sin(300*t)}\"/>"
                            : "");
  };
  return "<CompositeModel name=\"chain\">\n<Parameters><Parameter name=\"F\" "
         "value=\"100\"/></Parameters>\n<Components>\n" +
         body("first", 1.0, "", "no left load") + body("second", 2.0, of_second, "") +
         body("third", 3.0, "", "no right") +
         "</Components>\n<Connections>\n"
         "<Connection name=\"ab\" from=\"first.right\" to=\"second.left\" coupling=\"line\" stiffness=\"1e6\" "
         "delay=\"1e-3\"/>\n"
         "<Connection name=\"bc\" from=\"second.right\" to=\"third.left\" coupling=\"line\" stiffness=\"2e6\" "
         "delay=\"1e-3\"/>\n"
         "</Connections>\n<Simulation stop=\"" +
         fmt::format("{}", stop) + "\"/>\n</CompositeModel>\n";
}

class Hosts : public testing::Test, protected Workplace {
 protected:
  Hosts() { ::unsetenv("TIELINE_SSH"); }

  [[nodiscard]] std::string site(const std::string& hosts) const {
    return write("site.xml", "<Site break_deadline=\"20\">\n" + hosts + "</Site>\n").string();
  }
  /// Hosts that are other addresses of this machine.
  [[nodiscard]] std::string loopback_site() const {
    std::string hosts = "<Host name=\"here\" address=\"127.0.0.1\"/>\n";
    for (int i = 2; i <= 3; ++i) {
      hosts += fmt::format("<Host name=\"h{}\" start=\"here\" address=\"127.0.0.{}\" work_folder=\"{}\"/>\n", i, i,
                           path(fmt::format("work{}", i)).string());
    }
    return site(hosts);
  }
  void expect_same_bits(const std::string& first, const std::string& second) const {
    const auto one = results::ResultReader::open(path(first)), two = results::ResultReader::open(path(second));
    ASSERT_TRUE(one && two);
    ASSERT_FALSE(one->tables().empty());
    ASSERT_EQ(one->tables().size(), two->tables().size());
    for (std::size_t i = 0; i < one->tables().size(); ++i) {
      const auto rows = one->rows(i), others = two->rows(i);
      ASSERT_TRUE(rows && others);
      EXPECT_GT(*rows, 10U);
      EXPECT_EQ(*rows, *others) << one->tables()[i].owner;
      const auto x = one->read_rows(i, {0, *rows}), y = two->read_rows(i, {0, *others});
      ASSERT_TRUE(x && y);
      EXPECT_EQ(*x, *y) << one->tables()[i].owner;
    }
  }
  /// Files of runs that a host still has.
  [[nodiscard]] std::size_t left_at(int host) const {
    std::error_code failure;
    const auto runs = path(fmt::format("work{}", host)) / "runs";
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(runs, failure)) count += entry.exists() ? 1 : 0;
    return failure ? 1000 : count;
  }
  static void expect_success(const Outcome& outcome) { EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err; }
};

TEST_F(Hosts, ResultsAreTheSameBitsWhereverComponentsAre) {
  write("model.xml", chain_model(0.3));
  expect_success(tieline({"run", "model.xml", "--out", "one"}));
  const std::string file = loopback_site();
  using Arguments = std::vector<std::string>;
  const std::vector<Arguments> placements{
      {"--place", "first=h2"},
      {"--place", "first=h2", "--place", "third=h3"},
      {"--place", "*=h2", "--place", "second=here"},
      {"--place", "second=h3", "--place", "*=h2"},
      {"--place", "first=h2", "--place", "second=h3", "--routing", "master"},
      {"--place", "second=h3", "--isolate"},
  };
  for (std::size_t i = 0; i < placements.size(); ++i) {
    const std::string out = fmt::format("several{}", i);
    Arguments arguments{"run", "model.xml", "--site", file, "--out", out};
    arguments.insert(arguments.end(), placements[i].begin(), placements[i].end());
    SCOPED_TRACE(out);
    expect_success(tieline(arguments));
    expect_same_bits("one", out);
    for (const auto& entry : std::filesystem::directory_iterator(path(out) / "processes")) {
      EXPECT_NE(entry.path().extension(), ".letter") << "secrets are left in the results";
    }
  }
  EXPECT_EQ(left_at(2), 0U);
  EXPECT_EQ(left_at(3), 0U);
}

TEST_F(Hosts, TheModelNamesItsHostsAndAllOfItsFilesGoThere) {
  std::filesystem::create_directories(path("parts"));
  write("parts/second.xml",
        "<Network><Mass name=\"body\" mass=\"2\"/><Interface name=\"left\" node=\"body\"/>"
        "<Interface name=\"right\" node=\"body\"/></Network>");
  std::string model = chain_model(0.1, " host=\"h2\"");
  const auto begin = model.find("<Network><Mass name=\"body\" mass=\"2\"/>");
  const auto end = model.find("</Component>", begin);
  model.replace(begin, end - begin, "");
  const auto tag = model.find(" host=\"h2\"");
  model.insert(tag, " file=\"parts/second.xml\"");
  write("model.xml", model);
  const std::string file = loopback_site();
  expect_success(tieline({"run", "model.xml", "--site", file, "--out", "there"}));
  // What is asked for counts before what the model states.
  expect_success(tieline({"run", "model.xml", "--site", file, "--place", "*=here", "--out", "here"}));
  expect_same_bits("here", "there");
  EXPECT_TRUE(std::filesystem::exists(path("there/processes/second.log")));
  EXPECT_FALSE(std::filesystem::exists(path("here/processes/second.log")));
}

TEST_F(Hosts, WhatCannotBeIsReportedBeforeAnythingStarts) {
  write("model.xml", chain_model(0.1, " host=\"hh2\""));
  const std::string file = loopback_site();
  const Outcome unknown = tieline({"run", "model.xml", "--site", file, "--place", "thrid=h2"});
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_TRUE(holds(unknown.err, "there is no host 'hh2'")) << unknown.err;
  EXPECT_TRUE(holds(unknown.err, "did you mean 'h2'?")) << unknown.err;
  EXPECT_TRUE(holds(unknown.err, "there is no component 'thrid'")) << unknown.err;
  EXPECT_TRUE(holds(unknown.err, "did you mean 'third'?")) << unknown.err;
  write("plain.xml", chain_model(0.1));
  const Outcome nonsense = tieline({"run", "plain.xml", "--site", file, "--place", "third"});
  EXPECT_TRUE(holds(nonsense.err, "expected component=host")) << nonsense.err;
  const std::string lonely = site(
      "<Host name=\"far\" address=\"127.0.0.2\"/><Host name=\"queue\" start=\"slurm\" "
      "address=\"127.0.0.3\"/>");
  const Outcome unreachable = tieline({"run", "plain.xml", "--site", lonely, "--place", "first=far"});
  EXPECT_EQ(unreachable.exit_code, 1);
  EXPECT_TRUE(holds(unreachable.err, "<Host name=\"here\" address=\"...\"/>")) << unreachable.err;
  const std::string queue = site(
      "<Host name=\"here\" address=\"127.0.0.1\"/><Host name=\"queue\" start=\"slurm\" "
      "address=\"127.0.0.3\"/>");
  const Outcome no_way = tieline({"run", "plain.xml", "--site", queue, "--place", "first=queue"});
  EXPECT_EQ(no_way.exit_code, 1);
  EXPECT_TRUE(holds(no_way.err, "start=\"slurm\"")) << no_way.err;
}

TEST_F(Hosts, AHostWithoutTheProgramOrWithAPasswordIsNamed) {
  write("model.xml", chain_model(0.1));
  const std::string file =
      site("<Host name=\"here\" address=\"127.0.0.1\"/><Host name=\"big\" address=\"127.0.0.2\"/>");
  // What the system's client says where a password would be needed, and where there is no such program.
  write("deny", "#!/bin/sh\necho \"$*\" > asked\necho 'Permission denied (publickey,password).' >&2\nexit 255\n");
  write("lack", "#!/bin/sh\necho 'env: tieline: No such file or directory' >&2\nexit 127\n");
  for (const char* script : {"deny", "lack"}) {
    std::filesystem::permissions(path(script), std::filesystem::perms::owner_all);
    const Outcome outcome = tieline({"run", "model.xml", "--site", file, "--place", "third=big", "--out", "out"},
                                    [&] { ::setenv("TIELINE_SSH", path(script).c_str(), 1); });
    EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
    EXPECT_TRUE(holds(outcome.err, "'third'")) << outcome.err;
    EXPECT_TRUE(holds(outcome.err, "its program (on host 'big') ended with exit code")) << outcome.err;
    EXPECT_TRUE(holds(outcome.err, *script == 'd' ? "Permission denied" : "tieline: No such file")) << outcome.err;
  }
  // It may never ask anybody.
  EXPECT_TRUE(holds(support::text_of(path("asked")), "-o BatchMode=yes"));
  EXPECT_TRUE(holds(support::text_of(path("asked")), "-- 127.0.0.2 exec env TIELINE_LETTER=- 'tieline' runner"));
}

/// Machines of network namespaces on one cable, with ssh. They go with this object.
class Machines {
 public:
  explicit Machines(const Workplace& place, const std::filesystem::path& folder) : folder_(folder) {
    (void)place;
    id_ = fmt::format("tl{}", ::getpid());
  }
  ~Machines() { (void)run("down"); }
  /// Empty, or why there are none.
  std::string up() { return run("up"); }
  [[nodiscard]] std::string name(int number) const { return fmt::format("{}n{}", id_, number); }
  [[nodiscard]] static std::string address(int number) { return fmt::format("10.201.7.{}", number); }
  [[nodiscard]] std::filesystem::path client() const { return folder_ / "ssh_config"; }

 private:
  std::string run(const std::string& what) const {
    const std::string script = TIELINE_SOURCE_DIR "/tests/hosts/machines.sh";
    Process process({"/bin/bash", script, what, id_, folder_.string()}, folder_);
    const auto outcome = process.wait();
    if (!outcome) return "machines.sh does not end";
    return outcome->exit_code == 0 ? "" : outcome->out + outcome->err + "?";
  }

  std::filesystem::path folder_;
  std::string id_;
};

TEST_F(Hosts, MachinesThatAreReachedBySsh) {
  Machines machines(*this, folder());
  if (const std::string why = machines.up(); !why.empty()) GTEST_SKIP() << "no network namespaces with ssh: " << why;
  std::string hosts = fmt::format("<Host name=\"here\" address=\"{}\"/>\n", Machines::address(1));
  for (int i = 2; i <= 3; ++i) {
    hosts += fmt::format("<Host name=\"h{}\" address=\"{}\" login=\"root@{}\" work_folder=\"{}\" program=\"{}\"/>\n", i,
                         Machines::address(i), Machines::address(i), path(fmt::format("work{}", i)).string(),
                         TIELINE_PROGRAM);
  }
  const std::string file = site(hosts);
  write("model.xml", chain_model(0.3));
  expect_success(tieline({"run", "model.xml", "--out", "one"}));
  const auto run_there = [&](const std::vector<std::string>& more) {
    Process::Command command{"ip",        "netns",  "exec", machines.name(1), TIELINE_PROGRAM, "run",
                             "model.xml", "--site", file};
    command.insert(command.end(), more.begin(), more.end());
    Process process(command, folder(),
                    [&] { ::setenv("TIELINE_SSH", fmt::format("ssh -F {}", machines.client().string()).c_str(), 1); });
    const auto outcome = process.wait();
    return outcome.value_or(Outcome{.err = "it does not end"});
  };
  expect_success(run_there({"--place", "first=h2", "--place", "third=h3", "--out", "direct"}));
  expect_same_bits("one", "direct");
  expect_success(run_there({"--place", "*=h2", "--place", "second=h3", "--out", "all"}));
  expect_same_bits("one", "all");
  expect_success(run_there({"--place", "*=h3", "--routing", "master", "--out", "routed"}));
  expect_same_bits("one", "routed");
  EXPECT_EQ(left_at(2), 0U);
  EXPECT_EQ(left_at(3), 0U);
  // What went over the cable says nothing.
  const std::string seen = support::text_of(path("capture"));
  if (!seen.empty()) {
    EXPECT_GT(seen.size(), 10'000U);
    for (const char* word : {"TIELINE", "CompositeModel", "second", "stiffness"})
      EXPECT_FALSE(holds(seen, word)) << word;
  }
  // A key that the host does not know: refused at once, since nobody can be asked for a password.
  std::filesystem::remove(path("client_key"));
  const Outcome refused = run_there({"--place", "first=h2", "--out", "refused"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_TRUE(holds(refused.err, "'first'") && holds(refused.err, "(on host 'h2')")) << refused.err;
  EXPECT_TRUE(holds(refused.err, "Permission denied")) << refused.err;
}

}  // namespace hosts_test
}  // namespace tieline::cli
