// From the packed file to a step: all test FMUs, through archive, description, library and instance.

#include "fmi/loading.hpp"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

#include "document/diagnostics.hpp"
#include "fmi/test_fmus.hpp"

namespace tieline::fmi {
namespace {

std::vector<std::filesystem::path> all_fmus() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(TIELINE_TEST_FMUS)) {
    if (entry.path().extension() == ".fmu") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

struct Opened {
  std::optional<Archive> archive{};
  std::optional<Description> description{};
};

Opened open_quietly(const std::filesystem::path& file) {
  document::Diagnostics diagnostics;
  Opened opened;
  opened.archive = Archive::open(file, diagnostics);
  if (opened.archive) opened.description = read_description(*opened.archive, diagnostics);
  EXPECT_EQ(diagnostics.describe(), "") << file;
  return opened;
}

void run_one_step(Instance& instance) {
  expect_done(instance.enter_initialization({0.0, 1.0, std::nullopt}));
  expect_done(instance.exit_initialization());
  if (instance.type() == kCoSimulation) {
    EXPECT_EQ(value_or_throw(instance.do_step(0.0, 0.01, true)).reached, 0.01);
    return;
  }
  static_cast<void>(value_or_throw(instance.settle_events()));
  expect_done(instance.enter_continuous_time());
  std::vector<double> states(value_or_throw(instance.state_count()));
  expect_done(instance.get_states(states));
  expect_done(instance.get_derivatives(states));
}

TEST(LoadFmu, RunsEveryTestFmu) {
  ASSERT_EQ(all_fmus().size(), 22U);
  for (const std::filesystem::path& file : all_fmus()) {
    SCOPED_TRACE(file.filename().string());
    Opened fmu = open_quietly(file);
    ASSERT_TRUE(fmu.description);
    for (const InterfaceType type : {kExchange, kCoSimulation}) {
      const bool can =
          type == kExchange ? fmu.description->model_exchange.has_value() : fmu.description->co_simulation.has_value();
      auto loaded = load_fmu(*fmu.archive, *fmu.description, type);
      ASSERT_EQ(loaded.has_value(), can);
      if (!can) continue;
      EXPECT_EQ(loaded->warning, "");
      const auto instance =
          value_or_throw(Instance::create(loaded->library, settings_for(*fmu.description, *loaded, "one")));
      run_one_step(*instance);
    }
  }
}

TEST(LoadFmu, SettingsFollowTheDescription) {
  for (const int version : {2, 3}) {
    Opened fmu = open_quietly(file_of("bouncing_ball", version));
    const LoadedFmu loaded = value_or_throw(load_fmu(*fmu.archive, *fmu.description, kExchange));
    const InstanceSettings settings = settings_for(*fmu.description, loaded, "ball");
    EXPECT_EQ(settings.name, "ball");
    EXPECT_EQ(settings.token, token_of("bouncing_ball", version));
    EXPECT_EQ(settings.state_count, 2U);
    EXPECT_EQ(settings.indicator_count, 1U);
    EXPECT_EQ(settings.variable_names('r', 2), "v");
    EXPECT_EQ(settings.variable_names('i', 8), "bounces");
    EXPECT_EQ(settings.variable_names('r', 99), "");
    EXPECT_EQ(loaded.resources.filename(), "resources");
  }
}

TEST(LoadFmu, SaysWhatAnFmuCannot) {
  Opened fmu = open_quietly(file_of("mass_update", 3));
  EXPECT_EQ(load_fmu(*fmu.archive, *fmu.description, kExchange).error().message,
            "the FMU cannot be run by model exchange");
}

}  // namespace
}  // namespace tieline::fmi
