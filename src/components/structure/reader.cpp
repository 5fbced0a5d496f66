#include "components/structure/reader.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <optional>

#include "components/multibody/shapes.hpp"
#include "components/reading.hpp"
#include "document/expression.hpp"

namespace tieline::components {
namespace {

using document::Element;
using document::NumberRule;
using Eigen::Matrix3d;
using Eigen::Vector3d;

using document::kNotNegative;
const NumberRule kPositive{.least = 0.0, .exclusive_least = true};
// Of a beam; more are an expression gone wrong.
constexpr double kMostElements = 10'000;
// A beam is shorter than rounding of its ends' places, relative to them.
constexpr double kNoLength = 1e-12;
// Beams count as upright, and normals as along them, below this sine.
constexpr double kAlong = 1e-6;

struct Material {
  double youngs_modulus = 0.0, shear_modulus = 0.0, density = 0.0;
};

/// Parts that others refer to by name.
template <class Part>
struct Named {
  std::vector<std::string> names{};
  std::vector<Part> parts{};
  void add(std::string name, Part part) {
    names.push_back(std::move(name));
    parts.push_back(std::move(part));
  }
};

/// The content of one <Structure> while it is read. One thread.
class StructureReading {
 public:
  StructureReading(const Element& content, const document::Scope& scope, document::Diagnostics& diagnostics)
      : content_(content),
        scope_(content_scope(content, scope)),
        diagnostics_(diagnostics),
        errors_before_(diagnostics.error_count()),
        names_(scope_, diagnostics, {"energy"}) {}

  StructureSpec run() {
    read_settings();
    for_each("Table", &StructureReading::read_table_element);
    for_each("Material", &StructureReading::read_material);
    for_each("Section", &StructureReading::read_section);
    for_each("Node", &StructureReading::read_node);
    for_each("Beam", &StructureReading::read_beam);
    for_each("PointMass", &StructureReading::read_mass);
    for_each("Support", &StructureReading::read_support);
    for_each("Load", &StructureReading::read_load);
    for_each("Interface", &StructureReading::read_interface);
    for_each("Sensor", &StructureReading::read_sensor);
    check_led_nodes();
    check_masses();
    return std::move(spec_);
  }

 private:
  using Read = void (StructureReading::*)(const Element&);
  void for_each(const char* name, Read read) {
    for (const Element& element : content_.children(name)) (this->*read)(element);
  }
  double number(const Element& element, std::string_view attribute, NumberRule rule, std::string unit = "") {
    rule.unit = std::move(unit);
    return document::read_number(element, attribute, scope_, rule, diagnostics_);
  }
  Vector3d vector(const Element& element, std::string_view attribute) {
    return Eigen::Vector3d(document::read_vector(element, attribute, scope_, diagnostics_).data());
  }
  void problem(const Element& element, std::string_view attribute, std::string message) {
    diagnostics_.error(element.has(attribute) ? element.place_of(attribute) : element.place(), std::move(message));
  }
  int node(const Element& element, std::string_view attribute = "node") {
    return find_part(read_text(element, attribute, scope_, diagnostics_), node_names_, "node",
                     element.place_of(attribute), diagnostics_);
  }

  void read_settings() {
    using Analysis = StructureSpec::Analysis;
    spec_.analysis = content_.get("analysis") == "static" ? Analysis::quasi_static : Analysis::dynamic;
    spec_.starts_in_equilibrium = content_.get("start") == "equilibrium";
    spec_.gravity = vector(content_, "gravity");
    solvers::NewmarkOptions& newmark = spec_.newmark;
    newmark.gamma = number(content_, "newmark_gamma", {.absent = newmark.gamma, .least = 0.5, .most = 1.0});
    newmark.beta = number(content_, "newmark_beta", {.absent = newmark.beta, .least = 0.0, .most = 1.0});
    if (2.0 * newmark.beta < newmark.gamma) {
      problem(content_, content_.has("newmark_beta") ? "newmark_beta" : "newmark_gamma",
              fmt::format("newmark_beta = {:g} must be at least half of newmark_gamma = {:g}: the method is stable for "
                          "short steps only otherwise",
                          newmark.beta, newmark.gamma));
    }
    for (const Element& element : content_.children("Damping")) {
      spec_.damping = {number(element, "mass", kNotNegative, "1/s"), number(element, "stiffness", kNotNegative, "s")};
    }
  }

