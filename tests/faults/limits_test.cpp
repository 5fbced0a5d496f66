#include <array>

#include "faults/endless_run.hpp"

// Little room: descriptors, an error stream that nobody reads, logs that flood a terminal, stalled runs.

namespace tieline::faults {
namespace limits_test {

/// A pipe that is full, and that nobody reads.
class FullPipe {
 public:
  FullPipe() {
    if (::pipe(ends_.data()) != 0) throw std::runtime_error("no pipe");
    ::fcntl(ends_[1], F_SETFL, O_NONBLOCK);
    const std::string block(4096, 'x');
    while (::write(ends_[1], block.data(), block.size()) > 0) {
    }
    ::fcntl(ends_[1], F_SETFL, 0);
  }
  ~FullPipe() {
    for (const int end : ends_) ::close(end);
  }
  [[nodiscard]] int end() const { return ends_[1]; }

 private:
  std::array<int, 2> ends_{};
};

TEST(ErrorStream, ThatNobodyReadsHoldsNothingUp) {
  const FullPipe pipe;
  const FaultRun run;
  run.write(scene_of("chatters"));
  const Outcome outcome = run.run({}, [&] { ::dup2(pipe.end(), STDERR_FILENO); });
  run.expect_done(outcome);
  const Outcome refused = run.work().tieline({"run", "none.xml"}, [&] { ::dup2(pipe.end(), STDERR_FILENO); });
  EXPECT_EQ(refused.exit_code, 1);
}

TEST(Log, OfAParticipantIsCleanAndBounded) {
  const FaultRun run;
  const Outcome outcome = run.run(scene_of("chatters"));
  run.expect_done(outcome);
  FaultRun::expect_said(outcome, {"tool: begin ?[2J?]0;title?", "tool: a line ?[31m of many", "further messages"});
  EXPECT_LE(outcome.err.size(), std::size_t{1} << 20);
  for (const char c : outcome.err) ASSERT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= ' ') << int{c};
}

TEST(Log, AtTheEndOfAProgramIsClean) {
  const FaultRun run;
  const Outcome outcome = run.run(scene_of("says '\x07no \x1b[2Jlicence'"));
  EXPECT_EQ(outcome.exit_code, 1);  // XML has no such characters
  ::chmod(run.work().write("start.sh", "#!/bin/sh\nprintf 'no \\033[2Jlicence\\r\\n'\nexit 3\n").c_str(), 0755);
  const Outcome started = run.run(Scene{.tool = R"(command="./start.sh")"});
  run.expect_failed(started, {"ended with exit code 3 before it joined", "no ?[2Jlicence"});
  EXPECT_EQ(started.err.find('\x1b'), std::string::npos);
}

constexpr const char* kIdle = R"(
    <Component name="idle" kind="network"><Network><Mass name="body" mass="1"/></Network></Component>)";

TEST(Stall, NamesThoseWhoHoldOthersUp) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{}, std::vector<std::string>{"--isolate"}}) {
    const FaultRun run;
    Scene scene = scene_of("computes_for_ever");
    scene.components = kIdle;
    const Outcome outcome = run.run(scene, arguments);
    run.expect_failed(outcome, {"3 s (the stall deadline): 'tool' computes; 'wall' waits for 'tool'"});
    EXPECT_EQ(outcome.err.find("'idle'"), std::string::npos) << outcome.err;
  }
}

// Nobody has to ignore the signal of the limit for this.
TEST(Files, ThatReachTheirLimitAreAnError) {
  const Endless endless(scene_of("good"), {"--isolate"}, [] {
    const rlimit limit{500'000, 500'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  });
  const auto outcome = endless.process->wait();
  ASSERT_TRUE(outcome) << "it goes on without space";
  endless.run.expect_failed(*outcome, {"results.h5", "File too large"});
}

TEST(Descriptors, ThatRunOutAreNamedWithTheRemedy) {
  if (support::kIsInstrumented) GTEST_SKIP() << "sanitizers need descriptors themselves";
  int refused = 0;
  for (const rlim_t most : {8, 10, 12, 14, 16, 18, 20, 24, 28, 32}) {
    const FaultRun run;
    Scene scene = scene_of("good");
    scene.components = kIdle;
    run.write(scene);
    const Outcome outcome = run.run({"--isolate"}, [&] {
      const rlimit limit{most, most};
      ::setrlimit(RLIMIT_NOFILE, &limit);
    });
    run.expect_nothing_left();
    if (outcome.exit_code == 0) continue;
    ++refused;
    FaultRun::expect_said(outcome, {"oo many open files", "`ulimit -n`"});
    EXPECT_EQ(outcome.err.find("doorbell"), std::string::npos) << outcome.err;
  }
  EXPECT_GT(refused, 3);
}

}  // namespace limits_test
}  // namespace tieline::faults
