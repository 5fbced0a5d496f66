#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "tieline/simulation.hpp"

#include "results/reader.hpp"
#include "results/run_report.hpp"
#include "support/instrumented.hpp"
#include "support/work_folder.hpp"

namespace tieline::support {

/// Model files in a folder that goes away with the test.
class ModelFiles : public WorkFolder {
 public:
  ModelFiles() = default;
  explicit ModelFiles(const std::string& model) { write("model.xml", model); }

  using WorkFolder::path;
  [[nodiscard]] std::filesystem::path path() const { return path("model.xml"); }
};

/// Everything that a run left behind, read from its result folder.
struct RunRecord {
  std::map<std::string, results::Series, std::less<>> series{};
  results::RunReport report{};

  [[nodiscard]] const results::Series& of(const std::string& variable) const {
    const auto found = series.find(variable);
    if (found == series.end()) throw std::out_of_range("nothing was recorded of " + variable);
    return found->second;
  }
  [[nodiscard]] const std::vector<double>& times(const std::string& variable) const { return of(variable).times; }
  [[nodiscard]] const std::vector<double>& values(const std::string& variable) const { return of(variable).values; }
  [[nodiscard]] const results::ConnectionReport& connection(const std::string& name) const {
    for (const auto& candidate : report.connections) {
      if (candidate.name == name) return candidate;
    }
    throw std::out_of_range("there is no connection " + name);
  }
};

template <class T>
T must(core::Result<T> result) {
  if (!result) throw std::runtime_error(result.error().describe());
  return std::move(*result);
}

/// Reads a result folder.
inline RunRecord read_run(const std::filesystem::path& folder) {
  RunRecord record;
  const results::ResultReader reader = must(results::ResultReader::open(folder));
  for (const results::Variable& variable : reader.variables()) {
    record.series[variable.name] = must(reader.read(variable.name));
  }
  record.report = must(results::read_report(folder / results::kReportFileName));
  return record;
}

/// Runs a model to its end. `prepare` sets parameters before.
inline RunRecord run_model(const std::filesystem::path& model, const RunSettings& settings = {},
                           const std::function<void(Simulation&)>& prepare = {}) {
  const TemporaryFolder folder;
  Simulation simulation = Simulation::load(model);
  if (prepare) prepare(simulation);
  simulation.record_to(folder.path());
  simulation.advance_to(simulation.stop_time(), settings);
  simulation.finish();
  return read_run(folder.path());
}

inline RunRecord run_text(const std::string& model, const RunSettings& settings = {}) {
  const ModelFiles files(model);
  return run_model(files.path(), settings);
}

/// Largest |value - expected(t)| of a recorded variable.
template <class Function>
double largest_deviation(const RunRecord& run, const std::string& variable, Function&& expected) {
  const results::Series& series = run.of(variable);
  double largest = 0.0;
  for (std::size_t i = 0; i < series.times.size(); ++i) {
    largest = std::max(largest, std::abs(series.values[i] - expected(series.times[i])));
  }
  return largest;
}

/// Largest difference of two records of a variable at the same times.
inline double largest_difference(const RunRecord& a, const RunRecord& b, const std::string& variable) {
  if (a.times(variable) != b.times(variable)) throw std::runtime_error(variable + " is recorded at other times");
  double largest = 0.0;
  for (std::size_t i = 0; i < a.values(variable).size(); ++i) {
    largest = std::max(largest, std::abs(a.values(variable)[i] - b.values(variable)[i]));
  }
  return largest;
}

inline double largest_value(const RunRecord& run, const std::string& variable) {
  return largest_deviation(run, variable, [](double) { return 0.0; });
}

inline bool has_same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

/// Whether two runs recorded the same variables with the same bits.
inline ::testing::AssertionResult have_same_bits(const RunRecord& a, const RunRecord& b) {
  if (a.series.size() != b.series.size()) {
    return ::testing::AssertionFailure() << a.series.size() << " and " << b.series.size() << " variables";
  }
  for (const auto& [name, series] : a.series) {
    const auto other = b.series.find(name);
    if (other == b.series.end()) return ::testing::AssertionFailure() << name << " is in one run only";
    const results::Series& s = other->second;
    if (has_same_bits(series.times, s.times) && has_same_bits(series.values, s.values)) continue;
    for (std::size_t i = 0; i < std::min(series.times.size(), s.times.size()); ++i) {
      if (std::memcmp(&series.times[i], &s.times[i], sizeof(double)) == 0 &&
          std::memcmp(&series.values[i], &s.values[i], sizeof(double)) == 0) {
        continue;
      }
      return ::testing::AssertionFailure()
             << fmt::format("{} differs first in row {}: {:.17g} at t = {:.17g} s, {:.17g} at t = {:.17g} s", name, i,
                            series.values[i], series.times[i], s.values[i], s.times[i]);
    }
    return ::testing::AssertionFailure() << name << " has " << series.times.size() << " and " << s.times.size()
                                         << " rows";
  }
  return ::testing::AssertionSuccess();
}

/// Warnings of a run but those of lines that are heavy beside what they join, which tests of bars have on purpose.
inline std::vector<std::string> warnings_but_of_mass(const results::RunReport& report) {
  std::vector<std::string> others;
  for (const std::string& warning : report.warnings) {
    const bool is_of_mass = warning.find("the line's own mass") != std::string::npos ||
                            warning.find("the line's own inertia") != std::string::npos;
    if (!is_of_mass) others.push_back(warning);
  }
  return others;
}

/// All present values of a simulation, to be compared bit by bit.
inline std::map<std::string, double> present_values(const Simulation& simulation) {
  std::map<std::string, double> values;
  for (const std::string& name : simulation.variables()) values[name] = simulation.get(name);
  return values;
}

}  // namespace tieline::support
