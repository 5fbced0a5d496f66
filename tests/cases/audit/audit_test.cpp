// Whether the verdict of a run means what it says: systems with known errors, good and bad, against references in one
// piece or with far smaller tolerances. `systems.txt` lists them, `docs/audit.md` has the table that is recomputed
// here.

#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <sstream>

#include "support/model_run.hpp"

namespace tieline::support {
namespace audit_test {

const std::filesystem::path kFolder = std::filesystem::path(TIELINE_SOURCE_DIR) / "tests/cases/audit";

// A run is right below the first of these true errors, and wrong from the second on; between them either is fine.
constexpr double kRight = 0.01;
constexpr double kWrong = 0.05;
// The table of the page writes errors from this on as "large".
constexpr double kLarge = 1e3;
// Compilers and versions of solvers round differently, which shifts errors by a part of their size; small ones are
// rounding altogether. By these the table of the page may differ from what is computed here.
constexpr double kFactor = 1.5;
constexpr double kRounding = 1e-7;

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(trimmed(part));
  return parts;
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream) throw std::runtime_error("cannot read " + file.string());
  return text.str();
}

std::string replaced(std::string text, const std::string& word, const std::string& by) {
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word)) text.replace(at, word.size(), by);
  return text;
}

/// A line of the list.
struct System {
  std::string name{}, model{}, connection{}, simulation{}, settings{}, reference{}, reference_settings{}, compared{};
};

std::vector<System> systems() {
  std::vector<System> all;
  for (const std::string& line : split(text_of(kFolder / "systems.txt"), '\n')) {
    if (line.empty() || line[0] == '#') continue;
    const auto cells = split(line, '|');
    if (cells.size() != 8) throw std::runtime_error("expected eight cells: " + line);
    all.push_back({cells[0], cells[1], cells[2], cells[3], cells[4], cells[5], cells[6], cells[7]});
  }
  return all;
}

struct Outcome {
  std::map<std::string, results::Series, std::less<>> series{};
  results::RunReport report{};
};

Outcome run(const std::string& model, const std::string& connection, const std::string& simulation,
            const std::string& settings) {
  const std::string text = text_of(kFolder / "models" / (model + ".xml"));
  const ModelFiles files(replaced(replaced(text, "OPTIONS", connection), "SIMULATION", simulation));
  const TemporaryFolder folder;
  Simulation run = Simulation::load(files.path());
  std::vector<Setting> parameters;
  for (const std::string& setting : split(settings, ' ')) {
    const auto parts = split(setting, '=');
    if (parts.size() == 2) parameters.push_back({parts[0], parts[1]});
  }
  run.set(parameters);
  run.record_to(folder.path());
  try {
    run.advance_to(run.stop_time());
    run.finish();
  } catch (const RunError&) {
    run.finish();
  }
  RunRecord record = read_run(folder.path());
  return {std::move(record.series), std::move(record.report)};
}

/// Largest difference over the range of the reference; infinite for a run that did not reach its end.
double true_error(const Outcome& outcome, const Outcome& reference, const std::string& compared) {
  if (outcome.report.outcome != results::Outcome::done) return std::numeric_limits<double>::infinity();
  double worst = 0.0;
  for (const std::string& pair : split(compared, ',')) {
    const auto names = split(pair, '=');
    const results::Series& found = outcome.series.at(names[0]);
    const results::Series& right = reference.series.at(names[1]);
    if (found.values.size() != right.values.size()) throw std::runtime_error(names[0] + " has other rows");
    const auto [least, largest] = std::minmax_element(right.values.begin(), right.values.end());
    // What stays where it is to rest has no range; metres and radians serve.
    const double range = *largest - *least > 1e-12 ? *largest - *least : 1.0;
    for (std::size_t i = 0; i < right.values.size(); ++i) {
      const double difference = std::abs(found.values[i] - right.values[i]) / range;
      worst = std::isnan(difference) ? std::numeric_limits<double>::infinity() : std::max(worst, difference);
    }
  }
  return worst;
}

struct Row {
  std::string name{};
  double error = 0.0, estimate = 0.0;
  results::Verdict verdict = results::Verdict::trust;
};

const std::vector<Row>& table() {
  static const std::vector<Row> rows = [] {
    std::vector<Row> all;
    std::map<std::string, Outcome> references;
    for (const System& system : systems()) {
      const std::string key = system.reference + " " + system.reference_settings;
      if (!references.contains(key)) {
        const bool is_stated = system.reference_settings.find("tolerance") != std::string::npos;
        references[key] =
            run(system.reference, "", "", system.reference_settings + (is_stated ? "" : " tolerance=1e-11"));
        if (references[key].report.outcome != results::Outcome::done) throw std::runtime_error("failed: " + key);
      }
      const Outcome outcome = run(system.model, system.connection, system.simulation, system.settings);
      all.push_back({system.name, true_error(outcome, references[key], system.compared), outcome.report.error_estimate,
                     outcome.report.verdict});
    }
    return all;
  }();
  return rows;
}

