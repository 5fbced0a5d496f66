#pragma once

#include <string>

namespace tieline::support {

/// Text of a model of two masses on a line: components `left` and `right`, each with the mass `body` and the interface
/// `end`, and the connection `rod`. What differs between tests is stated here, as XML.
struct TwoMasses {
  std::string head{};         ///< before the components: description, parameters
  std::string left{};         ///< in the first component, before its network
  std::string left_parts{};   ///< in its network, with its mass
  std::string right_parts{};  ///< in the other one's
  std::string stiffness = "1e6";
  std::string delay = "1e-4";

  [[nodiscard]] std::string text() const {
    const auto component = [](const std::string& name, const std::string& own, const std::string& parts) {
      return "    <Component name=\"" + name + "\" kind=\"network\">\n" + own + "      <Network>\n" + parts +
             "        <Interface name=\"end\" node=\"body\"/>\n      </Network>\n    </Component>\n";
    };
    return "<CompositeModel name=\"pair\">\n" + head + "  <Components>\n" + component("left", left, left_parts) +
           component("right", "", right_parts) +
           "  </Components>\n  <Connections>\n    <Connection name=\"rod\" from=\"left.end\" to=\"right.end\" "
           "coupling=\"line\" stiffness=\"" +
           stiffness + "\" delay=\"" + delay +
           "\"/>\n  </Connections>\n  <Simulation start=\"0\" stop=\"0.02\" write_interval=\"1e-4\"/>\n"
           "</CompositeModel>\n";
  }
};

}  // namespace tieline::support
