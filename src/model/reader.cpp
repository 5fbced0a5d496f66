#include "model/reader.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>
#include <unordered_map>

#include "document/grammar_names.hpp"
#include "model/names.hpp"

namespace tieline::model {
namespace {

using document::Diagnostics;
using document::Element;
using document::Place;
using document::Scope;

namespace fs = std::filesystem;

constexpr std::size_t kDeepestModel = 50;           ///< models within models
constexpr std::size_t kMostComponents = 1'000'000;  ///< also of connections; more is an expression gone wrong
constexpr std::size_t kMostRounds = 4'000'000;      ///< of all repeats together, empty ones included
constexpr std::string_view kComposite = "composite";

std::optional<double> read_optional(const Element& element, std::string_view attribute, const Scope& scope,
                                    Diagnostics& diagnostics) {
  if (!element.has(attribute)) return std::nullopt;
  return scope.evaluate(element.get(attribute), element.place_of(attribute), diagnostics);
}

Coupling read_coupling(std::string_view text) {
  for (const auto coupling : {Coupling::line, Coupling::sampled}) {
    if (text == name_of(coupling)) return coupling;
  }
  return Coupling::signal;  // absent, or reported by the check against the grammar
}

Settings read_settings(const Element& element, const Scope& scope, Diagnostics& diagnostics) {
  Settings settings;
  if (element.has("solver")) settings.solver = element.get("solver");
  settings.tolerance = read_optional(element, "tolerance", scope, diagnostics);
  settings.step = read_optional(element, "step", scope, diagnostics);
  settings.largest_step = read_optional(element, "largest_step", scope, diagnostics);
  settings.window = read_optional(element, "window", scope, diagnostics);
  settings.write_interval = read_optional(element, "write_interval", scope, diagnostics);
  return settings;
}

std::vector<std::string> split_patterns(const std::string& text) {
  std::vector<std::string> patterns;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::size_t first = text.find_first_not_of(" \t\r\n", at);
    if (first < comma) patterns.push_back(text.substr(first, text.find_last_not_of(" \t\r\n", comma - 1) - first + 1));
    at = comma + 1;
  }
  return patterns;
}

/// What a nested model offers to the model around it.
struct Exports {
  bool is_complete = true;  ///< false: the nested model could not be read, so a missing name is not worth a report
  std::map<std::string, Endpoint> interfaces{};
};

/// One composite model while it is read: the outermost one, or a nested one.
struct Level {
  Element root{};
  fs::path file{};
  std::string prefix{};  ///< "sub." in front of names
  Settings settings{};   ///< what its components inherit
  std::unordered_map<std::string, int> components{};
  std::unordered_map<std::string, Exports> nested{};
  std::vector<fs::path> chain{};  ///< files around it, outermost first, itself last

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& [name, index] : components) all.push_back(name);
    for (const auto& [name, exports] : nested) all.push_back(name);
    std::sort(all.begin(), all.end());
    return all;
  }
};

class Reader {
 public:
  Reader(std::span<const Override> overrides, std::span<const ComponentKind> kinds, Diagnostics& diagnostics)
      : overrides_(overrides), kinds_(kinds), grammar_(grammar(kinds)), diagnostics_(diagnostics) {}

  std::optional<CompositeModel> run(const fs::path& file) {
    const auto document = load(file, "CompositeModel");
    if (!document) return std::nullopt;
    Level level{.root = document->root(), .file = file, .chain = {canonical(file)}};
    model_.file = file;
    model_.name = level.root.get("name");
    model_.description = level.root.child("Description").text();
    if (level.root.name() != "CompositeModel") return std::nullopt;

    Scope scope;
    define_parameters(level.root, scope, Scope(), "");
    read_root_parameters(level.root, scope);
    read_simulation(level.root.child("Simulation"), scope);
    level.settings = model_.simulation.defaults;
    const Exports exports = read_level(level, scope);
    for (const auto& element : level.root.child("Interfaces").children("Interface")) {
      const auto found = exports.interfaces.find(element.get("name"));
      if (found != exports.interfaces.end()) model_.interfaces.push_back({found->first, found->second, element});
    }
    report_unknown_overrides();
    return std::move(model_);
  }

 private:
  // ---- files

  static fs::path canonical(const fs::path& file) {
    std::error_code failure;
    auto path = fs::weakly_canonical(file, failure);
    return failure ? file : path;
  }

