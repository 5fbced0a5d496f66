// Runs whose components are computed on several hosts: addresses of this machine, and machines made of network
// namespaces, which are reached by ssh.

#include "hosts/hosts.hpp"

namespace tieline::cli {
namespace hosts_test {

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
  const Outcome no_way =
      tieline({"run", "plain.xml", "--site", queue, "--place", "first=queue"}, [] { ::unsetenv("SLURM_JOB_ID"); });
  EXPECT_EQ(no_way.exit_code, 1);
  EXPECT_TRUE(holds(no_way.err, "'queue' is a node of Slurm")) << no_way.err;
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
  const auto start_there = [&](std::vector<std::string> arguments) {
    Process::Command command{"ip", "netns", "exec", machines.name(1), TIELINE_PROGRAM};
    command.insert(command.end(), arguments.begin(), arguments.end());
    command.insert(command.end(), {"--site", file});
    return std::make_unique<Process>(command, folder(), [&] {
      ::setenv("TIELINE_SSH", fmt::format("ssh -F {}", machines.client().string()).c_str(), 1);
    });
  };
  const auto call_there = [&](const std::vector<std::string>& arguments) {
    return start_there(arguments)->wait().value_or(Outcome{.err = "it does not end"});
  };
  const auto run_there = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"run", "model.xml"});
    return call_there(more);
  };
  // Both can be used as the site file says.
  const Outcome checked = call_there({"site", "check"});
  expect_success(checked);
  EXPECT_TRUE(checked.err.empty()) << checked.err;
  for (const char* name : {"h2", "h3"}) {
    const auto row = checked.out.find(name);
    ASSERT_NE(row, std::string::npos) << checked.out;
    EXPECT_TRUE(holds(checked.out.substr(row, checked.out.find('\n', row) - row), "ready")) << checked.out;
  }
  // Chosen by the run: as many components for each as it has cores, and the same bits.
  expect_success(run_there({"--place", "auto", "--out", "chosen"}));
  expect_same_bits("one", "chosen");
  expect_success(run_there({"--place", "first=h2", "--place", "third=h3", "--out", "direct"}));
  expect_same_bits("one", "direct");
  expect_success(run_there({"--place", "*=h2", "--place", "second=h3", "--out", "all"}));
  expect_same_bits("one", "all");
  expect_success(run_there({"--place", "*=h3", "--routing", "master", "--out", "routed"}));
  expect_same_bits("one", "routed");
  // A cable that is pulled while the run is under way, and put back once the silence deadline is over: nothing is lost.
  write("long.xml", chain_model(60.0));
  const auto cable = [&](const char* state) {
    Process change({"ip", "-n", machines.name(1), "link", "set", "plug2", state}, folder());
    const auto done = change.wait();
    return done && done->exit_code == 0;
  };
  const auto has_begun = [&](const char* out) {
    return [this, out] {
      const std::string progress = support::text_of(path(out) / "progress.json");
      const auto windows = progress.find("\"windows\": ");
      return windows != std::string::npos && std::atoll(progress.c_str() + windows + 11) > 1000;
    };
  };
  expect_success(tieline({"run", "long.xml", "--out", "long"}));
  {
    auto broken = start_there({"run", "long.xml", "--place", "second=h2", "--out", "healed"});
    ASSERT_TRUE(broken->wait_until(has_begun("healed")));
    ASSERT_TRUE(cable("down"));
    const auto began = Clock::now();
    EXPECT_TRUE(broken->wait_until([&] { return Clock::now() - began > std::chrono::seconds(5); }));
    ASSERT_TRUE(cable("up"));
    expect_success(broken->wait().value_or(Outcome{.err = "it does not end"}));
    expect_same_bits("long", "healed");
  }
  {
    // For good: the host is named with its component once the time to heal is over.
    auto cut = start_there({"run", "long.xml", "--place", "second=h2", "--out", "cut"});
    ASSERT_TRUE(cut->wait_until(has_begun("cut")));
    ASSERT_TRUE(cable("down"));
    const Outcome lost = cut->wait().value_or(Outcome{.err = "it does not end"});
    EXPECT_EQ(lost.exit_code, 2);
    EXPECT_TRUE(holds(lost.err, "'second'") && holds(lost.err, "h2")) << lost.err;
    ASSERT_TRUE(cable("up"));
  }
  // What went over the cable says nothing.
  const std::string seen = support::text_of(path("capture"));
  if (!seen.empty()) {
    EXPECT_GT(seen.size(), 10'000U);
    for (const char* word : {"TIELINE", "CompositeModel", "second", "stiffness"})
      EXPECT_FALSE(holds(seen, word)) << word;
  }
  // A key that the host does not know: refused at once, since nobody can be asked for a password.
  std::filesystem::remove(path("client_key"));
  const Outcome unusable = call_there({"site", "check"});
  EXPECT_EQ(unusable.exit_code, 1);
  EXPECT_TRUE(holds(unusable.err, "host 'h2'") && holds(unusable.err, "host 'h3'")) << unusable.err;
  EXPECT_TRUE(holds(unusable.err, "Permission denied")) << unusable.err;
  const Outcome refused = run_there({"--place", "first=h2", "--out", "refused"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_TRUE(holds(refused.err, "'first'") && holds(refused.err, "(on host 'h2')")) << refused.err;
  EXPECT_TRUE(holds(refused.err, "Permission denied")) << refused.err;
}

}  // namespace hosts_test
}  // namespace tieline::cli
