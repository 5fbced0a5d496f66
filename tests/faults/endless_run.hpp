#pragma once

#include "faults/fault_run.hpp"
#include "results/progress_file.hpp"

namespace tieline::faults {

/// A run without an end, and what is known of it from outside.
class Endless {
 public:
  explicit Endless(
      const Scene& scene, const std::vector<std::string>& arguments = {},
      const std::function<void()>& prepare = [] {}) {
    Scene endless = scene;
    endless.stop = "1e9";
    run.write(endless);
    process = run.start(arguments, prepare);
  }

  /// Whether it comes to compute, beyond what it has reached by now.
  [[nodiscard]] bool is_running() const {
    const double before = reached();
    return process->wait_until([&] { return reached() > before; });
  }
  [[nodiscard]] double reached() const {
    const auto progress = results::read_progress(run.results() / results::kProgressFileName);
    return progress && progress->phase == results::RunPhase::running ? progress->reached : 0.0;
  }
  /// Ctrl-C ends it, and it says so.
  void expect_stops() const {
    process->send(SIGINT);
    const auto outcome = process->wait();
    ASSERT_TRUE(outcome) << "it goes on after Ctrl-C";
    EXPECT_EQ(outcome->exit_code, 2) << outcome->err;
    FaultRun::expect_said(*outcome, {"stopped on request at t = "});
    run.expect_nothing_left();
    const auto report = results::read_report(run.results() / results::kReportFileName);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->outcome, results::Outcome::cancelled);
    EXPECT_TRUE(results::ResultReader::open(run.results()));
  }

  FaultRun run;
  std::unique_ptr<Process> process;
};

}  // namespace tieline::faults