  /// Each file is read, and checked against its grammar, once.
  std::shared_ptr<const document::Document> load(const fs::path& file, std::string_view root) {
    const auto [found, is_new] = documents_.try_emplace({canonical(file), std::string(root)}, nullptr);
    if (!is_new) return found->second;
    found->second = document::Document::load(file, diagnostics_);
    model_.files.push_back(file);
    if (found->second) document::check_against(grammar_.rooted_at(root), found->second->root(), diagnostics_);
    return found->second;
  }

  // ---- parameters

  const Override* find_override(const std::string& full_name) {
    declared_.insert(full_name);
    const Override* found = nullptr;
    for (const auto& override : overrides_) {
      if (override.name == full_name) found = &override;  // the last one counts
    }
    return found;
  }

  static Place place_of(const Override& override) {
    return {fmt::format("--set {}={}", override.name, override.value), 0, 0};
  }

  /// Defaults in the <Parameters> of a model or of a component's content. Expressions see the scope itself; overrides
  /// see the scope around it, except for the outermost model, which has none.
  void define_parameters(const Element& content, Scope& scope, const Scope& around, const std::string& prefix) {
    std::set<std::string> here;
    for (const auto& element : content.child("Parameters").children("Parameter")) {
      const std::string name = element.get("name");
      if (!document::is_identifier(name)) continue;  // reported by the check against the grammar
      if (!here.insert(name).second) {
        diagnostics_.error(element.place_of("name"), fmt::format("parameter '{}' stands twice", name));
        continue;
      }
      const Override* override = find_override(prefix + name);
      if (scope.defines(name)) continue;  // given by the component
      if (override == nullptr) {
        scope.define(name, element.get("value"), element.place_of("value"));
      } else if (prefix.empty()) {
        scope.define(name, override->value, place_of(*override));
      } else {
        give(scope, name, around.evaluate(override->value, place_of(*override), diagnostics_));
      }
    }
    for (const auto& name : here) (void)scope.value_of(name, content.place(), diagnostics_);
  }

  /// A value that could not be computed has been reported; uses of the name must not be reported on top.
  static void give(Scope& scope, const std::string& name, std::optional<double> value) {
    scope.set(name, value.value_or(1.0));
  }

  void read_root_parameters(const Element& root, const Scope& scope) {
    for (const auto& element : root.child("Parameters").children("Parameter")) {
      const std::string name = element.get("name");
      Diagnostics already_reported;
      const auto value = scope.value_of(name, {}, already_reported);
      if (value) model_.parameters.push_back({name, *value, element.get("unit"), element.get("description")});
    }
  }

  /// The <Parameter> elements of a component, computed with the names around it.
  void give_parameters(const Element& component, Scope& scope, const Scope& around, const std::string& full_name) {
    for (const auto& element : component.children("Parameter")) {
      const std::string name = element.get("name");
      if (!document::is_identifier(name)) continue;
      if (scope.defines(name)) {
        diagnostics_.error(element.place_of("name"), fmt::format("parameter '{}' stands twice", name));
        continue;
      }
      const Override* override = find_override(full_name + "." + name);
      give(scope, name,
           override != nullptr ? around.evaluate(override->value, place_of(*override), diagnostics_)
                               : around.evaluate(element.get("value"), element.place_of("value"), diagnostics_));
    }
  }

  /// A component that gives a parameter its content does not know, but nearly: a misspelling.
  void check_given_names(const Element& component, const Element& content) {
    std::vector<std::string> known;
    for (const auto& element : content.child("Parameters").children("Parameter")) known.push_back(element.get("name"));
    for (const auto& element : component.children("Parameter")) {
      const std::string name = element.get("name");
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      const std::string nearest = document::nearest_name(name, known);
      if (nearest.empty()) continue;
      diagnostics_.warning(element.place_of("name"),
                           fmt::format("the component declares no parameter '{}' (did you mean '{}'?)", name, nearest));
    }
  }

  void report_unknown_overrides() {
    const std::vector<std::string> known(declared_.begin(), declared_.end());
    for (const auto& override : overrides_) {
      if (declared_.contains(override.name)) continue;
      diagnostics_.error(place_of(override), fmt::format("the model has no parameter '{}'{}", override.name,
                                                         document::suggestion(override.name, known)));
    }
  }