  void read_table_element(const Element& element) {
    const std::string name = names_.declare(element);
    tables_[name] = read_table_for_expressions(element, scope_, diagnostics_);
  }

  void read_material(const Element& element) {
    Material material{.youngs_modulus = number(element, "youngs_modulus", kPositive, "Pa"),
                      .density = number(element, "density", kPositive, "kg/m^3")};
    if (element.has("shear_modulus") && element.has("poissons_ratio")) {
      problem(element, "shear_modulus", "a material has either a shear_modulus or a poissons_ratio");
    }
    const double ratio =
        number(element, "poissons_ratio", {.absent = 0.3, .least = -1.0, .most = 0.5, .exclusive_least = true});
    material.shear_modulus = material.youngs_modulus / (2.0 + 2.0 * ratio);
    if (element.has("shear_modulus")) material.shear_modulus = number(element, "shear_modulus", kPositive, "Pa");
    materials_.add(names_.declare(element), material);
  }

  void read_section(const Element& element) { sections_.add(names_.declare(element), section_of(element)); }

  SectionProperties section_of(const Element& element) {
    const bool is_round = element.has("radius"), is_rectangle = element.has("width") || element.has("height");
    const bool is_stated = element.has("area");
    if (static_cast<int>(is_round) + static_cast<int>(is_rectangle) + static_cast<int>(is_stated) != 1) {
      diagnostics_.error(element.place(),
                         "a section needs either a radius, or width and height, or its area and moments");
      return {};
    }
    if (is_round) {
      const double outer = number(element, "radius", kPositive, "m");
      const double inner = number(element, "inner_radius", kNotNegative, "m");
      if (!(inner < outer)) problem(element, "inner_radius", "inner_radius must be less than radius");
      return round_section(outer, inner);
    }
    if (is_rectangle) {
      const double width = number(element, "width", kPositive, "m");
      return rectangular_section(width, number(element, "height", kPositive, "m"));
    }
    return {.area = number(element, "area", kPositive, "m^2"),
            .inertia_y = number(element, "inertia_y", kPositive, "m^4"),
            .inertia_z = number(element, "inertia_z", kPositive, "m^4"),
            .torsion_constant = number(element, "torsion_constant", kPositive, "m^4")};
  }

  int add_node(std::string name, const Vector3d& position, const Element& element) {
    const int index = static_cast<int>(spec_.nodes.size());
    node_names_.push_back(name);
    node_elements_.push_back(element);
    spec_.nodes.push_back({std::move(name), position});
    return index;
  }

  void read_node(const Element& element) { add_node(names_.declare(element), vector(element, "position"), element); }

  void read_beam(const Element& element) {
    StructureBeam beam{.name = names_.declare(element)};
    const int from = node(element, "from"), to = node(element, "to");
    const int section = find(element, "section", sections_), material = find(element, "material", materials_);
    const double count = number(element, "elements", {.absent = 1.0, .least = 1.0});
    if (count != std::floor(count) || count > kMostElements) {
      problem(element, "elements", fmt::format("elements must be a whole number from 1 to {}", kMostElements));
      return;
    }
    if (section >= 0 && material >= 0) {
      const Material& made_of = materials_.parts[static_cast<std::size_t>(material)];
      beam.properties = properties_of(sections_.parts[static_cast<std::size_t>(section)], made_of.density,
                                      made_of.youngs_modulus, made_of.shear_modulus);
    }
    if (from < 0 || to < 0) return;
    const Vector3d start = spec_.nodes[static_cast<std::size_t>(from)].position;
    const Vector3d along = spec_.nodes[static_cast<std::size_t>(to)].position - start;
    if (!(along.norm() > kNoLength * start.norm())) {
      diagnostics_.error(element.place(), fmt::format("the beam '{}' has no length: its ends '{}' and '{}' are at one "
                                                      "place",
                                                      beam.name, node_names_[static_cast<std::size_t>(from)],
                                                      node_names_[static_cast<std::size_t>(to)]));
      return;
    }
    beam.axes = axes_of(element, along.normalized());
    beam.element_length = along.norm() / count;
    beam.nodes.push_back(from);
    for (int i = 1; i < static_cast<int>(count); ++i) {
      beam.nodes.push_back(add_node(fmt::format("{}.node{}", beam.name, i), start + along * (i / count), element));
    }
    beam.nodes.push_back(to);
    spec_.beams.push_back(std::move(beam));
  }

