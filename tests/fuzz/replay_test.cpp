// Inputs that fuzzers have found worth keeping, and those written by hand, read once more.

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

#include "fuzz/targets.hpp"

namespace tieline::fuzz {
namespace replay_test {

struct Target {
  const char* name = "";  ///< also the folder of its kept inputs
  void (*read)(std::string_view input) = nullptr;
};

class Replay : public testing::TestWithParam<Target> {};

TEST_P(Replay, SurvivesEveryKeptInput) {
  const auto folder = std::filesystem::path(TIELINE_SOURCE_DIR) / "tests/fuzz/corpus" / GetParam().name;
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream stream(entry.path(), std::ios::binary);
    const std::string input{std::istreambuf_iterator<char>(stream), {}};
    SCOPED_TRACE(entry.path().string());
    GetParam().read(input);
    ++count;
  }
  EXPECT_GT(count, 10u) << "the kept inputs are missing from " << folder;
}

INSTANTIATE_TEST_SUITE_P(
    Fuzz, Replay,
    testing::Values(Target{"model", read_model_file}, Target{"library", read_library_file},
                    Target{"site", read_site_file}, Target{"foreign", read_foreign}, Target{"ssp", read_ssp},
                    Target{"modelica", read_modelica}, Target{"expression", read_expression}, Target{"rows", read_rows},
                    Target{"mesh", read_mesh}, Target{"wire", read_wire}, Target{"messages", read_messages},
                    Target{"fmu_description", read_fmu_description}, Target{"fmu_archive", read_fmu_archive},
                    Target{"elf", read_elf_file}, Target{"results", read_results}, Target{"reports", read_reports},
                    Target{"checkpoint", read_checkpoint}),
    [](const auto& target) { return std::string(target.param.name); });

}  // namespace replay_test
}  // namespace tieline::fuzz