  // ---- simulation

  void read_simulation(const Element& element, const Scope& scope) {
    auto& simulation = model_.simulation;
    if (!element.exists()) return;
    simulation.declaration = element;
    simulation.start = read_optional(element, "start", scope, diagnostics_).value_or(simulation.start);
    // A stop time that could not be computed has been reported; the default must not be reported on top.
    simulation.stop = read_optional(element, "stop", scope, diagnostics_).value_or(simulation.start + 1.0);
    simulation.defaults = read_settings(element, scope, diagnostics_);
    simulation.save_interval = read_optional(element, "save_interval", scope, diagnostics_);
    for (const auto& child : element.children()) {
      if (child.name() != "Record" && child.name() != "Exclude") continue;
      simulation.record.push_back({child.name() == "Exclude", split_patterns(child.get("variables")),
                                   read_optional(child, "interval", scope, diagnostics_)});
    }
  }

  // ---- structure

  Exports read_level(Level& level, const Scope& scope) {
    repeat(level.root.child("Components"), scope,
           [&](const Element& element, const Scope& inner) { read_component(level, element, inner); });
    repeat(level.root.child("Connections"), scope,
           [&](const Element& element, const Scope& inner) { read_connection(level, element, inner); });
    Exports exports;
    for (const auto& element : level.root.child("Interfaces").children("Interface")) {
      const auto name = read_name(element, scope);
      auto end = resolve(level, element, "of", scope);
      if (!name || !end) {
        exports.is_complete = false;
      } else if (!exports.interfaces.try_emplace(*name, *end).second) {
        diagnostics_.error(element.place_of("name"), fmt::format("interface '{}' stands twice", *name));
      }
    }
    return exports;
  }

  /// Calls `read` for each <Component> or <Connection>, as often as the <Repeat> elements around it say.
  template <class Read>
  void repeat(const Element& parent, const Scope& scope, const Read& read) {
    for (const auto& element : parent.children()) {
      if (element.name() == "Repeat") {
        expand(element, scope, read);
      } else if (element.name() == "Component" || element.name() == "Connection") {
        if (is_full(element)) return;
        read(element, scope);
      }
    }
  }

  template <class Read>
  void expand(const Element& element, const Scope& scope, const Read& read) {
    const auto count = read_optional(element, "count", scope, diagnostics_);
    const std::string index = element.get("index");
    if (!count || !document::is_identifier(index)) return;
    if (*count < 0.0 || *count != std::floor(*count) || *count > static_cast<double>(kMostComponents)) {
      diagnostics_.error(element.place_of("count"),
                         fmt::format("count = {} must be a whole number from 0 to {}", *count, kMostComponents));
      return;
    }
    for (double i = 0.0; i < *count; i += 1.0) {
      if (++rounds_ > kMostRounds) {
        diagnostics_.error(element.place(),
                           fmt::format("the repeats of the model go round more than {} times", kMostRounds));
        return;
      }
      const auto errors_before = diagnostics_.error_count();
      Scope inner = scope.nested();
      inner.set(index, i);
      repeat(element, inner, read);
      // What is wrong once is wrong each time.
      if (diagnostics_.error_count() != errors_before) return;
    }
  }

  bool is_full(const Element& element) {
    if (model_.components.size() < kMostComponents && model_.connections.size() < kMostComponents) return false;
    diagnostics_.error(element.place(),
                       fmt::format("the model has more than {} components or connections", kMostComponents));
    return true;
  }

  std::optional<std::string> read_name(const Element& element, const Scope& scope) {
    if (!element.has("name")) return std::nullopt;
    auto name = scope.interpolate(element.get("name"), element.place_of("name"), diagnostics_);
    if (name && !is_name(*name)) {
      diagnostics_.error(element.place_of("name"),
                         fmt::format("'{}' is not a name (letters, digits, '_' and '-')", *name));
      return std::nullopt;
    }
    return name;
  }

  std::optional<fs::path> read_path(const Element& element, std::string_view attribute, const Level& level,
                                    const Scope& scope) {
    if (element.get(attribute).empty()) return std::nullopt;
    const auto text = scope.interpolate(element.get(attribute), element.place_of(attribute), diagnostics_);
    if (!text) return std::nullopt;
    return resolve_path(level.file, *text);
  }

  // ---- components

