#include <csignal>
#include <cstdint>
#include <fcntl.h>
#include <gtest/gtest.h>

#include "program.hpp"
#include "support/instrumented.hpp"

// Disks that are full or have changed what they were given: noticed by a message and the exit code, and files stay as
// they were.

namespace tieline::cli {
namespace bad_disk_test {

using Words = std::vector<std::string>;

class BadDisk : public ::testing::Test {
 protected:
  void SetUp() override {
    work_.write("pair.xml", pair_model());
    ASSERT_EQ(work_.tieline({"run", "pair.xml", "--out", "results", "--quiet"}).exit_code, 0);
  }

  Workplace work_;
};

TEST_F(BadDisk, OutputThatIsLostIsAnError) {
  const std::vector<Words> commands{{"info", "results"},
                                    {"info", "pair.xml"},
                                    {"check", "pair.xml"},
                                    {"run", "pair.xml", "--out", "again"},
                                    {"compare", "results", "results"},
                                    {"library", "list"},
                                    {"schema"},
                                    {"advise", "pair.xml"},
                                    {"run", "--help"},
                                    {"--help"}};
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
TEST_F(BadDisk, ClosedStreamsHarmNoFile) {
  const Outcome outcome = work_.tieline({"run", "pair.xml", "--out", "closed"}, [] {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::close(stream);
  });
  EXPECT_EQ(outcome.exit_code, 1);
  const Outcome same = work_.tieline({"compare", "results", "closed"});
  EXPECT_EQ(same.exit_code, 0) << same.err;
  EXPECT_EQ(work_.tieline({"info", "closed"}).exit_code, 0);
}

TEST_F(BadDisk, AnExportThatDoesNotFitKeepsTheOldFile) {
  for (const std::string kind : {"mat", "csv"}) {
    const std::string file = "out." + kind;
    ASSERT_EQ(work_.tieline({"export", "results", "--" + kind, file, "--variables", "*.body.position"}).exit_code, 0);
    const std::string before = text_of(work_.path(file));
    for (const rlim_t room : {0u, 100u, 4096u, 8192u}) {
      const Outcome outcome = work_.tieline({"export", "results", "--" + kind, file}, [room] {
        const rlimit limit{room, room};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        // The thread sanitizer writes a file before the program begins and does not ignore the signal.
        if (support::kIsInstrumented) ::signal(SIGXFSZ, SIG_IGN);
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

// What a fault of the disk may make of the files in a result folder.
TEST_F(BadDisk, DamagedFilesAreNamedAsDamaged) {
  for (const char* text : {"", "{", "[]", "{\"outcome\": 3}", "nonsense"}) {
    std::ofstream(work_.path("results/report.json"), std::ios::trunc) << text;
    const Outcome info = work_.tieline({"info", "results"});
    EXPECT_EQ(info.exit_code, 1) << text;
    EXPECT_NE(info.err.find("'results/report.json' is damaged"), std::string::npos) << info.err;
    EXPECT_NE(info.out.find("left.body.position"), std::string::npos) << info.out;
    std::ofstream(work_.path("results/progress.json"), std::ios::trunc) << text;
    const Outcome watch = work_.tieline({"watch", "results", "--once"});
    EXPECT_EQ(watch.exit_code, 1) << text;
    EXPECT_NE(watch.err.find("'results/progress.json' is damaged"), std::string::npos) << watch.err;
  }
}

// Any changed byte of the results is found, or changes nothing; nothing hangs or crashes on it.
TEST_F(BadDisk, ChangedBytesOfResultsAreFound) {
  const std::string whole = text_of(work_.path("results/results.h5"));
  ASSERT_EQ(work_.tieline({"export", "results", "--csv", "right.csv"}).exit_code, 0);
  const std::string right = text_of(work_.path("right.csv"));
  std::uint64_t random = 20061;
  int found = 0;
  constexpr int kTrials = 60;
  for (int trial = 0; trial < kTrials; ++trial) {
    random = random * 6364136223846793005ULL + 1442695040888963407ULL;
    std::string damaged = whole;
    const std::size_t place = (random >> 20) % whole.size();
    if (trial % 6 == 5) {
      damaged.resize(place);
    } else {
      damaged[place] = static_cast<char>(damaged[place] ^ (1 << (random >> 60 & 7)));
    }
    work_.write("results/results.h5", damaged);
    const Outcome outcome = work_.tieline({"export", "results", "--csv", "found.csv"});
    ASSERT_TRUE(outcome.exit_code) << "ended by signal " << outcome.signal << " after a change at " << place;
    if (outcome.exit_code == 0) {
      EXPECT_EQ(text_of(work_.path("found.csv")), right) << "after a change at " << place;
    } else {
      EXPECT_NE(outcome.err.find("results.h5'"), std::string::npos) << outcome.err;
      ++found;
    }
  }
  EXPECT_GT(found, kTrials / 4);
}

}  // namespace bad_disk_test
}  // namespace tieline::cli
