#pragma once

#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

namespace tieline::support {

/// A model of the listed parts, in their order.
inline std::string listed_model(const std::string& name, const std::vector<std::string>& components,
                                const std::vector<std::string>& connections, double stop,
                                const std::string& simulation_settings) {
  std::string result = fmt::format("<CompositeModel name=\"{}\"><Components>\n", name);
  for (const auto& component : components) result += component + "\n";
  result += "</Components><Connections>\n";
  for (const auto& connection : connections) result += connection + "\n";
  return result + fmt::format(
                      "</Connections><Simulation stop=\"{}\" tolerance=\"1e-7\" write_interval=\"1.3e-5\" {}/>"
                      "</CompositeModel>",
                      stop, simulation_settings);
}

/// A model with a little of everything: masses on lines of different delays and with different solvers, a control loop
/// with delayed and undelayed signals, an output that feeds several inputs, and a sampled coupling.
struct MixedModel {
  double stop = 0.02;
  std::string simulation_settings{};
  bool has_multistep_solvers = true;

  [[nodiscard]] std::vector<std::string> components() const {
    std::vector<std::string> all;
    const std::string bdf = has_multistep_solvers ? "cvode-bdf" : "radau5";
    const std::string adams = has_multistep_solvers ? "cvode-adams" : "dopri5";
    const std::vector<std::string> solvers{"dopri5", "radau5", bdf, adams, "rk4", "auto"};
    for (int i = 0; i < 6; ++i) {
      std::string extra;
      if (i == 0) {
        extra = "<SignalInput name=\"u\"/><Load name=\"drive\" node=\"body\" force=\"{u}\"/>";
      } else if (i == 2) {
        extra = "<Load name=\"push\" node=\"body\" force=\"{800*pulse(t, 2.05e-3, 4e-3)}\"/>";
      } else if (i == 3) {
        extra = "<SignalOutput name=\"v\" of=\"body.velocity\"/>";
      } else if (i == 4) {
        extra =
            "<Ground name=\"ground\"/><Clearance name=\"play\" from=\"ground\" to=\"body\" stiffness=\"1e6\" "
            "damping=\"50\" gap=\"2e-4\"/>";
      }
      all.push_back(fmt::format(
          "<Component name=\"m{}\" kind=\"network\" solver=\"{}\" step=\"2.5e-5\"><Network><Mass name=\"body\" "
          "mass=\"{}\"/>{}<Interface name=\"left\" node=\"body\"/><Interface name=\"right\" node=\"body\"/></Network>"
          "</Component>",
          i, solvers[static_cast<std::size_t>(i)], 1.0 + 0.3 * i, extra));
    }
    all.push_back(
        "<Component name=\"controller\" kind=\"blocks\"><Blocks><Input name=\"measured\"/><Source name=\"wanted\" "
        "value=\"{0.5*smoothstep(t, 0, 5e-3)}\"/><Sum name=\"deviation\" inputs=\"wanted,-measured\"/><Pid "
        "name=\"pid\" input=\"deviation\" kp=\"800\" ki=\"2e4\" lower=\"-300\" upper=\"300\"/><Output name=\"u\" "
        "of=\"pid\"/></Blocks></Component>");
    all.push_back(
        "<Component name=\"monitor\" kind=\"blocks\"><Blocks><Input name=\"force\"/><Input name=\"speed\"/><Gain "
        "name=\"scaled\" input=\"force\" gain=\"0.01\"/><TransferFunction name=\"filtered\" input=\"speed\" "
        "numerator=\"1\" denominator=\"1e-3,1\"/><SampleHold name=\"held\" input=\"scaled\" period=\"7e-4\"/><Sum "
        "name=\"both\" inputs=\"filtered,held\"/><Output name=\"y\" of=\"both\"/></Blocks></Component>");
    all.push_back(
        "<Component name=\"tail\" kind=\"network\"><Network><Node name=\"end\"/><Mass name=\"body\" mass=\"0.2\"/>"
        "<Spring name=\"spring\" from=\"end\" to=\"body\" stiffness=\"2e5\"/><Damper name=\"damper\" from=\"end\" "
        "to=\"body\" damping=\"20\"/><Interface name=\"root\" node=\"end\" causality=\"motion\"/><SignalOutput "
        "name=\"pull\" of=\"spring.force\"/></Network>"
        "</Component>");
    return all;
  }

  [[nodiscard]] std::vector<std::string> connections() const {
    std::vector<std::string> all;
    const std::vector<double> delays{1e-4, 1.7e-4, 1e-4, 1e-3, 2e-4};
    for (int i = 0; i < 5; ++i) {
      all.push_back(
          fmt::format("<Connection name=\"line{0}\" from=\"m{0}.right\" to=\"m{1}.left\" coupling=\"line\" "
                      "stiffness=\"1e6\" delay=\"{2}\" damping=\"{3}\"/>",
                      i, i + 1, delays[static_cast<std::size_t>(i)], i == 1 ? 0.2 : 0.0));
    }
    all.push_back("<Connection name=\"command\" from=\"controller.u\" to=\"m0.u\"/>");
    all.push_back("<Connection name=\"sensor\" from=\"m3.v\" to=\"controller.measured\" delay=\"3e-4\"/>");
    all.push_back("<Connection from=\"tail.pull\" to=\"monitor.force\" delay=\"5e-4\"/>");
    all.push_back("<Connection from=\"m3.v\" to=\"monitor.speed\" delay=\"2e-4\"/>");
    all.push_back("<Connection name=\"tip\" from=\"m5.right\" to=\"tail.root\" coupling=\"sampled\"/>");
    return all;
  }

  [[nodiscard]] std::string text(const std::vector<std::string>& components,
                                 const std::vector<std::string>& connections) const {
    return listed_model("mixed", components, connections, stop, simulation_settings);
  }
  [[nodiscard]] std::string text() const { return text(components(), connections()); }
};

}  // namespace tieline::support