  void read_component(Level& level, const Element& element, const Scope& around) {
    const auto name = read_name(element, around);
    if (!name) return;
    const std::string kind = element.get("kind");
    if (level.nested.contains(*name) || (level.components.contains(*name) && kind == kComposite)) {
      diagnostics_.error(element.place_of("name"), duplicate_component(level.prefix + *name));
      return;
    }
    Component component;
    component.name = level.prefix + *name;
    component.kind = kind;
    component.declaration = element;
    component.scope = around.nested();
    component.settings = read_settings(element, around, diagnostics_);
    component.settings.inherit(level.settings);
    read_metadata(component, level, element, around);
    give_parameters(element, component.scope, around, component.name);
    const bool has_content = find_content(component, level, around);
    if (component.content.exists()) {
      check_given_names(element, component.content);
      define_parameters(component.content, component.scope, around, component.name + ".");
    }
    if (kind == kComposite) {
      level.nested[*name] = has_content ? read_nested(component, level) : Exports{false, {}};
      return;
    }
    level.components.try_emplace(*name, static_cast<int>(model_.components.size()));
    model_.components.push_back(std::move(component));
  }

  void read_metadata(Component& component, const Level& level, const Element& element, const Scope& around) {
    component.description = element.child("Description").text();
    component.icon = read_path(element, "icon", level, around).value_or("");
    component.geometry = read_path(element, "geometry", level, around).value_or("");
    component.diagram_x = read_optional(element, "diagram_x", around, diagnostics_);
    component.diagram_y = read_optional(element, "diagram_y", around, diagnostics_);
    for (const auto& input : element.children("InputFile")) {
      if (auto path = read_path(input, "path", level, around)) component.input_files.push_back(std::move(*path));
    }
  }

  /// The name of the element that holds a kind's content; empty where its files are not ours to read.
  std::string content_element(const std::string& kind) const {
    if (kind == kComposite) return "CompositeModel";
    for (const auto& known : kinds_) {
      if (known.name == kind && !known.grammar.rules.empty()) return known.grammar.rules.front().name;
    }
    return "";
  }

  /// Whether the component has content that was read.
  bool find_content(Component& component, const Level& level, const Scope& around) {
    const Element& element = component.declaration;
    component.content_file = level.file;
    const auto file = read_path(element, "file", level, around);
    const std::string expected = content_element(component.kind);
    if (expected.empty()) {
      if (file) component.content_file = *file;
      return false;
    }
    Element inline_content;
    for (const auto& child : element.children()) {
      if (child.name() == expected)
        inline_content = child;
      else if (is_content_of_another_kind(child.name())) {
        diagnostics_.error(child.place(), fmt::format("a component of kind '{}' holds <{}>, not <{}>", component.kind,
                                                      expected, child.name()));
        return false;
      }
    }
    if (inline_content.exists() == element.has("file")) {
      diagnostics_.error(element.place(),
                         fmt::format("component '{}' must have either a file or <{}> in it{}", component.name, expected,
                                     element.has("file") ? ", not both" : ""));
      return false;
    }
    if (inline_content.exists()) {
      component.content = inline_content;
      return true;
    }
    return file && load_content(component, *file, expected);
  }

  bool is_content_of_another_kind(std::string_view name) const {
    if (name == "CompositeModel") return true;
    return std::any_of(kinds_.begin(), kinds_.end(), [&](const auto& kind) {
      return !kind.grammar.rules.empty() && kind.grammar.rules.front().name == name;
    });
  }

  bool load_content(Component& component, const fs::path& file, const std::string& expected) {
    component.content_file = file;
    std::error_code failure;
    if (!fs::exists(file, failure)) {
      diagnostics_.error(component.declaration.place_of("file"), missing_file(file));
      return false;
    }
    const auto document = load(file, expected);
    if (!document || document->root().name() != expected) return false;
    component.content = document->root();
    return true;
  }

