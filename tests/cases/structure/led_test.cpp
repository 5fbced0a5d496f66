// Structures whose nodes take motion, against the same system in one piece or with forces at its cuts.

#include <gtest/gtest.h>

#include "support/model_run.hpp"

namespace tieline::support {
namespace led_structure_test {

const std::string kStock =
    "<Material name=\"steel\" youngs_modulus=\"210e9\" shear_modulus=\"80e9\" density=\"7800\"/><Section name=\"bar\" "
    "radius=\"0.01\"/>";

std::string structure(const std::string& name, const std::string& content, double step,
                      const std::string& attributes = "") {
  return fmt::format("<Component name=\"{}\" kind=\"structure\" step=\"{}\"><Structure {}>{}{}</Structure></Component>",
                     name, step, attributes, kStock, content);
}

/// A bar of 0.5 m along x from a point on, with a load at its far end.
std::string mast(const std::string& interface, double step) {
  return structure("mast",
                   "<Node name=\"root\" position=\"0.2, 0.1, 0\"/><Node name=\"tip\" position=\"0.7, 0.1, 0\"/><Beam "
                   "name=\"b\" from=\"root\" to=\"tip\" section=\"bar\" material=\"steel\" elements=\"3\"/><Damping "
                   "mass=\"1\" stiffness=\"2e-4\"/><Load node=\"tip\" force=\"{5*sin(20*t)}, {8*sin(30*t)}, {6*t}\" "
                   "torque=\"{sin(15*t)}, 0, 0\"/><Sensor name=\"end\" node=\"tip\"/>" +
                       interface,
                   step);
}
const std::string kLed = "<Interface name=\"foot\" node=\"root\" causality=\"motion\"/>";
const std::string kFree = "<Interface name=\"foot\" node=\"root\"/>";

/// A heavy body on springs, which the bar stands on off its centre. A sampled force that follows an acceleration is
/// stable only where what is accelerated is light.
std::string block(const std::string& attributes = "") {
  return fmt::format(
      "<Component name=\"block\" kind=\"multibody\" {}><Multibody><Body name=\"b\" mass=\"200\" inertia=\"20, 22, "
      "24\"><Frame name=\"top\" position=\"0.2, 0.1, 0\"/></Body><Tie name=\"k\" from=\"ground\" to=\"b\" "
      "stiffness=\"2e5, 3e5, 4e5, 8e3, 9e3, 1e4\" damping=\"200, 200, 200, 10, 10, 10\"/><Interface name=\"top\" "
      "frame=\"b.top\"/></Multibody></Component>",
      attributes);
}

std::string model(const std::string& components, const std::string& connection, const std::string& more = "",
                  double stop = 0.2) {
  return fmt::format(
      "<CompositeModel name=\"led\"><Components>{}</Components><Connections>{}</Connections>{}<Simulation stop=\"{}\" "
      "write_interval=\"0.01\" tolerance=\"1e-10\"/></CompositeModel>",
      components, connection, more, stop);
}
std::string joined(const std::string& how, bool is_swapped = false) {
  return fmt::format("<Connection name=\"j\" from=\"{}\" to=\"{}\" {}/>", is_swapped ? "mast.foot" : "block.top",
                     is_swapped ? "block.top" : "mast.foot", how);
}

double off(const RunRecord& run, const RunRecord& whole) {
  double worst = 0.0;
  for (const char* variable :
       {"block.b.position.x", "block.b.position.y", "block.b.position.z", "block.b.orientation.y",
        "mast.end.displacement.y", "mast.end.displacement.z", "mast.end.rotation.x"}) {
    const auto &a = run.values(variable), &b = whole.values(variable);
    EXPECT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  }
  return worst;
}

/// With forces at the cut, and steps so fine that Newmark's error is next to nothing.
const RunRecord& exact() {
  static const RunRecord run =
      run_text(model(block() + mast(kFree, 2.5e-5), joined("coupling=\"glue\""), "<Gluing step=\"1e-3\"/>"));
  return run;
}

TEST(LedStructure, IsGluedAsOneThatTakesForce) {
  for (const bool is_swapped : {false, true}) {
    std::vector<double> errors;
    for (const double step : {1e-3, 5e-4}) {
      errors.push_back(off(run_text(model(block() + mast(kLed, step), joined("coupling=\"glue\"", is_swapped),
                                          fmt::format("<Gluing step=\"{}\"/>", 4.0 * step))),
                           exact()));
    }
    RecordProperty("errors", fmt::format("{:.3g} {:.3g}", errors[0], errors[1]));
    EXPECT_LT(errors[1], 2e-6);
    EXPECT_GT(std::log2(errors[0] / errors[1]), 1.6);
  }
}

TEST(LedStructure, IsSampledWithTheOrderOfItsSteps) {
  for (const char* schedule : {"jacobi", "gauss_seidel"}) {
    std::vector<double> errors;
    for (const double step : {4e-4, 1e-4}) {
      const std::string how =
          fmt::format("coupling=\"sampled\" extrapolation=\"linear\" schedule=\"{}\" step=\"{}\"", schedule, step);
      errors.push_back(off(run_text(model(block() + mast(kLed, step), joined(how))), exact()));
    }
    RecordProperty(schedule, fmt::format("{:.3g} {:.3g}", errors[0], errors[1]));
    EXPECT_LT(errors[1], 1e-5) << schedule;
    EXPECT_GT(0.5 * std::log2(errors[0] / errors[1]), 0.9) << schedule;
  }
}

TEST(LedStructure, BalancesItsEnergyAndSaysSo) {
  const RunRecord run =
      run_text(model(block() + mast(kLed, 5e-4), joined("coupling=\"glue\""), "<Gluing step=\"2e-3\"/>"));
  EXPECT_LT(std::abs(run.report.energy_balance_relative), 1e-4);
  EXPECT_EQ(run.connection("j").judgement.verdict, results::Verdict::trust) << run.connection("j").judgement.reason;
}

TEST(LedStructure, HasTheSameBitsWithAnyThreadsAndAfterASnapshot) {
  for (const char* how :
       {"coupling=\"glue\"", "coupling=\"sampled\" extrapolation=\"linear\" schedule=\"jacobi\" step=\"5e-4\""}) {
    const bool is_glue = std::string(how).find("glue") != std::string::npos;
    const ModelFiles files(
        model(block("solver=\"dopri5\"") + mast(kLed, 5e-4), joined(how), is_glue ? "<Gluing step=\"2e-3\"/>" : ""));
    Simulation one = Simulation::load(files.path()), two = Simulation::load(files.path());
    Simulation three = Simulation::load(files.path());
    one.advance_to(0.02, {.threads = 1});
    const std::string state = one.save();
    one.advance_to(0.04, {.threads = 1});
    two.advance_to(0.04, {.threads = 3});
    three.restore(state);
    three.advance_to(0.04, {.threads = 2});
    EXPECT_EQ(present_values(one), present_values(two)) << how;
    EXPECT_EQ(present_values(one), present_values(three)) << how;
  }
}

std::string complaint(const std::string& text) {
  try {
    run_text(text);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST(LedStructure, NamesWhatIsOverDetermined) {
  const std::string twice =
      complaint(model(mast(kLed + "<Interface name=\"other\" node=\"root\" causality=\"motion\"/>", 1e-3), ""));
  EXPECT_NE(twice.find("'foot' already gives the node 'root' its motion: a second one over-determines it"), twice.npos)
      << twice;
  const std::string held = complaint(model(mast("<Support node=\"root\"/>" + kLed, 1e-3), ""));
  EXPECT_NE(held.find("held by the <Support> in line 1: a motion that comes in over-determines it"), held.npos) << held;
}

}  // namespace led_structure_test
}  // namespace tieline::support
