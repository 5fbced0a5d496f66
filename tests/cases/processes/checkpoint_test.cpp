// Where components are computed does not matter to a checkpoint: its bytes are the same, and a run may continue
// elsewhere.

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

#include "support/domains_model.hpp"
#include "support/model_run.hpp"

namespace tieline::support {
namespace processes_checkpoint_test {

constexpr double kStop = 0.02, kEvery = 5e-3;  // [s]

std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Runs up to a time, leaving checkpoints, and finishes there.
void run_to(const std::filesystem::path& model, const std::filesystem::path& folder, double until,
            const ProcessOptions& options) {
  Simulation simulation = Simulation::load(model);
  simulation.set_stop(kStop);
  simulation.use_processes(options);
  simulation.checkpoint_every(kEvery);
  simulation.record_to(folder);
  simulation.advance_to(until);
  simulation.finish();
}

TEST(ProcessCheckpoints, HaveTheSameBytesAsThoseOfOneProcess) {
  const ModelFiles model(DomainsModel{}.text());
  const TemporaryFolder here, elsewhere;
  run_to(model.path(), here.path(), kStop, {});
  run_to(model.path(), elsewhere.path(), kStop, {.isolate = true});
  const std::string bytes = bytes_of(here.path() / "checkpoint.bin");
  EXPECT_FALSE(bytes.empty());
  EXPECT_EQ(bytes, bytes_of(elsewhere.path() / "checkpoint.bin"));
}

TEST(ProcessCheckpoints, ContinueInOtherProcessesOrInOne) {
  const ModelFiles model(DomainsModel{}.text());
  const TemporaryFolder unbroken;
  run_to(model.path(), unbroken.path(), kStop, {});
  for (const bool was_isolated : {false, true}) {
    for (const bool is_isolated : {false, true}) {
      if (!was_isolated && !is_isolated) continue;
      const TemporaryFolder folder;
      run_to(model.path(), folder.path(), 0.5 * kStop, {.isolate = was_isolated});
      Simulation resumed = Simulation::resume(folder.path());
      resumed.use_processes({.isolate = is_isolated, .transport = "tcp"});
      resumed.advance_to(kStop);
      resumed.finish();
      EXPECT_TRUE(have_same_bits(read_run(unbroken.path()), read_run(folder.path())))
          << was_isolated << ", then " << is_isolated;
    }
  }
}

}  // namespace processes_checkpoint_test
}  // namespace tieline::support
