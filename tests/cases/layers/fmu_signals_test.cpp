// A co-simulation FMU and a controller that send each other signals, with steps of their own, against the exact
// solution.

#include <Eigen/Dense>
#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

#include "support/fmu_model.hpp"

namespace tieline::support {
namespace layers_fmu_signals_test {

constexpr double kGain = -40.0, kRateGain = -1.0, kLag = 0.05;

/// x'' = -100 x - x'/2 + u in the FMU, which takes inner steps of 0.1 ms; kLag u' = -u + kGain x + kRateGain x'.
std::string model(const std::string& fmu, double step, double step_of_blocks, const std::string& options,
                  const std::string& layers = "<Layers/>") {
  return fmt::format(
      R"(<CompositeModel name="loop"><Components>
    <Component name="a" kind="fmu" file="{}/{}.fmu" step="{}" isolate="false"><Fmu mode="co_simulation" {}/>
      <Start variable="step" value="1e-4"/></Component>
    <Component name="b" kind="blocks" solver="rk4" step="{}"><Blocks><Input name="x"/><Input name="v"/>
      <Gain name="p" input="x" gain="-40"/><Gain name="d" input="v" gain="-1"/><Sum name="s" inputs="p, d"/>
      <TransferFunction name="f" input="s" denominator="0.05, 1"/><Output name="u" of="f"/></Blocks></Component>
    </Components><Connections><Connection from="a.x" to="b.x"/><Connection from="a.v" to="b.v"/>
    <Connection from="b.u" to="a.f"/></Connections>{}<Simulation stop="2" write_interval="0.04"/></CompositeModel>)",
      TIELINE_TEST_FMUS, fmu, step, options, step_of_blocks, layers);
}

/// Largest error of x, as a share of its range.
double error_of(const std::string& text) {
  const RunRecord run = run_text(text);
  Eigen::Matrix3d A;
  A << 0.0, 1.0, 0.0, -100.0, -0.5, 1.0, kGain / kLag, kRateGain / kLag, -1.0 / kLag;
  const Eigen::EigenSolver<Eigen::Matrix3d> solver(A);
  const Eigen::Vector3cd shares = solver.eigenvectors().partialPivLu().solve(Eigen::Vector3cd(0.1, 0.0, 0.0));
  const auto &times = run.times("a.x.value"), &values = run.values("a.x.value");
  double error = 0.0, least = 0.0, most = 0.0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const Eigen::Array3cd grown = shares.array() * (solver.eigenvalues().array() * times[i]).exp();
    const double x = (solver.eigenvectors().row(0) * grown.matrix())(0).real();
    error = std::max(error, std::abs(values[i] - x));
    least = std::min(least, x), most = std::max(most, x);
  }
  return error / (most - least);
}

struct Steps {
  std::string name{};
  double fmu = 0.0, blocks = 0.0;
  friend std::ostream& operator<<(std::ostream& out, const Steps& steps) { return out << steps.name; }
};
class FmusInLayers : public testing::TestWithParam<Steps> {};

TEST_P(FmusInLayers, GetTheirSignalsWithoutTheLagOfHeldOnes) {
  const auto [name, fmu, blocks] = GetParam();
  const double held = error_of(model("mass_fmi2", fmu, blocks, "inputs=\"hold\""));
  const double straight = error_of(model("mass_fmi2", fmu, blocks, ""));
  const double mean = error_of(model("mass_fmi3", fmu, blocks, ""));
  if (std::getenv("TIELINE_SHOW_VALUES") != nullptr) {
    fmt::print("{}: held {:.2g}, straight {:.2g}, mean {:.2g}\n", name, held, straight, mean);
  }
  // Of second order in the steps, where held inputs are of first order in those of the FMU.
  EXPECT_LT(straight, 2e-3);
  EXPECT_LT(mean, 2e-3);
  EXPECT_LT(std::max(straight, mean), held);
  if (fmu > 3e-3) {
    EXPECT_LT(std::max(straight, mean), 0.05 * held);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, FmusInLayers,
                         testing::Values(Steps{"one_to_three", 0.002, 0.006}, Steps{"three_to_one", 0.006, 0.002},
                                         Steps{"one_to_forty", 0.0002, 0.008}, Steps{"forty_to_one", 0.008, 0.0002},
                                         Steps{"root_two", 0.004, 0.004 * 1.41421356}),
                         [](const auto& each) { return each.param.name; });

}  // namespace layers_fmu_signals_test
}  // namespace tieline::support