  Exports read_nested(const Component& component, const Level& around) {
    Level level{.root = component.content,
                .file = component.content_file,
                .prefix = component.name + ".",
                .settings = component.settings,
                .chain = around.chain};
    const Place place = component.declaration.place_of("file");
    const fs::path file = canonical(component.content_file);
    const bool is_file = component.declaration.has("file");
    if (is_file && std::find(level.chain.begin(), level.chain.end(), file) != level.chain.end()) {
      std::string chain;
      for (const auto& part : level.chain) chain += part.filename().string() + " -> ";
      diagnostics_.error(place, fmt::format("the model contains itself: {}{}", chain, file.filename().string()));
      return {false, {}};
    }
    level.chain.push_back(is_file ? file : fs::path("(inline)"));
    if (level.chain.size() > kDeepestModel) {
      diagnostics_.error(place, fmt::format("models are nested more than {} deep", kDeepestModel));
      return {false, {}};
    }
    return read_level(level, component.scope);
  }

  // ---- connections

  std::optional<Endpoint> resolve(const Level& level, const Element& element, std::string_view attribute,
                                  const Scope& scope) {
    if (!element.has(attribute)) return std::nullopt;
    const Place place = element.place_of(attribute);
    const auto text = scope.interpolate(element.get(attribute), place, diagnostics_);
    if (!text) return std::nullopt;
    const std::size_t dot = text->find('.');
    if (dot == text->npos) {
      diagnostics_.error(place, fmt::format("{}=\"{}\" must have the form \"component.interface\"", attribute, *text));
      return std::nullopt;
    }
    const std::string component = text->substr(0, dot);
    const std::string interface = text->substr(dot + 1);
    if (const auto found = level.components.find(component); found != level.components.end()) {
      return Endpoint{found->second, interface};
    }
    const auto nested = level.nested.find(component);
    if (nested == level.nested.end()) {
      diagnostics_.error(
          place, fmt::format("unknown component '{}'{}", component, document::suggestion(component, level.names())));
      return std::nullopt;
    }
    const auto& exports = nested->second;
    if (const auto found = exports.interfaces.find(interface); found != exports.interfaces.end()) return found->second;
    if (!exports.is_complete) return std::nullopt;
    std::vector<std::string> known;
    for (const auto& [name, end] : exports.interfaces) known.push_back(name);
    diagnostics_.error(place, fmt::format("the nested model '{}' exports no interface '{}'{}", component, interface,
                                          document::suggestion(interface, known)));
    return std::nullopt;
  }

  void read_connection(Level& level, const Element& element, const Scope& scope) {
    Connection connection;
    connection.declaration = element;
    const auto from = resolve(level, element, "from", scope);
    const auto to = resolve(level, element, "to", scope);
    connection.from = from.value_or(Endpoint{});
    connection.to = to.value_or(Endpoint{});
    if (element.has("name")) {
      connection.name = level.prefix + read_name(element, scope).value_or("");
    } else if (from && to) {
      const auto text = [&](std::string_view end) {
        return scope.interpolate(element.get(end), {}, diagnostics_).value_or("");
      };
      connection.name = level.prefix + text("from") + "--" + text("to");
    }
    connection.coupling = read_coupling(element.get("coupling"));
    const auto number = [&](std::string_view attribute) {
      return read_optional(element, attribute, scope, diagnostics_);
    };
    connection.delay = number("delay");
    connection.line = {number("stiffness"),
                       number("impedance"),
                       number("youngs_modulus"),
                       number("area"),
                       number("length"),
                       number("sound_speed"),
                       number("damping").value_or(0.0),
                       number("initial_force").value_or(0.0)};
    auto& sampled = connection.sampled;
    // Absent, or reported by the check against the grammar.
    sampled.extrapolation = core::extrapolation_from_name(element.get("extrapolation")).value_or(sampled.extrapolation);
    sampled.schedule = core::schedule_from_name(element.get("schedule")).value_or(sampled.schedule);
    sampled.step = number("step");
    model_.connections.push_back(std::move(connection));
  }

  std::span<const Override> overrides_;
  std::span<const ComponentKind> kinds_;
  document::Grammar grammar_;
  Diagnostics& diagnostics_;
  CompositeModel model_;
  std::map<std::pair<fs::path, std::string>, std::shared_ptr<const document::Document>> documents_;
  std::size_t rounds_ = 0;
  std::set<std::string> declared_;  ///< full names of all parameters, for overrides
};

}  // namespace

std::optional<CompositeModel> read_model(const std::filesystem::path& file, std::span<const Override> overrides,
                                         std::span<const ComponentKind> kinds, document::Diagnostics& diagnostics) {
  return Reader(overrides, kinds, diagnostics).run(file);
}

}  // namespace tieline::model
