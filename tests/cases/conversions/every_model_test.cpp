// Every model of the examples, pages and tests goes through every other format and back, and its run is the same.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

#include "tieline/simulation.hpp"

#include "assembly/checked_model.hpp"
#include "assembly/conversion.hpp"
#include "core/command_line.hpp"
#include "document/expression.hpp"
#include "support/temporary_folder.hpp"

namespace tieline::assembly {
namespace every_model_test {

namespace fs = std::filesystem;

std::string contents(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Whole models between two marks: in raw strings of a test, or in blocks of a page.
void find_models(const std::string& text, std::string_view open, std::string_view close, std::set<std::string>& all) {
  for (std::size_t at = text.find(open); at != text.npos; at = text.find(open, at)) {
    at += open.size();
    const std::size_t end = text.find(close, at);
    if (end == text.npos) return;
    const std::string_view part = document::trimmed(std::string_view(text).substr(at, end - at));
    if (part.starts_with("<CompositeModel") && part.ends_with("</CompositeModel>")) all.emplace(part);
    at = end;
  }
}

/// Converts models, and runs what comes back.
class EveryModel : public testing::Test {
 protected:
  struct Outcome {
    std::map<std::string, double> values{};
    std::string failure{};
    bool operator==(const Outcome& other) const {
      const auto same = [](const auto& a, const auto& b) {
        return a.first == b.first && (a.second == b.second || (std::isnan(a.second) && std::isnan(b.second)));
      };
      return failure.empty() == other.failure.empty() &&
             std::equal(values.begin(), values.end(), other.values.begin(), other.values.end(), same);
    }
  };

  /// All values of the model early in its run.
  static Outcome run(const fs::path& file) {
    Outcome outcome;
    try {
      Simulation simulation = Simulation::load(file);
      simulation.start({.threads = 1});
      const double start = simulation.start_time(), length = simulation.stop_time() - start;
      // A thousandth of a run passes some windows of most models, and costs little of any.
      simulation.advance_to(start + 1e-3 * length, {.threads = 1});
      for (const std::string& name : simulation.variables()) outcome.values[name] = simulation.get(name);
    } catch (const std::exception& error) {
      outcome.failure = error.what();
    }
    return outcome;
  }

  /// Empty, or the problems where it fails.
  std::string convert(const fs::path& in, const fs::path& out, std::string_view format) {
    document::Diagnostics diagnostics;
    interchange::Source source(in);
    const auto done = convert_model(
        {.source = source, .exporter = *interchange::find_named_exporter(format), .out = out, .replaces = true},
        diagnostics);
    has_losses_ = false;
    losses_.clear();
    for (const auto& row : done ? done->written.rows() : std::span<const interchange::ConversionReport::Row>()) {
      // Connections and texts do not appear in results.
      if (row.lost > 0) losses_ += row.what + ", ";
      has_losses_ = has_losses_ || (row.lost > 0 && row.what != "names of connections" && row.what != "descriptions");
    }
    return done ? "" : diagnostics.describe() + done.error().message;
  }

  [[nodiscard]] static bool is_sound(const fs::path& file) {
    document::Diagnostics diagnostics;
    return check_model(file, {}, diagnostics) && !diagnostics.has_errors();
  }

  /// Through a format and back, to a file in the same folder.
  void expect_same(const fs::path& file, std::string_view format, std::string_view ending, const Outcome& original,
                   bool may_lose = false) {
    const fs::path other = file.parent_path() / ("other" + std::string(ending));
    const fs::path back = file.parent_path() / "back.xml";
    const std::string place = names_[file] + " through " + std::string(format);
    ASSERT_EQ(convert(file, other, format), "") << place;
    if (may_lose && has_losses_) {
      if (std::getenv("TIELINE_SHOW_VALUES") != nullptr) std::cout << "  " << format << " loses " << losses_ << "\n";
      return;
    }
    ASSERT_EQ(convert(other, back, "tieline"), "") << place;
    const Outcome result = run(back);
    ++runs_[std::string(format)];
    EXPECT_EQ(result.failure, original.failure.empty() ? "" : result.failure) << place;
    EXPECT_TRUE(result == original) << place << difference(original, result);
  }

  static std::string difference(const Outcome& a, const Outcome& b) {
    std::ostringstream text;
    text.precision(17);
    for (const auto& [name, value] : a.values) {
      const auto found = b.values.find(name);
      if (found == b.values.end())
        text << "\n  " << name << " is missing";
      else if (found->second != value)
        text << "\n  " << name << " was " << value << ", is " << found->second;
    }
    return text.str() + (a.failure == b.failure ? "" : "\n  " + a.failure + "\n  " + b.failure);
  }

  /// In a folder of its own, beside the files that it names.
  void check(const fs::path& file, const std::string& name) {
    names_[file] = name;
    if (!is_sound(file)) {
      if (std::getenv("TIELINE_SHOW_VALUES") != nullptr) std::cout << name << " is not sound by itself\n";
      return;
    }
    ++count_;
    const Outcome original = run(file);
    if (std::getenv("TIELINE_SHOW_VALUES") != nullptr)
      std::cout << name << ": " << original.values.size() << " values " << original.failure << "\n";
    expect_same(file, "modelica", ".mo", original);
    expect_same(file, "ssp", ".ssp", original);
    expect_same(file, "omtlm", "-omtlm.xml", original, true);
    expect_same(file, "meta-model", "-meta.xml", original, true);
  }

  support::TemporaryFolder folder_{};
  std::map<fs::path, std::string> names_{};
  std::map<std::string, int> runs_{};
  int count_ = 0;
  bool has_losses_ = false;
  std::string losses_{};
};

TEST_F(EveryModel, OfTestsAndPagesRunsTheSameAfterItWasInAnotherFormat) {
  std::map<std::string, std::set<std::string>> by_source;
  const fs::path root = TIELINE_SOURCE_DIR;
  for (const char* const part : {"tests", "docs", "examples"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / part)) {
      const fs::path extension = entry.path().extension();
      if (entry.path().string().find("/corpus/") != std::string::npos) continue;
      auto& models = by_source[entry.path().lexically_relative(root).string()];
      if (extension == ".cpp" || extension == ".hpp") find_models(contents(entry.path()), "R\"(", ")\"", models);
      if (extension == ".md") find_models(contents(entry.path()), "```xml\n", "\n```", models);
    }
  }
  int number = 0;
  for (const auto& [source, models] : by_source) {
    for (const std::string& text : models) {
      const fs::path place = folder_.path() / std::to_string(++number);
      fs::create_directory(place);
      std::ofstream(place / "model.xml") << text;
      check(place / "model.xml", source + ", model " + std::to_string(number));
    }
  }
  EXPECT_GT(count_, 30) << "of " << number;
}

TEST_F(EveryModel, OfExamplesAndCasesRunsTheSameAfterItWasInAnotherFormat) {
  // Models name files of their neighbours, and FMUs that are built for them.
  const fs::path root = TIELINE_SOURCE_DIR, fmus = TIELINE_TEST_FMUS;
  for (const char* const part : {"tests/cases", "examples"}) {
    fs::create_directories((folder_.path() / part).parent_path());
    fs::copy(root / part, folder_.path() / part, fs::copy_options::recursive);
  }
  const fs::path examples = folder_.path() / "examples";
  fs::copy(fmus / "mass_fmi3.fmu", examples / "controller-fmu/mass.fmu");
  fs::copy(fmus / "controller_fmi2.fmu", examples / "controller-fmu/controller.fmu");
  fs::copy(fmus / "mass_fmi3.fmu", examples / "two-mass-fmu/mass.fmu");
  fs::copy(fmus / "mass_update_fmi3.fmu", examples / "two-mass-fmu/mass_update.fmu");
  fs::copy(fmus / "arm_fmi3.fmu", examples / "triple-pendulum-fmi/arm.fmu");
  std::set<fs::path> files;
  for (const char* const part : {"tests/cases", "examples"}) {
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path() / part)) {
      if (entry.path().extension() != ".xml") continue;
      std::string text = contents(entry.path());
      // Where a test states its settings.
      if (const std::size_t at = text.find(" SIMULATION"); at != text.npos) {
        text.erase(at, std::string_view(" SIMULATION").size());
        std::ofstream(entry.path()) << text;
      }
      if (text.find("<CompositeModel") != text.npos || text.find("<Model ") != text.npos) files.insert(entry.path());
    }
  }
  for (const fs::path& file : files) check(file, file.lexically_relative(folder_.path()).string());
  EXPECT_GT(count_, 50) << "of " << files.size();
  EXPECT_GT(runs_["omtlm"], 2);
  EXPECT_GT(runs_["meta-model"], 2);
}