std::string number(double value) {
  return std::isfinite(value) && value < kLarge ? fmt::format("{:.1e}", value) : "large";
}

std::string line_of(const Row& row) {
  return fmt::format("| {} | {} | {} | {} |", row.name, number(row.error), number(row.estimate),
                     results::name_of(row.verdict));
}

struct Counts {
  int right = 0, doubted = 0;  ///< right runs, and those of them that are not trusted
  int wrong = 0, trusted = 0;  ///< wrong runs, and those of them that are trusted
};

Counts counts() {
  Counts counts;
  for (const Row& row : table()) {
    const bool is_trusted = row.verdict == results::Verdict::trust;
    if (row.error < kRight) ++counts.right, counts.doubted += is_trusted ? 0 : 1;
    if (row.error >= kWrong) ++counts.wrong, counts.trusted += is_trusted ? 1 : 0;
  }
  return counts;
}

void expect_no_wrong_run_trusted_and_hardly_any_right_one_doubted() {
  for (const Row& row : table()) {
    if (row.error >= kWrong) {
      EXPECT_NE(row.verdict, results::Verdict::trust) << line_of(row);
    }
    if (row.error < kRight) {
      EXPECT_NE(row.verdict, results::Verdict::wrong) << line_of(row);
    }
  }
  EXPECT_GE(counts().right, 20);
  EXPECT_GE(counts().wrong, 20);
  EXPECT_LE(20 * counts().doubted, counts().right);
}

// The estimate follows the true error over its whole range, so that it is worth reading where the verdict is the same.
void expect_estimates_to_shrink_with_errors() {
  const auto estimate_of = [](const std::string& start) {
    for (const Row& row : table())
      if (row.name.starts_with(start + " ")) return row.estimate;
    throw std::runtime_error("there is no system " + start);
  };
  // Jacobi's steps of 0.1, 1 and 5 ms: true errors of 3e-7, 4e-4 and 6e-2.
  EXPECT_LT(30.0 * estimate_of("s8"), estimate_of("s9"));
  EXPECT_LT(10.0 * estimate_of("s9"), estimate_of("s10"));
  // Delays of 0.1, 1 and 10 ms: the line's mass goes with their square.
  EXPECT_NEAR(estimate_of("l2") / estimate_of("l1"), 100.0, 20.0);
  EXPECT_LT(10.0 * estimate_of("l2"), estimate_of("l4"));
  // Steps of 0.1 and 1 ms of a method of order 4, whose local errors have order 5.
  EXPECT_GT(std::log10(estimate_of("o2") / estimate_of("o1")), 3.5);
  EXPECT_LT(std::log10(estimate_of("o2") / estimate_of("o1")), 5.5);
}

void expect_counts_of_the_page() {
  const std::string page = text_of(std::filesystem::path(TIELINE_SOURCE_DIR) / "docs/audit.md");
  const auto [right, doubted, wrong, trusted] = counts();
  const std::string sentence =
      fmt::format("Of {} systems, {} are right, of which {} are doubted, and {} are wrong, of which {} are trusted.",
                  table().size(), right, doubted, wrong, trusted);
  EXPECT_NE(page.find(sentence), std::string::npos) << "docs/audit.md lacks: " << sentence;
}

void expect_table_of_the_page() {
  std::map<std::string, std::vector<std::string>> published;
  std::string fresh;
  bool is_table = false;
  for (const std::string& line : split(text_of(std::filesystem::path(TIELINE_SOURCE_DIR) / "docs/audit.md"), '\n')) {
    const auto cells = split(line, '|');
    if (is_table && cells.size() == 5 && cells[1] != "---") published[cells[1]] = cells;
    if (line.starts_with("| system |")) is_table = true;
  }
  EXPECT_EQ(published.size(), table().size()) << "docs/audit.md has other systems than systems.txt";
  for (const Row& row : table()) {
    fresh += line_of(row) + "\n";
    const auto found = published.find(row.name);
    if (found == published.end()) {
      ADD_FAILURE() << "docs/audit.md lacks '" << row.name << "'";
      continue;
    }
    const auto& cells = found->second;
    EXPECT_EQ(cells[4], results::name_of(row.verdict)) << row.name;
    const auto agrees = [](const std::string& cell, double value) {
      if (cell == "large") return !(value * kFactor < kLarge);
      const double stated = std::stod(cell);
      return value <= kFactor * stated + kRounding && stated <= kFactor * value + kRounding;
    };
    EXPECT_TRUE(agrees(cells[2], row.error)) << row.name << ": " << cells[2] << ", now " << number(row.error);
    EXPECT_TRUE(agrees(cells[3], row.estimate)) << row.name << ": " << cells[3] << ", now " << number(row.estimate);
  }
  if (testing::Test::HasFailure()) std::printf("the table as it is now:\n%s", fresh.c_str());
}

