#pragma once

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>

#include "cli/program.hpp"
#include "results/reader.hpp"
#include "results/run_report.hpp"
#include "support/instrumented.hpp"

// Runs of the real program that go wrong, and what must hold after each of them.

namespace tieline::faults {

using cli::Outcome;
using cli::Process;

/// What a test's model consists of: a tool on a line to a native mass.
struct Scene {
  std::string tool = "";         ///< attributes of the component 'tool': its command, as a rule
  std::string more = "";         ///< further children of 'tool'
  std::string components = "";   ///< further components
  std::string connections = "";  ///< further connections
  std::string stop = "0.02";
  std::string deadlines = R"(start_deadline="3" silence_deadline="2" stall_deadline="3" shutdown_deadline="1")";
  std::string wall = R"(kind="network")";  ///< attributes of the component 'wall'

  [[nodiscard]] std::string text() const {
    return fmt::format(R"(<CompositeModel name="fault">
  <Components>
    <Component name="tool" kind="process" {}>
      <Interface name="axle" domain="translation"/>{}
    </Component>
    <Component name="wall" {}>
      <Network>
        <Mass name="body" mass="1"/>
        <Ground name="ground"/>
        <Spring name="spring" from="ground" to="body" stiffness="1000"/>
        <Load name="push" node="body" force="{{sin(200*t)}}"/>
        <Interface name="end" node="body"/>
      </Network>
    </Component>{}
  </Components>
  <Connections>
    <Connection name="rod" from="tool.axle" to="wall.end" coupling="line" stiffness="1e6" delay="1e-4"/>{}
  </Connections>
  <Simulation start="0" stop="{}" write_interval="1e-4">
    <Processes {}/>
  </Simulation>
</CompositeModel>
)",
                       tool, more, wall, components, connections, stop, deadlines);
  }
};

/// The scene whose tool misbehaves in this way.
inline Scene scene_of(const std::string& fault) {
  return {.tool = fmt::format(R"(command="{} {}")", TIELINE_BAD_TOOL, fault)};
}

/// Calls the program in a folder of its own, and finds whatever it leaves behind: all processes of a run, those that
/// its tools have started too, have a variable in their environment that no other has.
class FaultRun {
 public:
  FaultRun() {
    static std::atomic<int> runs{0};
    mark_ = fmt::format("TIELINE_TEST_RUN={}-{}", ::getpid(), ++runs);
  }
  ~FaultRun() {
    for (const pid_t id : processes()) ::kill(id, SIGKILL);
  }
  FaultRun(const FaultRun&) = delete;
  FaultRun& operator=(const FaultRun&) = delete;

  [[nodiscard]] const cli::Workplace& work() const { return work_; }
  [[nodiscard]] std::filesystem::path results() const { return work_.path("results"); }

  void write(const Scene& scene) const { work_.write("model.xml", scene.text()); }

  /// `tieline run model.xml` with these arguments, started.
  [[nodiscard]] std::unique_ptr<Process> start(
      const std::vector<std::string>& arguments = {}, const std::function<void()>& prepare = [] {}) const {
    std::vector<std::string> words{"run", "model.xml", "--out", "results"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return std::make_unique<Process>(cli::Workplace::command(words), work_.folder(), [&] {
      ::putenv(const_cast<char*>(mark_.c_str()));
      prepare();
    });
  }

  [[nodiscard]] Outcome run(
      const std::vector<std::string>& arguments = {}, const std::function<void()>& prepare = [] {}) const {
    auto outcome = start(arguments, prepare)->wait();
    if (!outcome) throw std::runtime_error("tieline run does not end");
    return *std::move(outcome);
  }
  [[nodiscard]] Outcome run(const Scene& scene, const std::vector<std::string>& arguments = {}) const {
    write(scene);
    return run(arguments);
  }

  /// All living processes of the run.
  [[nodiscard]] std::set<pid_t> processes() const {
    std::set<pid_t> found;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
      const std::string name = entry.path().filename().string();
      if (!std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; })) continue;
      // A process that has ended but was not waited for has no environment any more.
      const std::string environment = '\0' + cli::text_of(entry.path() / "environ");
      if (environment.find('\0' + mark_ + '\0') != std::string::npos) found.insert(std::stoi(name));
    }
    return found;
  }
  /// Those that are computing a component: tools and runners.
  [[nodiscard]] std::set<pid_t> participants(const std::string& component) const {
    std::set<pid_t> found;
    for (const pid_t id : processes()) {
      const std::string environment = '\0' + cli::text_of(fmt::format("/proc/{}/environ", id));
      const std::string wanted = '\0' + ("TIELINE_COMPONENT=" + component) + '\0';
      if (environment.find(wanted) != std::string::npos) found.insert(id);
    }
    return found;
  }

  /// Whether no process is left, or comes to be so soon.
  [[nodiscard]] bool all_end() const {
    constexpr std::chrono::milliseconds kPause{20};
    for (const auto end = cli::Clock::now() + std::chrono::seconds(60); cli::Clock::now() < end;) {
      if (processes().empty()) return true;
      ::poll(nullptr, 0, static_cast<int>(kPause.count()));
    }
    return false;
  }

  /// Nothing of the run lives on: no process, and no socket that somebody could connect to. (Shared memory has no
  /// name: it goes with the last process that holds it.)
  void expect_nothing_left() const {
    EXPECT_TRUE(processes().empty());
    std::error_code ignored;
    const std::string sockets = cli::text_of("/proc/net/unix");
    for (const auto& entry : std::filesystem::recursive_directory_iterator(results() / "processes", ignored)) {
      EXPECT_NE(entry.path().extension(), ".join") << "an invitation was left";
      const std::string log = entry.is_regular_file() ? cli::text_of(entry.path()) : "";
      const std::string word = "joins local:";
      const auto begin = log.find(word);
      if (begin == std::string::npos) continue;
      const std::string name = log.substr(begin + word.size(), log.find('\n', begin) - begin - word.size());
      EXPECT_EQ(sockets.find("@" + name), std::string::npos);
    }
  }

  /// The run failed by itself, said all of these, and has left its results but nothing else.
  void expect_failed(const Outcome& outcome, const std::vector<std::string>& words, bool has_results = true) const {
    EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
    expect_said(outcome, words);
    expect_nothing_left();
    if (!has_results) return;
    const auto reader = results::ResultReader::open(results());
    EXPECT_TRUE(reader) << (reader ? "" : reader.error().describe());
    const auto report = results::read_report(results() / results::kReportFileName);
    ASSERT_TRUE(report) << report.error().describe();
    EXPECT_EQ(report->outcome, results::Outcome::failed);
  }

  /// The run reached its end.
  void expect_done(const Outcome& outcome) const {
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    expect_nothing_left();
    const auto report = results::read_report(results() / results::kReportFileName);
    ASSERT_TRUE(report) << report.error().describe();
    EXPECT_EQ(report->outcome, results::Outcome::done);
  }

  static void expect_said(const Outcome& outcome, const std::vector<std::string>& words) {
    for (const std::string& word : words) {
      EXPECT_NE(outcome.err.find(word), std::string::npos) << "missing '" << word << "' in:\n" << outcome.err;
    }
  }

 private:
  cli::Workplace work_;
  std::string mark_;
};

}  // namespace tieline::faults