TEST_F(EveryModel, KeepsTheProgramsThatItsCommandsName) {
  const fs::path place = folder_.path() / "model";
  fs::create_directories(place / "my tools");
  std::ofstream(place / "my tools/tool") << "#!/bin/sh\n";
  std::ofstream(place / "beside") << "#!/bin/sh\n";
  const std::vector<std::pair<std::string, std::string>> commands{
      {"'/usr/bin/env' sh", "'/usr/bin/env' sh"},
      {"/usr/bin/env sh", "/usr/bin/env sh"},
      {"sh {run_folder}", "sh {run_folder}"},
      {"'my tools/tool' -x", "'./other/resources/my tools/tool' -x"},
      {"./beside 3", "./other/resources/./beside 3"}};
  for (const auto& [command, expected] : commands) {
    std::ofstream(place / "model.xml") << R"(<CompositeModel name="m"><Components>
      <Component name="tool" kind="process" command=")"
                                       << command << R"("> <Interface name="end" domain="translation"/> </Component>
      </Components><Simulation stop="1"/></CompositeModel>)";
    const fs::path other = place / "other.ssp", back = place / "back.xml";
    ASSERT_EQ(convert(place / "model.xml", other, "ssp"), "") << command;
    ASSERT_EQ(convert(other, back, "tieline"), "") << command;
    document::Diagnostics diagnostics;
    const auto returned = document::Document::load(back, diagnostics);
    ASSERT_TRUE(returned);
    const std::string got = returned->root().child("Components").child("Component").get("command");
    const auto path_of = [](const std::string& line) {
      auto words = core::split_command(line);
      if (!words || words->empty()) return std::string("none");
      words->front() = fs::path(words->front()).lexically_normal().generic_string();
      return core::join_command(*words);
    };
    EXPECT_EQ(path_of(got), path_of(expected)) << command << " became " << got;
  }
}

}  // namespace every_model_test
}  // namespace tieline::assembly