// One test, since all of it needs the table, which takes seconds.
TEST(Audit, VerdictsMeanWhatTheySayAndThePageShowsThem) {
  expect_no_wrong_run_trusted_and_hardly_any_right_one_doubted();
  expect_estimates_to_shrink_with_errors();
  expect_counts_of_the_page();
  expect_table_of_the_page();
}

// A mass that takes the force of a stiff spring from samples: the samples feed the vibration.
TEST(Audit, RunThatExplodesFailsWithTimeAndPlace) {
  const Outcome outcome = run("pair-sampled", "extrapolation=\"linear\"", "", "k=2e6 m2=4 F=12");
  ASSERT_EQ(outcome.report.outcome, results::Outcome::failed);
  EXPECT_EQ(outcome.report.verdict, results::Verdict::wrong);
  ASSERT_TRUE(outcome.report.error.has_value());
  const std::string text = outcome.report.error->describe();
  EXPECT_NE(text.find("has diverged"), std::string::npos) << text;
  EXPECT_NE(text.find("connection 'joint'"), std::string::npos) << text;
  EXPECT_EQ(outcome.report.error->component, "a");
  EXPECT_GT(outcome.report.error->time, 0.0);
  EXPECT_LT(outcome.report.error->time, outcome.report.reached + 0.1);
}

TEST(Audit, SignalLoopThatExplodesFailsWithItsPlace) {
  const Outcome outcome = run("loop", "", "", "ki=0 kd=0 kp=1.5e5");
  ASSERT_EQ(outcome.report.outcome, results::Outcome::failed);
  EXPECT_EQ(outcome.report.verdict, results::Verdict::wrong);
}

TEST(Audit, UnstableFixedStepsFailWithTimeAndPlace) {
  const Outcome outcome = run("oscillator", "", "solver=\"rk4\" step=\"0.035\"", "k=9e3 c=0 stop=20");
  ASSERT_EQ(outcome.report.outcome, results::Outcome::failed);
  const std::string text = outcome.report.error->describe();
  EXPECT_NE(text.find("has diverged"), std::string::npos) << text;
  EXPECT_EQ(outcome.report.error->component, "body");
}

// At rest there is no motion to compare with; what springs and lines hold serves.
TEST(Audit, StructureAtRestIsTrusted) {
  const Outcome outcome = run("hanging", "", "", "");
  EXPECT_EQ(outcome.report.verdict, results::Verdict::trust) << outcome.report.reasons.front();
  EXPECT_LT(std::abs(outcome.report.energy_balance_relative), 1e-6);
  EXPECT_TRUE(outcome.report.warnings.empty());
}

// A delay is what the model says, but a loop that it makes unstable is hardly what is meant.
TEST(Audit, LoopThatItsDelayMakesUnstableIsNotTrusted) {
  const Outcome growing = run("loop", "", "", "ki=0 kd=0 T=0.1 stop=4");
  EXPECT_NE(growing.report.verdict, results::Verdict::trust);
  ASSERT_FALSE(growing.report.reasons.empty());
  EXPECT_NE(growing.report.reasons[0].find("oscillation grows"), std::string::npos) << growing.report.reasons[0];
  const Outcome calm = run("loop", "", "", "ki=0 kd=0 kp=4 T=0.02 stop=8");
  EXPECT_EQ(calm.report.verdict, results::Verdict::trust);
}

TEST(Audit, ReasonsNameThePlaceTheNumberAndTheRemedy) {
  const Outcome line = run("pair-line", "", "", "T=1e-2");
  ASSERT_EQ(line.report.reasons.size(), 1U);
  EXPECT_TRUE(line.report.reasons[0].starts_with("connection 'rod': the line's own mass, Z T = 1 kg"))
      << line.report.reasons[0];
  EXPECT_NE(line.report.reasons[0].find("shorten its delay of 0.01 s to "), std::string::npos)
      << line.report.reasons[0];
  const Outcome steps = run("oscillator", "", "solver=\"rk4\" step=\"0.02\"", "c=20 w=1");
  ASSERT_FALSE(steps.report.reasons.empty());
  const std::string& reason = steps.report.components[0].judgement.reason;
  EXPECT_NE(reason.find("its fixed steps of 0.02 s"), std::string::npos) << reason;
  EXPECT_NE(reason.find("use steps of 0.01"), std::string::npos) << reason;
}

}  // namespace audit_test
}  // namespace tieline::support
