#pragma once

#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tieline/export.hpp"

/// Composite models built in code instead of a model file. docs/file-format-reference.md describes all elements.
namespace tieline {

/// The value of an attribute: a number, a text, or an {expression} over the parameters of the model.
class TIELINE_PUBLIC ModelValue {
 public:
  ModelValue(double number);  // NOLINT: implicit conversions are intended
  ModelValue(int number) : ModelValue(static_cast<double>(number)) {}
  ModelValue(std::string text) : text_(std::move(text)) {}
  ModelValue(const char* text) : text_(text) {}
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// An element of a model with its attributes and the elements inside it.
class TIELINE_PUBLIC ModelElement {
 public:
  explicit ModelElement(std::string name) : name_(std::move(name)) {}

  /// Sets an attribute, or replaces its value.
  ModelElement& set(const std::string& attribute, const ModelValue& value);
  /// Sets an attribute if there is a value.
  ModelElement& set_if(const std::string& attribute, const std::optional<ModelValue>& value);
  /// Appends an element inside this one and returns it. The reference is valid as long as this element.
  ModelElement& add(const std::string& name);
  /// Appends a complete element, and returns this element.
  ModelElement& add(ModelElement inner);
  ModelElement& set_text(std::string text);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& attributes() const { return attributes_; }
  [[nodiscard]] const std::deque<ModelElement>& elements() const { return elements_; }
  /// The first element of that name inside this one; null if there is none.
  [[nodiscard]] ModelElement* find(std::string_view name);
  /// The value of an attribute; empty if it is absent.
  [[nodiscard]] std::string get(std::string_view attribute) const;

 private:
  std::string name_;
  std::string text_;
  std::vector<std::pair<std::string, std::string>> attributes_;
  std::deque<ModelElement> elements_;
};

/// The numbers of a transmission line. docs/file-format-reference.md describes which of them determine it. Absent: not
/// stated.
struct LineNumbers {
  std::optional<ModelValue> delay{};               ///< [s]
  std::optional<ModelValue> stiffness{};           ///< [N/m], [N m/rad]
  std::optional<ModelValue> impedance{};           ///< [N s/m], [N m s/rad], [Pa s/m^3], [ohm], [K/W]
  std::optional<ModelValue> damping{};             ///< at least 0 and below 1
  std::optional<ModelValue> initial_force{};       ///< on the component at the `to` end [N], [N m]; in space three
  std::optional<ModelValue> initial_torque{};      ///< in space, on the component at the `to` end, three [N m]
  std::optional<ModelValue> initial_flow{};        ///< from `from` to `to` [m^3/s], [A], [W]
  std::optional<ModelValue> stiffness_rotation{};  ///< in space [N m/rad]
  std::optional<ModelValue> impedance_rotation{};  ///< in space [N m s/rad]
  std::optional<ModelValue> damping_rotation{};
  std::optional<ModelValue> free_axes{};                                        ///< in space: "rx", "ry, rz"
  std::optional<ModelValue> youngs_modulus{}, area{}, length{}, sound_speed{};  ///< [Pa], [m^2], [m], [m/s]
  std::optional<ModelValue> bulk_modulus{}, density{};                          ///< [Pa], [kg/m^3]
  std::optional<ModelValue> inductance{}, capacitance{};                        ///< [H/m], [F/m]
  std::optional<ModelValue> heat_capacity{}, resistance{};                      ///< [J/K], [K/W]
};

struct SampledNumbers {
  std::optional<ModelValue> extrapolation{};  ///< "hermite", "linear", ...
  std::optional<ModelValue> schedule{};       ///< "furthest_behind", "jacobi", "gauss_seidel"
  std::optional<ModelValue> step{};           ///< macro step of the last two [s]
  std::optional<ModelValue> first{};          ///< with "gauss_seidel": "from" or "to", the end that steps first
};

struct GlueNumbers {
  std::optional<ModelValue> joint{};  ///< in space: "fixed", "revolute", ...
  std::optional<ModelValue> axis{};   ///< "x", "y", "z"
};

struct SimulationNumbers {
  std::optional<ModelValue> start{};  ///< [s]
  std::optional<ModelValue> stop{};   ///< [s]; required
  std::optional<ModelValue> solver{};
  std::optional<ModelValue> tolerance{};       ///< relative
  std::optional<ModelValue> step{};            ///< of fixed-step solvers [s]
  std::optional<ModelValue> largest_step{};    ///< [s]
  std::optional<ModelValue> error_control{};   ///< "efforts" or "states"
  std::optional<ModelValue> window{};          ///< [s]
  std::optional<ModelValue> write_interval{};  ///< [s]
  std::optional<ModelValue> save_interval{};   ///< [s]
};

/// A composite model.
///
///   Model model("two-bodies");
///   model.add_parameter("k", 1e6, "N/m");
///   auto& network = model.add_component("left", "network").add("Network");
///   network.add("Mass").set("name", "body").set("mass", 2.0);
///   network.add("Interface").set("name", "end").set("node", "body");
///   ...
///   model.add_line("rod", "left.end", "right.end", {.delay = 1e-4, .stiffness = "{k}"});
///   model.set_simulation({.stop = 1.0});
///   Simulation simulation = Simulation::from(model);
///
/// `Simulation::from` checks the model, exactly as it would check the file that `write` makes. Problems name the model
/// and the part: "model 'two-bodies', component 'left', <Mass name='body'>". References to elements are valid as long
/// as the model. A plain value; use it from one thread at a time.
class TIELINE_PUBLIC Model {
 public:
  explicit Model(std::string name);