  Matrix3d axes_of(const Element& element, const Vector3d& x) {
    Vector3d wanted = Vector3d::UnitZ().cross(x);
    if (wanted.norm() < kAlong) wanted = Vector3d::UnitY();
    if (element.has("normal")) {
      const Vector3d stated = vector(element, "normal");
      if (stated.cross(x).norm() > kAlong * stated.norm()) {
        wanted = stated;
      } else {
        problem(element, "normal", "the normal must not be along the beam, nor zero");
      }
    }
    Matrix3d axes;
    axes.col(0) = x;
    axes.col(1) = (wanted - wanted.dot(x) * x).normalized();
    axes.col(2) = x.cross(axes.col(1));
    return axes;
  }

  template <class Part>
  int find(const Element& element, const char* what, const Named<Part>& known) {
    return find_part(read_text(element, what, scope_, diagnostics_), known.names, what, element.place_of(what),
                     diagnostics_);
  }

  void read_mass(const Element& element) {
    StructureMass mass{.node = node(element), .mass = number(element, "mass", kNotNegative, "kg")};
    if (element.has("inertia")) mass.inertia = inertia_of(element);
    spec_.masses.push_back(std::move(mass));
  }

  Matrix3d inertia_of(const Element& element) {
    Matrix3d inertia = Matrix3d::Zero();
    const auto numbers = read_numbers(element, "inertia", scope_, diagnostics_);
    if (!inertia_from_numbers(numbers, inertia)) {
      problem(element, "inertia", fmt::format("inertia must be 3 or 6 numbers, found {}", numbers.size()));
    } else if (const std::string defect = inertia_defect(inertia); !defect.empty() && !inertia.isZero()) {
      problem(element, "inertia", defect);
    }
    return inertia;
  }

  void read_support(const Element& element) {
    StructureSupport support{.node = node(element)};
    const auto words = words_of(element, "directions", "all");
    for (const std::string& word : words) {
      const auto direction = std::find(kFreedomNames.begin(), kFreedomNames.end(), word);
      if (word == "all") {
        support.holds.fill(true);
      } else if (direction != kFreedomNames.end()) {
        support.holds[static_cast<std::size_t>(direction - kFreedomNames.begin())] = true;
      } else {
        problem(
            element, "directions",
            fmt::format("'{}' is not a direction; expected some of {}, or all", word, fmt::join(kFreedomNames, ", ")));
      }
    }
    if (words.empty()) problem(element, "directions", "a support needs at least one direction");
    support_places_.push_back(element.place());
    spec_.supports.push_back(support);
  }

