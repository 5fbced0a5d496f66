// From the packed file to a step: all test FMUs, through archive, description, library and instance.

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "document/diagnostics.hpp"
#include "fmi/description.hpp"
#include "fmi/fmu_file.hpp"
#include "fmi/test_fmus.hpp"
#include "support/instrumented.hpp"

namespace tieline::fmi {
namespace every_fmu_test {

std::vector<std::filesystem::path> all_fmus() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(TIELINE_TEST_FMUS)) {
    // Those that crash or hang when they step are for processes of their own.
    const std::string name = entry.path().filename().string();
    if (name.starts_with("liar_crash") || name.starts_with("liar_hang")) continue;
    if (entry.path().extension() == ".fmu") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

struct Opened {
  std::optional<archive::Archive> archive{};
  std::optional<Description> description{};
};

Opened open_quietly(const std::filesystem::path& file) {
  document::Diagnostics diagnostics;
  Opened opened;
  opened.archive = open_fmu(file, diagnostics);
  if (opened.archive) opened.description = read_description(*opened.archive, diagnostics);
  EXPECT_EQ(diagnostics.describe(), "") << file;
  return opened;
}

std::unique_ptr<Instance> instance_of(Opened& fmu, InterfaceType type) {
  const Description& description = *fmu.description;
  std::vector<std::string> folders;
  for (const Platform& platform : platforms_of(*fmu.archive)) folders.push_back(platform.name);
  const PlatformChoice platform = value_or_throw(choose_platform(description.version, folders));
  EXPECT_EQ(platform.warning, "");
  const std::string& identifier =
      type == kExchange ? description.model_exchange->model_identifier : description.co_simulation->model_identifier;
  // It may need libraries there.
  const auto resources = value_or_throw(fmu.archive->provide_folder("resources"));
  auto library = value_or_throw(Library::open(
      {value_or_throw(fmu.archive->provide("binaries/" + platform.folder)), identifier, description.version, type}));
  InstanceSettings settings;
  settings.name = "one";
  settings.resources = resources;
  settings.token = description.token;
  settings.state_count = description.structure.derivatives.size();
  settings.indicator_count = description.event_indicator_count;
  settings.negated_aliases = description.negated_aliases;
  return value_or_throw(Instance::create(std::move(library), std::move(settings)));
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

TEST(EveryFmu, IsUnpackedReadLoadedAndRun) {
  ASSERT_EQ(all_fmus().size(), 73U);
  for (const std::filesystem::path& file : all_fmus()) {
    SCOPED_TRACE(file.filename().string());
    Opened fmu = open_quietly(file);
    ASSERT_TRUE(fmu.description);
    // Under sanitizers, whose symbols must come first, it finds those of others.
    if (support::kIsInstrumented && file.stem().string().starts_with("own_")) continue;
    if (fmu.description->model_exchange) run_one_step(*instance_of(fmu, kExchange));
    if (fmu.description->co_simulation) run_one_step(*instance_of(fmu, kCoSimulation));
  }
}

}  // namespace every_fmu_test
}  // namespace tieline::fmi
