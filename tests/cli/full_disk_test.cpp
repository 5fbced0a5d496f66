#include <fcntl.h>
#include <gtest/gtest.h>

#include "program.hpp"

// Output that cannot be written is noticed: by a message, by the exit code, and by files that stay as they were.

namespace tieline::cli {
namespace full_disk_test {

using Words = std::vector<std::string>;

class FullDisk : public ::testing::Test {
 protected:
  void SetUp() override {
    work_.write("pair.xml", pair_model());
    ASSERT_EQ(work_.tieline({"run", "pair.xml", "--out", "results", "--quiet"}).exit_code, 0);
  }

  Workplace work_;
};

TEST_F(FullDisk, OutputThatIsLostIsAnError) {
  const std::vector<Words> commands{{"info", "results"},
                                    {"info", "pair.xml"},
                                    {"check", "pair.xml"},
                                    {"run", "pair.xml", "--out", "again"},
                                    {"compare", "results", "results"},
                                    {"library", "list"},
                                    {"schema"},
                                    {"advise", "pair.xml"},
                                    {"run", "--help"},
                                    {"--help"},
                                    {"--version"}};
  for (const Words& words : commands) {
    const Outcome full = work_.tieline(words, [] { ::dup2(::open("/dev/full", O_WRONLY), STDOUT_FILENO); });
    EXPECT_EQ(full.exit_code, 1) << words[0];
    EXPECT_NE(full.err.find("tieline: the output could not be written: No space left on device"), std::string::npos)
        << words[0] << full.err;
    const Outcome closed = work_.tieline(words, [] { ::close(STDOUT_FILENO); });
    EXPECT_EQ(closed.exit_code, 1) << words[0];
    EXPECT_NE(closed.err.find("tieline: the output could not be written: Bad file descriptor"), std::string::npos)
        << words[0] << closed.err;
  }
}

// No file of a run gets the number of a stream that is closed, and with it what is printed.
TEST_F(FullDisk, ClosedStreamsHarmNoFile) {
  const Outcome outcome = work_.tieline({"run", "pair.xml", "--out", "closed"}, [] {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::close(stream);
  });
  EXPECT_EQ(outcome.exit_code, 1);
  const Outcome same = work_.tieline({"compare", "results", "closed"});
  EXPECT_EQ(same.exit_code, 0) << same.err;
  EXPECT_EQ(work_.tieline({"info", "closed"}).exit_code, 0);
}

TEST_F(FullDisk, AnExportThatDoesNotFitKeepsTheOldFile) {
  for (const std::string kind : {"mat", "csv"}) {
    const std::string file = "out." + kind;
    ASSERT_EQ(work_.tieline({"export", "results", "--" + kind, file, "--variables", "*.body.position"}).exit_code, 0);
    const std::string before = text_of(work_.path(file));
    for (const rlim_t room : {0u, 100u, 4096u, 8192u}) {
      const Outcome outcome = work_.tieline({"export", "results", "--" + kind, file}, [room] {
        const rlimit limit{room, room};
        ::setrlimit(RLIMIT_FSIZE, &limit);
      });
      // The messages of the program go to a file that is as small, and may be lost.
      EXPECT_TRUE(outcome.exit_code.has_value()) << kind << ": ended by signal " << outcome.signal;
      EXPECT_NE(outcome.exit_code, 0) << kind << " within " << room << " bytes";
      EXPECT_EQ(text_of(work_.path(file)), before) << kind << " within " << room << " bytes";
    }
    for (const auto& entry : std::filesystem::directory_iterator(work_.folder())) {
      EXPECT_NE(entry.path().extension(), ".tmp") << entry.path();
    }
  }
}

}  // namespace full_disk_test
}  // namespace tieline::cli