  void set_description(std::string text);
  void add_parameter(const std::string& name, const ModelValue& value, const std::string& unit = "",
                     const std::string& description = "");

  /// A component of a native kind, a kind that the program has registered, "fmu", "process" or "composite". Add its
  /// contents as elements (`add("Network")`), or name a file (`set("file", "body.xml")`).
  ModelElement& add_component(const std::string& name, const std::string& kind);
  /// A component of a type of a library: "library.Type".
  ModelElement& add_component_of_type(const std::string& name, const std::string& type);

  /// `from` and `to` are "component.interface". With an empty name, the name is made of the ends.
  ModelElement& add_line(const std::string& name, const std::string& from, const std::string& to,
                         const LineNumbers& numbers);
  ModelElement& add_sampled(const std::string& name, const std::string& from, const std::string& to,
                            const SampledNumbers& numbers = {});
  ModelElement& add_glue(const std::string& name, const std::string& from, const std::string& to,
                         const GlueNumbers& numbers = {});
  /// Connects an output to an input, with a delay [s] or without one.
  ModelElement& add_signal(const std::string& name, const std::string& from, const std::string& to,
                           const std::optional<ModelValue>& delay = std::nullopt);
  /// Prescribes the input of an interface that no connection joins. `as` is "free", "fixed", "force", "motion" or
  /// "signal", and `value` a function of time: "{10*sin(t)}". For values from files set attributes of the element.
  ModelElement& add_open_end(const std::string& interface, const std::string& as,
                             const std::optional<ModelValue>& value = std::nullopt);
  /// The options of glued connections: <Gluing>.
  ModelElement& gluing();

  /// Sets <Simulation>. Further attributes and elements can be added to the returned element.
  ModelElement& set_simulation(const SimulationNumbers& numbers);
  /// Records only the variables that match the patterns ("left.*"). Without a call, everything is recorded. The
  /// interval is in [s].
  void record(const std::string& patterns, const std::optional<ModelValue>& interval = std::nullopt);
  void exclude(const std::string& patterns);

  /// <CompositeModel>, for everything without a function of its own: libraries, alternatives, repeats, interfaces.
  [[nodiscard]] ModelElement& root() { return root_; }
  [[nodiscard]] const ModelElement& root() const { return root_; }
  [[nodiscard]] std::string name() const { return root_.get("name"); }

  /// The folder that relative paths in the model refer to when it is run without being written; by default the current
  /// folder of the program.
  void set_folder(std::filesystem::path folder) { folder_ = std::move(folder); }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

  /// The model as the text of a file.
  [[nodiscard]] std::string to_xml() const;
  /// Writes the model to a file. Throws std::runtime_error on failure.
  void write(const std::filesystem::path& file) const;

 private:
  ModelElement& part(const std::string& name);
  ModelElement& add_connection(const std::string& name, const std::string& from, const std::string& to);

  ModelElement root_;
  std::filesystem::path folder_;
};

}  // namespace tieline
