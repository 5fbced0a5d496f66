#pragma once

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace tieline::support {

/// A ladder frame of beams (two rails, four cross members) as model text: in one piece, or in parts that are glued. The
/// load is at the middle of the second cross member, supports at two points of each rail.
class LadderFrame {
 public:
  int elements = 4;  ///< of every stretch of beam
  double step = 1e-4;
  bool is_reversed = false;  ///< nodes and beams in reversed order, which changes nothing but rounding
  std::string damping{};

  [[nodiscard]] std::string whole() const {
    Part part;
    rail(part, "left", 0.43);
    rail(part, "right", -0.43);
    for (int c = 0; c < 4; ++c) {
      member(part, c, fmt::format("left{}", kStations[c]), fmt::format("right{}", kStations[c]));
    }
    return component("all", part);
  }
  [[nodiscard]] std::string rail_component(const std::string& name, double y) const {
    Part part;
    rail(part, name, y);
    for (int c = 0; c < 4; ++c) part.interface(fmt::format("seat{}", c), fmt::format("{}{}", name, kStations[c]));
    return component(name, part);
  }
  [[nodiscard]] std::string member_component(int c) const {
    Part part;
    part.node("l", kPlaces[static_cast<std::size_t>(kStations[c])], 0.43);
    part.node("r", kPlaces[static_cast<std::size_t>(kStations[c])], -0.43);
    member(part, c, "l", "r");
    part.interface("left", "l");
    part.interface("right", "r");
    return component(fmt::format("cross{}", c), part);
  }
  [[nodiscard]] static std::string glue(const std::string& from, const std::string& to) {
    return fmt::format("<Connection from=\"{}\" to=\"{}\" coupling=\"glue\"/>", from, to);
  }
  [[nodiscard]] static std::string model(const std::string& components, const std::string& connections,
                                         const std::string& more, double stop, double interval = 1e-3) {
    return fmt::format(
        "<CompositeModel name=\"frame\"><Components>{}</Components>{}<Connections>{}</Connections><Simulation "
        "stop=\"{}\" write_interval=\"{}\"/></CompositeModel>",
        components, more, connections, stop, interval);
  }
  [[nodiscard]] std::string whole_model(double stop) const { return model(whole(), "", "", stop); }
  [[nodiscard]] std::string flat_model(double stop, const std::string& more = "") const {
    std::string components = rail_component("left", 0.43) + rail_component("right", -0.43), connections;
    for (int c = 0; c < 4; ++c) {
      components += member_component(c);
      connections += glue(fmt::format("left.seat{}", c), fmt::format("cross{}.left", c));
      connections += glue(fmt::format("cross{}.right", c), fmt::format("right.seat{}", c));
    }
    return model(components, connections, more, stop);
  }
  /// The left rail with all cross members, as a model to be nested.
  [[nodiscard]] std::string left_side() const {
    std::string components = rail_component("left", 0.43), connections, exports;
    for (int c = 0; c < 4; ++c) {
      components += member_component(c);
      connections += glue(fmt::format("left.seat{}", c), fmt::format("cross{}.left", c));
      exports += fmt::format("<Interface name=\"end{}\" of=\"cross{}.right\"/>", c, c);
    }
    return fmt::format(
        "<CompositeModel name=\"left-side\"><Components>{}</Components><Interfaces>{}</Interfaces><Connections>{}"
        "</Connections><Gluing tolerance=\"1e-11\"/></CompositeModel>",
        components, exports, connections);
  }
  [[nodiscard]] std::string nested_model(double stop) const {
    std::string connections;
    for (int c = 0; c < 4; ++c) connections += glue(fmt::format("side.end{}", c), fmt::format("right.seat{}", c));
    return model(
        "<Component name=\"side\" kind=\"composite\" file=\"left-side.xml\"/>" + rail_component("right", -0.43),
        connections, "", stop);
  }

 private:
  struct Part {
    std::vector<std::string> nodes{}, beams{};
    std::string others{};
    void node(const std::string& name, double x, double y) {
      nodes.push_back(fmt::format("<Node name=\"{}\" position=\"{}, {}, 0\"/>", name, x, y));
    }
    void beam(const std::string& name, const std::string& from, const std::string& to, const char* section, int count) {
      beams.push_back(
          fmt::format("<Beam name=\"{}\" from=\"{}\" to=\"{}\" section=\"{}\" material=\"steel\" elements=\"{}\"/>",
                      name, from, to, section, count));
    }
    void interface(const std::string& name, const std::string& node) {
      others += fmt::format("<Interface name=\"{}\" node=\"{}\"/>", name, node);
    }
  };

  void rail(Part& part, const std::string& name, double y) const {
    for (std::size_t i = 0; i < kPlaces.size(); ++i) part.node(fmt::format("{}{}", name, i), kPlaces[i], y);
    for (std::size_t i = 0; i + 1 < kPlaces.size(); ++i) {
      part.beam(fmt::format("{}_beam{}", name, i), fmt::format("{}{}", name, i), fmt::format("{}{}", name, i + 1),
                "rail", elements);
    }
    for (const int i : {2, 7}) part.others += fmt::format("<Support node=\"{}{}\" directions=\"x y z\"/>", name, i);
    part.others += fmt::format("<Sensor name=\"{}_sensor\" node=\"{}{}\"/>", name, name, kStations[1]);
  }
  void member(Part& part, int c, const std::string& from, const std::string& to) const {
    const std::string middle = fmt::format("middle{}", c);
    part.node(middle, kPlaces[static_cast<std::size_t>(kStations[c])], 0.0);
    part.beam(fmt::format("cross{}_l", c), from, middle, "cross", elements);
    part.beam(fmt::format("cross{}_r", c), middle, to, "cross", elements);
    if (c == 1) {
      part.others += fmt::format("<Load node=\"{}\" force=\"0, 0, {{2000*sin(100*pi*t)}}\"/>", middle);
      part.others += fmt::format("<Sensor name=\"load_point\" node=\"{}\"/>", middle);
    }
  }
  [[nodiscard]] std::string component(const std::string& name, Part part) const {
    if (is_reversed) {
      std::reverse(part.nodes.begin(), part.nodes.end());
      std::reverse(part.beams.begin(), part.beams.end());
    }
    return fmt::format(
        "<Component name=\"{}\" kind=\"structure\" step=\"{}\"><Structure><Material name=\"steel\" "
        "youngs_modulus=\"210e9\" poissons_ratio=\"0.3\" density=\"7850\"/><Section name=\"rail\" area=\"3.1e-3\" "
        "inertia_y=\"2.4e-5\" inertia_z=\"1.6e-6\" torsion_constant=\"6.6e-8\"/><Section name=\"cross\" area=\"1.5e-3\" "
        "inertia_y=\"2e-6\" inertia_z=\"4e-7\" torsion_constant=\"2e-8\"/>{}{}{}{}</Structure></Component>",
        name, step, fmt::join(part.nodes, ""), fmt::join(part.beams, ""), part.others, damping);
  }

  // Ends of the rails, seats of the cross members (1, 3, 5, 8) and supports (2, 7) along x [m].
  const std::vector<double> kPlaces{0.0, 0.6, 0.9, 2.0, 2.8, 3.5, 4.2, 4.8, 5.04, 5.64};
  static constexpr int kStations[4] = {1, 3, 5, 8};
};

}  // namespace tieline::support
