// `tieline site check`.

#include "hosts/hosts.hpp"

namespace tieline::cli {
namespace hosts_test {

class SiteCheck : public Hosts {
 protected:
  /// The line of a host.
  [[nodiscard]] static std::string row(const std::string& table, const std::string& host) {
    const auto begin = table.find("\n" + host + " ");
    return begin == std::string::npos ? "" : table.substr(begin + 1, table.find('\n', begin + 1) - begin - 1);
  }
  void script(const std::string& name, const std::string& text) const {
    write(name, "#!/bin/sh\n" + text);
    std::filesystem::permissions(path(name), std::filesystem::perms::owner_all);
  }
};

TEST_F(SiteCheck, EveryHostIsAskedInTheWayOfARun) {
  const std::string file =
      site(fmt::format("<Tool name=\"shell\" command=\"sh -c true\"/>\n<Host name=\"here\" address=\"127.0.0.1\"/>\n"
                       "<Host name=\"h2\" start=\"here\" address=\"127.0.0.2\" work_folder=\"{}\">"
                       "<Tool name=\"beast\" command=\"/no/such/beast {{model_file}}\"/></Host>\n"
                       "<Host name=\"lab\" start=\"awaited\" address=\"127.0.0.3\"/>\n",
                       path("work2").string()));
  const Outcome outcome = tieline({"site", "check", "--site", file});
  expect_success(outcome);
  EXPECT_TRUE(holds(row(outcome.out, "here"), "ready")) << outcome.out;
  EXPECT_TRUE(holds(row(outcome.out, "here"), "shell")) << outcome.out;
  EXPECT_TRUE(holds(row(outcome.out, "h2"), "ready")) << outcome.out;
  EXPECT_TRUE(holds(row(outcome.out, "h2"), "same")) << "the clock: " << outcome.out;
  EXPECT_TRUE(holds(row(outcome.out, "h2"), "shell")) << outcome.out;
  EXPECT_FALSE(holds(row(outcome.out, "h2"), "beast")) << outcome.out;
  EXPECT_TRUE(holds(outcome.err, "host 'h2': tool 'beast': there is no program '/no/such/beast'")) << outcome.err;
  EXPECT_TRUE(holds(row(outcome.out, "lab"), "not tried")) << outcome.out;
  EXPECT_EQ(left_at(2), 0U);
}

TEST_F(SiteCheck, WhatCannotBeUsedIsNamedWithItsReason) {
  const std::string file = site(
      "<Host name=\"here\" address=\"127.0.0.1\"/>\n<Host name=\"big\" address=\"127.0.0.2\"/>\n"
      "<Host name=\"queue\" start=\"slurm\" address=\"127.0.0.3\"/>\n"
      "<Host name=\"huge\" start=\"here\" address=\"127.0.0.4\" cores=\"100000\" memory=\"1e18\"/>\n");
  script("deny", "echo 'Permission denied (publickey,password).' >&2\nexit 255\n");
  script("lack", "echo 'env: tieline: No such file or directory' >&2\nexit 127\n");
  script("silent", "exec sleep 1000\n");
  struct Case {
    const char* script;
    const char* reason;
  };
  for (const Case& each : {Case{"deny", "Permission denied"}, Case{"lack", "tieline: No such file"},
                           Case{"silent", "has not joined within 2 s"}}) {
    const Outcome outcome = tieline({"site", "check", "--site", file, "--deadline", "2"}, [&] {
      ::setenv("TIELINE_SSH", path(each.script).c_str(), 1);
      ::unsetenv("SLURM_JOB_ID");
    });
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_TRUE(holds(row(outcome.out, "big"), "FAILED")) << outcome.out;
    EXPECT_TRUE(holds(outcome.err, "host 'big'")) << outcome.err;
    EXPECT_TRUE(holds(outcome.err, each.reason)) << outcome.err;
    EXPECT_TRUE(holds(outcome.err, "host 'queue' is a node of Slurm")) << outcome.err;
    EXPECT_TRUE(holds(row(outcome.out, "huge"), "ready")) << outcome.out;
    EXPECT_TRUE(holds(outcome.err, "host 'huge': the site file states 100000 cores")) << outcome.err;
    EXPECT_TRUE(holds(outcome.err, "GB of memory, and it has")) << outcome.err;
  }
}

TEST_F(SiteCheck, ASiteFileIsNeededAndThisMachineInIt) {
  const Outcome none = tieline({"site", "check", "--site", "none.xml"});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_TRUE(holds(none.err, "none.xml")) << none.err;
  const std::string lonely = site("<Host name=\"far\" address=\"127.0.0.2\"/>\n");
  const Outcome unreachable = tieline({"site", "check", "--site", lonely});
  EXPECT_EQ(unreachable.exit_code, 1);
  EXPECT_TRUE(holds(unreachable.err, "<Host name=\"here\" address=\"...\"/>")) << unreachable.err;
  // An address that this machine does not have.
  const std::string wrong =
      site("<Host name=\"here\" address=\"192.0.2.1\"/>\n<Host name=\"h2\" start=\"here\" address=\"127.0.0.2\"/>\n");
  const Outcome absent = tieline({"site", "check", "--site", wrong});
  EXPECT_EQ(absent.exit_code, 1);
  EXPECT_TRUE(holds(absent.err, "192.0.2.1")) << absent.err;
  EXPECT_EQ(tieline({"site"}).exit_code, 3);
  EXPECT_EQ(tieline({"site", "check", "--deadline", "-1"}).exit_code, 3);
}

}  // namespace hosts_test
}  // namespace tieline::cli
