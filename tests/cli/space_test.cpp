#include <gtest/gtest.h>
#include <sys/mount.h>

#include "program.hpp"
#include "results/run_report.hpp"

// Runs and commands for which there is no room on the disk: they end soon, say
// so, and leave no half files.

namespace tieline::cli {
namespace space_test {

class Space : public ::testing::Test {
 protected:
  void SetUp() override { work_.write("pair.xml", pair_model()); }
  Workplace work_;
};

struct Unmount {
  std::filesystem::path disk{};
  ~Unmount() { ::umount2(disk.c_str(), MNT_DETACH); }
};

/// Expects a run to fail for want of space, and to say so.
void expect_no_space(const Workplace &work, const Outcome &outcome, const std::string &reason) {
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
  EXPECT_NE(outcome.err.find("results.h5"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find(reason), std::string::npos) << outcome.err;
  EXPECT_EQ(work.tieline({"info", "full/results"}).exit_code, 0);
}

TEST_F(Space, WithoutSpaceSaysSo) {
  std::filesystem::create_directory(work_.path("full"));
  const Outcome outcome = work_.tieline({"run", "pair.xml", "--out", "full/results", "--stop", "1e9"}, [] {
    const rlimit limit{500'000, 500'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    ::signal(SIGXFSZ, SIG_IGN);
  });
  expect_no_space(work_, outcome, "File too large");
  const auto report = results::read_report(work_.path("full/results") / results::kReportFileName);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->outcome, results::Outcome::failed);
}

TEST_F(Space, OnAFullDiskSaysSo) {
  const auto disk = work_.path("full");
  std::filesystem::create_directory(disk);
  if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=512k") != 0) {
    GTEST_SKIP() << "a small disk can only be mounted by root";
  }
  const Unmount unmount{disk};
  expect_no_space(work_, work_.tieline({"run", "pair.xml", "--out", "full/results", "--stop", "1e9"}),
                  "No space left on device");
  work_.write("full/rest", std::string(600'000, 'x'));
  ASSERT_EQ(work_.tieline({"run", "pair.xml", "--out", "good", "--quiet"}).exit_code, 0);
  for (const std::vector<std::string> &command :
       {std::vector<std::string>{"plot", "good", "*.position", "-o", "full/a.svg"},
        {"plot", "good", "*.position", "-o", "full/a.png"},
        {"export", "good", "--csv", "full/a.csv"}}) {
    const Outcome outcome = work_.tieline(command);
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_NE(outcome.err.find(command.back()), std::string::npos) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(work_.path(command.back())));
  }
}

// Too short for a row to reach the file before the end: closing it is what
// fails.
TEST_F(Space, IsMissedByShortRunsToo) {
  std::filesystem::create_directory(work_.path("full"));
  const Outcome outcome = work_.tieline({"run", "pair.xml", "--out", "full/results"}, [] {
    const rlimit limit{20'000, 20'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    ::signal(SIGXFSZ, SIG_IGN);
  });
  expect_no_space(work_, outcome, "File too large");
}

}  // namespace space_test
}  // namespace tieline::cli