  /// Words separated by blanks or commas.
  std::vector<std::string> words_of(const Element& element, const char* attribute, const char* otherwise) {
    std::string text = element.has(attribute) ? read_text(element, attribute, scope_, diagnostics_) : otherwise;
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == ',' || c == '\t' || c == '\n'; }, ' ');
    std::vector<std::string> words;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find(' ', at), text.size());
      if (end > at) words.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    return words;
  }

  void read_load(const Element& element) {
    StructureLoad load{.node = node(element)};
    std::size_t next = 0;
    for (const char* attribute : {"force", "torque"}) {
      const auto items =
          element.has(attribute) ? document::split_list(element.get(attribute)) : std::vector<std::string>{};
      if (element.has(attribute) && items.size() != 3) {
        problem(element, attribute,
                fmt::format("{} must be three functions separated by commas, found {}", attribute, items.size()));
      }
      for (std::size_t i = 0; i < 3; ++i, ++next) {
        if (items.size() != 3) continue;
        auto function =
            document::TimeFunction::compile(items[i], element.place_of(attribute), scope_, {}, tables_, diagnostics_);
        if (function) load.functions[next] = std::move(*function);
      }
    }
    if (!element.has("force") && !element.has("torque")) {
      diagnostics_.error(element.place(), "a load needs a force or a torque");
    }
    spec_.loads.push_back(std::move(load));
  }

  void read_interface(const Element& element) {
    StructureInterface interface { .name = names_.declare(element) };
    interface.takes_motion = element.get("causality") == "motion";
    if (element.has("node") == element.has("nodes")) {
      diagnostics_.error(element.place(), "an interface needs either a node, or nodes");
      return;
    }
    if (element.has("node")) {
      interface.nodes.push_back(node(element));
    } else {
      for (const std::string& word : words_of(element, "nodes", "")) {
        const int found = find_part(word, node_names_, "node", element.place_of("nodes"), diagnostics_);
        if (found >= 0 && std::find(interface.nodes.begin(), interface.nodes.end(), found) != interface.nodes.end()) {
          problem(element, "nodes", fmt::format("the node '{}' appears twice in this set", word));
        }
        interface.nodes.push_back(found);
      }
      if (interface.nodes.empty()) problem(element, "nodes", "an interface needs at least one node");
    }
    interface_elements_.push_back(element);
    spec_.interfaces.push_back(std::move(interface));
  }

  /// A node has one motion: by its forces, by a support, or by one interface.
  void check_led_nodes() {
    std::map<int, std::string> leaders;
    for (std::size_t i = 0; i < spec_.interfaces.size(); ++i) {
      StructureInterface& interface = spec_.interfaces[i];
      for (const int led : interface.nodes) {
        if (!interface.takes_motion || led < 0) continue;
        const std::string& name = node_names_[static_cast<std::size_t>(led)];
        const auto [other, is_first] = leaders.try_emplace(led, interface.name);
        if (!is_first) {
          problem(interface_elements_[i], "causality",
                  fmt::format("the interface '{}' already gives the node '{}' its motion: a second one over-determines "
                              "it; expected causality=\"force\", or another node",
                              other->second, name));
          interface.takes_motion = false;
          break;
        }
        const auto support = std::find_if(spec_.supports.begin(), spec_.supports.end(),
                                          [&](const StructureSupport& each) { return each.node == led; });
        if (support == spec_.supports.end()) continue;
        problem(interface_elements_[i], "causality",
                fmt::format("the node '{}' is held by the <Support> in line {}: a motion that comes in over-determines "
                            "it; expected causality=\"force\", or no support there",
                            name, support_places_[static_cast<std::size_t>(support - spec_.supports.begin())].line));
        interface.takes_motion = false;
        break;
      }
    }
  }

  void read_sensor(const Element& element) { spec_.sensors.push_back({names_.declare(element), node(element)}); }

  /// Every freedom that is not held needs a mass, by a beam or of its own.
  void check_masses() {
    std::vector<char> is_reached(spec_.nodes.size(), 0);
    for (const StructureBeam& beam : spec_.beams) {
      for (const int index : beam.nodes) is_reached[static_cast<std::size_t>(index)] = 1;
    }
    // Beams that were not understood have been reported; whom they reach is not known.
    if (diagnostics_.error_count() > errors_before_) return;
    for (std::size_t i = 0; i < spec_.nodes.size(); ++i) {
      if (is_reached[i]) continue;
      bool has_mass = false, has_inertia = false;
      for (const StructureMass& mass : spec_.masses) {
        if (mass.node != static_cast<int>(i)) continue;
        has_mass = has_mass || mass.mass > 0.0;
        has_inertia = has_inertia || !mass.inertia.isZero();
      }
      std::array<bool, 6> held{};
      for (const StructureInterface& interface : spec_.interfaces) {
        const bool is_led = interface.takes_motion && std::find(interface.nodes.begin(), interface.nodes.end(),
                                                                static_cast<int>(i)) != interface.nodes.end();
        if (is_led) held.fill(true);
      }
      for (const StructureSupport& support : spec_.supports) {
        for (std::size_t k = 0; k < 6 && support.node == static_cast<int>(i); ++k) held[k] |= support.holds[k];
      }
      const bool is_placed = has_mass || (held[0] && held[1] && held[2]);
      const bool is_turned = has_inertia || (held[3] && held[4] && held[5]);
      if (is_placed && is_turned) continue;
      diagnostics_.error(
          node_elements_[i].place(),
          fmt::format("no beam is connected to the node '{}', and nothing else determines its {}: connect a beam, "
                      "add a <PointMass> with {}, or a <Support>",
                      node_names_[i], is_placed ? "rotation" : "motion", is_placed ? "inertia" : "mass and inertia"));
    }
  }

  Element content_;
  document::Scope scope_;
  document::Diagnostics& diagnostics_;
  std::size_t errors_before_;
  PartNames names_;
  StructureSpec spec_;
  Named<Material> materials_;
  Named<SectionProperties> sections_;
  std::vector<std::string> node_names_;
  std::vector<Element> node_elements_;  ///< that they stem from
  std::vector<Element> interface_elements_;
  std::vector<document::Place> support_places_;
  std::map<std::string, document::Table> tables_;
};

}  // namespace

StructureSpec read_structure(const Element& content, const document::Scope& scope, document::Diagnostics& diagnostics) {
  return StructureReading(content, scope, diagnostics).run();
}

}  // namespace tieline::components
