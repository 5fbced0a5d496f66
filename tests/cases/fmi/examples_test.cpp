// The examples with FMUs, put together as their pages say.

#include <cmath>
#include <gtest/gtest.h>

#include "support/fmu_model.hpp"

namespace tieline::support {
namespace fmi_examples_test {

namespace fs = std::filesystem;

/// A copy of an example's folder, with what has to be built beside the model.
class Example {
 public:
  explicit Example(const std::string& name) : model_(folder_.path() / (name + ".xml")) {
    for (const auto& entry : fs::directory_iterator(fs::path(TIELINE_SOURCE_DIR) / "examples" / name)) {
      if (entry.path().extension() == ".xml") fs::copy(entry.path(), folder_.path());
    }
  }
  void add(const fs::path& file, const std::string& name) const { fs::copy(file, folder_.path() / name); }
  using Choices = std::vector<std::pair<std::string, std::string>>;
  [[nodiscard]] RunRecord run(const Choices& choices, double stop = 0.0) const {
    return run_model(model_, {}, [&](Simulation& simulation) {
      for (const auto& [name, value] : choices) simulation.set(name, value);
      if (stop > 0.0) simulation.set_stop(stop);
    });
  }

 private:
  TemporaryFolder folder_;
  fs::path model_;
};

TEST(FmuExamples, ControllerHoldsItsPlant) {
  const Example example("controller-fmu");
  example.add(fmu_file("mass", 3), "mass.fmu");
  example.add(fmu_file("controller", 2), "controller.fmu");
  const RunRecord run = example.run({});
  // 100 N/m at 0.2 m.
  EXPECT_NEAR(run.values("controller.u.value").back(), 20.0, 0.05);
  EXPECT_NEAR(run.values("plant.x.value").back(), 0.2, 1e-3);
}

TEST(FmuExamples, TwoMassesAreTheSameInFourWays) {
  const Example example("two-mass-fmu");
  example.add(fmu_file("mass", 3), "mass.fmu");
  example.add(fmu_file("mass_update", 3), "mass_update.fmu");
  const RunRecord native = example.run({{"heavy", "native"}}, 2e-3);
  const auto off = [&](const char* way) {
    const RunRecord run = example.run({{"heavy", way}}, 2e-3);
    return largest_difference(native, run, "light.end.position") / largest_value(native, "light.end.position");
  };
  EXPECT_LT(off("me"), 1e-8);
  EXPECT_LT(off("update"), 1e-5);
  EXPECT_LT(off("cs"), 1e-4);
}

TEST(FmuExamples, APendulumOfFmusFromFourVendorsEqualsANativeOne) {
  const Example example("triple-pendulum-fmi");
  example.add(fmu_file("arm", 3), "arm.fmu");
  example.add(fs::path(TIELINE_SIMULATORS) / "pendulum_arm", "pendulum_arm");
  const double stop = 0.1;
  const RunRecord mixed = example.run({}, stop);
  const RunRecord native = example.run({{"first", "native"}, {"second", "native"}, {"third", "native"}}, stop);
  for (const char* axis : {"x", "z"}) {
    EXPECT_LT(largest_difference(native, mixed, std::string("weight.a.position.") + axis), 1e-6);
  }
}

}  // namespace fmi_examples_test
}  // namespace tieline::support
