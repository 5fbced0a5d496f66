#include "model/reader.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "core/signal_members.hpp"
#include "document/grammar_names.hpp"
#include "model/level.hpp"
#include "model/library.hpp"
#include "model/names.hpp"
#include "model/parameter_reader.hpp"
#include "model/placement.hpp"
#include "model/settings_reader.hpp"

namespace tieline::model {
namespace {

using document::Diagnostics;
using document::Element;
using document::Place;
using document::Scope;

namespace fs = std::filesystem;

constexpr std::size_t kDeepestModel = 50;        ///< models within models
constexpr std::size_t kMostModels = 50'000;      ///< nested models; more multiply from file to file
constexpr std::size_t kMostRepeats = 1'000'000;  ///< of one repeat; more is an expression gone wrong
constexpr std::size_t kMostParts = 2'000'000;    ///< components, nested models and connections
constexpr std::size_t kMostRounds = 4'000'000;   ///< of all repeats together, empty ones included
constexpr std::string_view kComposite = "composite";

class Reader {
 public:
  Reader(std::span<const Override> overrides, std::span<const ComponentKind> kinds, const DocumentSource& source,
         Diagnostics& diagnostics)
      : parameters_(overrides),
        kinds_(kinds),
        source_(source),
        grammar_(grammar(kinds)),
        document_diagnostics_(diagnostics),
        diagnostics_(&diagnostics),
        shelf_([this](const fs::path& file) { return load(file, "Library"); }) {}

  std::optional<CompositeModel> run(const fs::path& file) {
    const auto document = load(file, "CompositeModel");
    if (!document) return std::nullopt;
    Level level{.root = document->root(), .file = file, .chain = {canonical(file)}};
    model_.file = file;
    model_.name = level.root.get("name");
    model_.description = level.root.child("Description").text();
    if (level.root.name() != "CompositeModel") return std::nullopt;

    Scope scope;
    parameters_.define_defaults({&level.root, 1}, scope, Scope(), "", *diagnostics_);
    read_root_parameters(level.root, scope);
    model_.simulation = read_simulation(level.root.child("Simulation"), scope, *diagnostics_);
    level.settings = model_.simulation.defaults;
    const Exports exports = read_level(level, scope);
    for (const auto& element : level.root.child("Interfaces").children("Interface")) {
      const auto found = exports.interfaces.find(element.get("name"));
      if (found != exports.interfaces.end()) model_.interfaces.push_back({found->first, found->second, element});
    }
    parameters_.report_unknown(*diagnostics_);
    model_.files = std::move(files_);
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
    found->second = source_(file, document_diagnostics_);
    files_.push_back(file);
    if (found->second) document::check_against(grammar_.rooted_at(root), found->second->root(), document_diagnostics_);
    return found->second;
  }

  // ---- parameters

  void read_root_parameters(const Element& root, const Scope& scope) {
    for (const auto& element : root.child("Parameters").children("Parameter")) {
      const std::string name = element.get("name");
      Diagnostics already_reported;
      const auto value = scope.value_of(name, {}, already_reported);
      if (value) model_.parameters.push_back({name, *value, element.get("unit"), element.get("description")});
    }
  }

  // ---- structure

  Exports read_level(Level& level, const Scope& scope) {
    level.libraries.merge(shelf_.used_by(level.root, level.file, *diagnostics_));
    repeat(level.root.child("Components"), scope, [&](const Element& element, const Scope& inner) {
      if (element.name() == "Component") read_component(level, element, inner);
      if (element.name() == "Alternative") read_alternative(level, element, inner);
    });
    repeat(level.root.child("Connections"), scope, [&](const Element& element, const Scope& inner) {
      if (element.name() == "Connection") read_connection(level, element, inner);
      if (element.name() == "Open") read_open(level, element, inner);
    });
    resolve_attachments(level);
    Exports exports;
    for (const auto& element : level.root.child("Interfaces").children("Interface")) {
      const auto name = read_name(element, scope);
      const auto target = resolve(level, element, "of", scope);
      if (name && !target.left_out.empty()) {
        exports.left_out.insert(*name);
      } else if (!name || !target.end) {
        exports.is_complete = false;
      } else if (!exports.interfaces.try_emplace(*name, *target.end).second) {
        diagnostics_->error(element.place_of("name"), fmt::format("interface '{}' stands twice", *name));
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
      } else {
        if (is_full(element)) return;
        read(element, scope);
      }
    }
  }

  template <class Read>
  void expand(const Element& element, const Scope& scope, const Read& read) {
    const auto count = read_optional(element, "count", scope, *diagnostics_);
    const std::string index = element.get("index");
    if (!count || !document::is_identifier(index)) return;
    if (*count < 0.0 || *count != std::floor(*count) || *count > static_cast<double>(kMostRepeats)) {
      diagnostics_->error(element.place_of("count"),
                          fmt::format("count = {} must be a whole number from 0 to {}", *count, kMostRepeats));
      return;
    }
    for (double i = 0.0; i < *count; i += 1.0) {
      if (++rounds_ > kMostRounds) {
        diagnostics_->error(element.place(),
                            fmt::format("the repeats of the model go round more than {} times", kMostRounds));
        return;
      }
      const auto errors_before = diagnostics_->error_count();
      Scope inner = scope.nested();
      inner.set(index, i);
      repeat(element, inner, read);
      // What is wrong once is wrong each time.
      if (diagnostics_->error_count() != errors_before) return;
    }
  }

  bool is_full(const Element& element) {
    if (++parts_ <= kMostParts) return false;
    diagnostics_->error(element.place(),
                        fmt::format("the model has more than {} components and connections", kMostParts));
    return true;
  }

  std::optional<std::string> read_name(const Element& element, const Scope& scope) {
    if (!element.has("name")) return std::nullopt;
    auto name = scope.interpolate(element.get("name"), element.place_of("name"), *diagnostics_);
    if (name && !is_name(*name)) {
      diagnostics_->error(element.place_of("name"),
                          fmt::format("'{}' is not a name (letters, digits, '_' and '-')", *name));
      return std::nullopt;
    }
    return name;
  }

  std::optional<fs::path> read_path(const Element& element, std::string_view attribute, const fs::path& file,
                                    const Scope& scope) {
    if (element.get(attribute).empty()) return std::nullopt;
    const auto text = scope.interpolate(element.get(attribute), element.place_of(attribute), *diagnostics_);
    if (!text) return std::nullopt;
    return resolve_path(file, *text);
  }

  // ---- components

  /// Whether an element counts; if not, a note says so. What could not be computed has been reported, and counts.
  bool is_enabled(const Element& element, const Scope& scope, std::string_view what, const std::string& name) {
    if (read_optional(element, "enabled", scope, *diagnostics_).value_or(1.0) != 0.0) return true;
    diagnostics_->note(element.place_of("enabled"), fmt::format("{} '{}' is disabled", what, name));
    return false;
  }

  /// The name of a component or an alternative that is enabled; nothing where there is nothing (more) to read.
  std::optional<std::string> read_new_name(Level& level, const Element& element, const Scope& around) {
    auto name = read_name(element, around);
    if (!name) return std::nullopt;
    if (level.knows(*name)) {
      diagnostics_->error(element.place_of("name"), duplicate_component(level.prefix + *name));
      if (element.name() == "Component") (void)read_apart(level, *name, element, around);  // what else is wrong with it
      return std::nullopt;
    }
    if (is_enabled(element, around, "component", level.prefix + *name)) return name;
    level.left_out.insert(*name);
    declare_left_out(level, *name, element, around);
    return std::nullopt;
  }

  /// Parameters of what is left out stay known to the command line: a study may switch it on and off.
  void declare_left_out(const Level& level, const std::string& name, const Element& element, const Scope& around) {
    Diagnostics unheard;
    auto* const heard = std::exchange(diagnostics_, &unheard);
    if (element.name() == "Component") {
      (void)read_apart(level, name, element, around);
    } else {
      for (const auto& choice : element.children("Component")) (void)read_apart(level, name, choice, around);
      (void)parameters_.find_override(level.prefix + name);
    }
    diagnostics_ = heard;
  }

  void read_component(Level& level, const Element& element, const Scope& around) {
    if (const auto name = read_new_name(level, element, around)) add_component(level, *name, element, around);
  }

  void add_component(Level& level, const std::string& name, const Element& element, const Scope& around) {
    Component component;
    component.name = level.prefix + name;
    component.declaration = element;
    component.scope = around.nested();
    const bool is_described = find_statements(component, level);
    parameters_.give(element, component.scope, around, component.name, *diagnostics_);
    std::vector<Element> owners;
    for (std::size_t i = 1; i < component.statements.size(); ++i) owners.push_back(component.statements[i].element);
    if (!owners.empty()) {
      parameters_.define_defaults(owners, component.scope, around, component.name + ".", *diagnostics_);
    }
    read_metadata(component, around);
    component.settings.inherit(level.settings);
    const bool has_content = is_described && find_content(component, around);
    if (component.content.exists()) {
      parameters_.define_defaults({&component.content, 1}, component.scope, around, component.name + ".",
                                  *diagnostics_);
      owners.push_back(component.content);
    }
    if (!owners.empty()) ParameterReader::check_given_names(element, owners, *diagnostics_);
    component.frame = add_frame(component, level);
    if (component.kind == kComposite) {
      level.nested[name] = has_content ? read_nested(component, level) : Exports{.is_complete = false};
      return;
    }
    component.declared_interfaces = read_interfaces(component.statements, component.scope, *diagnostics_);
    level.components.try_emplace(name, static_cast<int>(model_.components.size()));
    model_.components.push_back(std::move(component));
  }

  /// All that describe the component, and its kind. False, with a report, where they do not tell what it is.
  bool find_statements(Component& component, const Level& level) {
    const Element& element = component.declaration;
    component.statements = {{element, level.file}};
    component.type = element.get("type");
    if (element.has("type") &&
        !shelf_.append_type(element, "type", level.file, level.libraries, component.statements, *diagnostics_)) {
      return false;
    }
    const Statement* statement = stating(component.statements, "kind");
    if (statement != nullptr) {
      component.kind = statement->element.get("kind");
      return true;
    }
    diagnostics_->error(element.place(), element.has("type") ? fmt::format("type '{}' has no kind", component.type)
                                                             : "<Component> needs the attribute 'kind' or 'type'");
    return false;
  }

  // ---- alternatives

  void read_alternative(Level& level, const Element& element, const Scope& around) {
    const auto name = read_new_name(level, element, around);
    if (!name) return;
    Alternative alternative{level.prefix + *name, element, {}};
    std::vector<std::string> names;
    for (const auto& child : element.children("Component")) {
      const auto choice = read_name(child, around);
      if (choice && std::find(names.begin(), names.end(), *choice) != names.end()) {
        diagnostics_->error(child.place_of("name"), fmt::format("choice '{}' stands twice", *choice));
      }
      names.push_back(choice.value_or(""));
    }
    const std::size_t chosen = choose(alternative.name, element, names, around);
    const auto children = element.children("Component");
    for (std::size_t i = 0; i < children.size(); ++i) {
      Choice choice{.name = names[i], .declaration = children[i]};
      if (i == chosen) {
        add_component(level, *name, children[i], around);
        describe_choice(level, *name, choice);
      } else {
        choice = read_apart(level, *name, children[i], around);
        choice.name = names[i];
      }
      alternative.choices.push_back(std::move(choice));
    }
    if (!alternative.choices.empty()) model_.alternatives.push_back(std::move(alternative));
  }

  /// Which of the named choices an alternative takes: by name, or by number counted from 0.
  std::size_t choose(const std::string& full_name, const Element& element, const std::vector<std::string>& names,
                     const Scope& around) {
    const Override* override = parameters_.find_override(full_name);
    if (override == nullptr && !element.has("choose")) return 0;
    const Place place = override != nullptr ? ParameterReader::place_of(*override) : element.place_of("choose");
    const auto text =
        around.interpolate(override != nullptr ? override->value : element.get("choose"), place, *diagnostics_);
    if (!text) return 0;
    const auto found = std::find(names.begin(), names.end(), *text);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (*text == std::to_string(i)) return i;
    }
    diagnostics_->error(place, fmt::format("alternative '{}' has no choice '{}'{}", full_name, *text,
                                           document::suggestion(*text, names)));
    return 0;
  }

  /// Reads a component into a model of its own, which is not run.
  Choice read_apart(const Level& level, const std::string& name, const Element& element, const Scope& around) {
    CompositeModel part;
    part.file = level.file;
    std::swap(model_, part);
    Level apart{.root = level.root,
                .file = level.file,
                .prefix = level.prefix,
                .settings = level.settings,
                .chain = level.chain,
                .libraries = level.libraries};
    add_component(apart, name, element, around);
    Choice choice{.declaration = element};
    describe_choice(apart, name, choice);
    std::swap(model_, part);
    choice.part = std::make_shared<const CompositeModel>(std::move(part));
    return choice;
  }

  static void describe_choice(const Level& level, const std::string& name, Choice& choice) {
    if (const auto leaf = level.components.find(name); leaf != level.components.end()) choice.component = leaf->second;
    if (const auto nested = level.nested.find(name); nested != level.nested.end()) {
      choice.interfaces = nested->second.interfaces;
      choice.is_readable = nested->second.is_complete;
    }
  }

  /// <Component> speaks with the names around it, its types with those of the component.
  static const Scope& scope_of(const Component& component, const Statement& statement, const Scope& around) {
    return &statement == &component.statements.front() ? around : component.scope;
  }

  void read_metadata(Component& component, const Scope& around) {
    const auto word = [&](std::string_view attribute) {
      const Statement* statement = stating(component.statements, attribute);
      return statement == nullptr ? std::string() : statement->element.get(attribute);
    };
    const auto path = [&](std::string_view attribute) {
      const Statement* statement = stating(component.statements, attribute);
      if (statement == nullptr) return fs::path();
      const Scope& scope = scope_of(component, *statement, around);
      return read_path(statement->element, attribute, statement->file, scope).value_or("");
    };
    component.tool = word("tool");
    component.version = word("version");
    component.command = word("command");
    component.icon = path("icon");
    component.geometry = path("geometry");
    component.diagram_x = read_optional(component.declaration, "diagram_x", around, *diagnostics_);
    component.diagram_y = read_optional(component.declaration, "diagram_y", around, *diagnostics_);
    for (const auto& statement : component.statements) {
      const Scope& scope = scope_of(component, statement, around);
      component.settings.inherit(read_settings(statement.element, scope, *diagnostics_));
      if (component.description.empty()) component.description = statement.element.child("Description").text();
      for (const auto& input : statement.element.children("InputFile")) {
        if (auto file = read_path(input, "path", statement.file, scope)) component.input_files.push_back(*file);
      }
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

  /// Whether the component has content that was read: that of the nearest statement which has some.
  bool find_content(Component& component, const Scope& around) {
    const std::string expected = content_element(component.kind);
    component.content_file = component.statements.front().file;
    for (const auto& statement : component.statements) {
      const Element& element = statement.element;
      Element inline_content;
      for (const auto& child : element.children()) {
        if (child.name() == expected) inline_content = child;
        if (child.name() == expected || expected.empty() || !is_content_of_another_kind(child.name())) continue;
        diagnostics_->error(child.place(), fmt::format("a component of kind '{}' holds <{}>, not <{}>", component.kind,
                                                       expected, child.name()));
        return false;
      }
      if (!inline_content.exists() && !element.has("file")) continue;
      if (inline_content.exists() && element.has("file")) return report_content(component, element, expected);
      component.content_file = statement.file;
      component.content = inline_content;
      return inline_content.exists() || load_content(component, statement, expected, around);
    }
    return !expected.empty() && report_content(component, component.declaration, expected);
  }

  bool report_content(const Component& component, const Element& element, const std::string& expected) {
    diagnostics_->error(element.place(),
                        fmt::format("component '{}' must have either a file or <{}> in it{}", component.name, expected,
                                    element.has("file") ? ", not both" : ""));
    return false;
  }

  bool is_content_of_another_kind(std::string_view name) const {
    if (name == "CompositeModel") return true;
    return std::any_of(kinds_.begin(), kinds_.end(), [&](const auto& kind) {
      return !kind.grammar.rules.empty() && kind.grammar.rules.front().name == name;
    });
  }

  bool load_content(Component& component, const Statement& statement, const std::string& expected,
                    const Scope& around) {
    const auto file = read_path(statement.element, "file", statement.file, scope_of(component, statement, around));
    component.has_own_file = true;
    if (file) component.content_file = *file;
    if (!file || expected.empty()) return false;  // files of other tools are theirs to read
    std::error_code failure;
    if (!fs::exists(*file, failure)) {
      diagnostics_->error(statement.element.place_of("file"), missing_file(*file));
      return false;
    }
    const auto document = load(*file, expected);
    if (!document || document->root().name() != expected) return false;
    component.content = document->root();
    return true;
  }

  Exports read_nested(const Component& component, const Level& around) {
    Level level{.root = component.content,
                .file = component.content_file,
                .prefix = component.name + ".",
                .settings = component.settings,
                .chain = around.chain,
                .frame = component.frame};
    const Place place = component.declaration.place_of(component.type.empty() ? "file" : "type");
    // Where a model stands: in a file of its own, in a type, or in the model around it, which it cannot contain.
    fs::path origin = canonical(component.content_file);
    const bool is_of_type = !component.type.empty() && !component.has_own_file;
    if (is_of_type) origin /= component.type;
    const bool is_inline = !is_of_type && !component.has_own_file;
    if (!is_inline && std::find(level.chain.begin(), level.chain.end(), origin) != level.chain.end()) {
      std::string chain;
      for (const auto& part : level.chain) chain += part.filename().string() + " -> ";
      diagnostics_->error(place, fmt::format("the model contains itself: {}{}", chain, origin.filename().string()));
      return {.is_complete = false};
    }
    level.chain.push_back(is_inline ? fs::path("(inline)") : origin);
    if (++models_ > kMostModels) {
      diagnostics_->error(place, fmt::format("the model has more than {} nested models", kMostModels));
      return {.is_complete = false};
    }
    if (level.chain.size() > kDeepestModel) {
      diagnostics_->error(place, fmt::format("models are nested more than {} deep", kDeepestModel));
      return {.is_complete = false};
    }
    if (is_inline) level.libraries = around.libraries;
    return read_level(level, component.scope);
  }

  // ---- placement

  /// The frame of a component or a nested model; what it is attached to is known only when its level has been read.
  int add_frame(const Component& component, Level& level) {
    const Element& element = component.declaration;
    Frame frame{.name = component.name, .parent = level.frame, .declaration = element};
    if (const Element placement = element.child("Placement"); placement.exists()) {
      frame.pose = read_pose(placement, component.scope, *diagnostics_);
      if (element.has("attach")) {
        diagnostics_->error(element.place_of("attach"), "a component has either <Placement> or 'attach', not both");
      }
    }
    if (element.has("attach_at") && !element.has("attach")) {
      diagnostics_->error(element.place_of("attach_at"), "'attach_at' has a meaning only with 'attach'");
    }
    const int index = static_cast<int>(model_.frames.size());
    if (element.has("attach")) level.attached.push_back({index, component.scope});
    model_.frames.push_back(std::move(frame));
    return index;
  }

  void resolve_attachments(Level& level) {
    for (const auto& [index, scope] : level.attached) {
      auto& frame = model_.frames[static_cast<std::size_t>(index)];
      const auto target = resolve(level, frame.declaration, "attach", scope).end;
      if (!target) continue;  // reported, or disabled: then it stays where the model around it is
      frame.own = own_interface(level, frame, *target, scope);
      if (frame.own) frame.target = target;
    }
  }

  /// The interface of an attached component that meets the target: as stated, or the one that a connection joins.
  std::optional<Endpoint> own_interface(const Level& level, const Frame& frame, const Endpoint& target,
                                        const Scope& scope) {
    const Element& element = frame.declaration;
    if (element.has("attach_at")) {
      const Place place = element.place_of("attach_at");
      const auto text = scope.interpolate(element.get("attach_at"), place, *diagnostics_);
      if (!text) return std::nullopt;
      return resolve_text(level, frame.name.substr(level.prefix.size()) + "." + *text, "attach_at", place).end;
    }
    const auto is_target = [&](const Endpoint& end) {
      return end.component == target.component && end.interface == target.interface;
    };
    const auto is_own = [&](const Endpoint& end) {
      if (end.component < 0) return false;
      const std::string& full = model_.components[static_cast<std::size_t>(end.component)].name;
      return full == frame.name || full.starts_with(frame.name + ".");
    };
    for (const auto& connection : model_.connections) {
      if (is_target(connection.from) && is_own(connection.to)) return connection.to;
      if (is_target(connection.to) && is_own(connection.from)) return connection.from;
    }
    diagnostics_->error(element.place_of("attach"),
                        fmt::format("no connection joins '{}' with '{}'; state its interface by attach_at", frame.name,
                                    model_.describe(target)));
    return std::nullopt;
  }

  // ---- connections

  Target resolve(const Level& level, const Element& element, std::string_view attribute, const Scope& scope) {
    if (!element.has(attribute)) return {};
    const Place place = element.place_of(attribute);
    const auto text = scope.interpolate(element.get(attribute), place, *diagnostics_);
    return text ? resolve_text(level, *text, attribute, place) : Target{};
  }

  Target resolve_text(const Level& level, const std::string& text, std::string_view attribute, const Place& place) {
    const std::size_t dot = text.find('.');
    if (dot == text.npos) {
      diagnostics_->error(place, fmt::format("{}=\"{}\" must have the form \"component.interface\"", attribute, text));
      return {};
    }
    const std::string component = text.substr(0, dot);
    const std::string interface = text.substr(dot + 1);
    if (const auto found = level.components.find(component); found != level.components.end()) {
      return {.end = Endpoint{found->second, interface}};
    }
    if (level.left_out.contains(component)) return {.left_out = level.prefix + component};
    const auto nested = level.nested.find(component);
    if (nested == level.nested.end()) {
      diagnostics_->error(
          place, fmt::format("unknown component '{}'{}", component, document::suggestion(component, level.names())));
      return {};
    }
    const auto& exports = nested->second;
    // A member of what a nested model exports is that member of what it stands for.
    const std::string whole(core::split_member(interface).interface);
    if (const auto found = exports.interfaces.find(whole); found != exports.interfaces.end())
      return {.end = Endpoint{found->second.component, found->second.interface + interface.substr(whole.size())}};
    if (exports.left_out.contains(whole)) return {.left_out = fmt::format("{}{}", level.prefix, text)};
    if (!exports.is_complete) return {};
    std::vector<std::string> known;
    for (const auto& [name, end] : exports.interfaces) known.push_back(name);
    diagnostics_->error(place, fmt::format("the nested model '{}' exports no interface '{}'{}", component, whole,
                                           document::suggestion(whole, known)));
    return {};
  }

  void read_connection(Level& level, const Element& element, const Scope& scope) {
    Connection connection;
    connection.declaration = element;
    const auto from = resolve(level, element, "from", scope);
    const auto to = resolve(level, element, "to", scope);
    connection.from = from.end.value_or(Endpoint{});
    connection.to = to.end.value_or(Endpoint{});
    const bool is_left_out = !from.left_out.empty() || !to.left_out.empty();
    if (element.has("name")) {
      connection.name = level.prefix + read_name(element, scope).value_or("");
    } else if ((from.end && to.end) || is_left_out) {
      const auto text = [&](std::string_view end) {
        return scope.interpolate(element.get(end), {}, *diagnostics_).value_or("");
      };
      connection.name = level.prefix + text("from") + "--" + text("to");
    }
    if (is_left_out) {
      diagnostics_->note(element.place(),
                         fmt::format("connection '{}' is left out with the disabled '{}'", connection.name,
                                     from.left_out.empty() ? to.left_out : from.left_out));
      return;
    }
    if (!is_enabled(element, scope, "connection", connection.name)) return;
    read_coupling(element, scope, connection, *diagnostics_);
    model_.connections.push_back(std::move(connection));
  }

  void read_open(Level& level, const Element& element, const Scope& scope) {
    const auto target = resolve(level, element, "interface", scope);
    if (!target.end || !is_enabled(element, scope, "open end", model_.describe(*target.end))) return;
    const std::string_view source = element.has("results") ? "results" : "file";
    model_.open_ends.push_back(
        {*target.end, scope, read_path(element, source, level.file, scope).value_or(""), element});
  }

  ParameterReader parameters_;
  std::span<const ComponentKind> kinds_;
  const DocumentSource& source_;
  document::Grammar grammar_;
  Diagnostics& document_diagnostics_;  ///< what is wrong with a file is wrong whoever reads it
  Diagnostics* diagnostics_;           ///< of what is read at present
  CompositeModel model_;
  Shelf shelf_;
  std::vector<fs::path> files_;
  std::map<std::pair<fs::path, std::string>, std::shared_ptr<const document::Document>> documents_;
  std::size_t rounds_ = 0;
  std::size_t models_ = 0;
  std::size_t parts_ = 0;  ///< components, nested models and connections read so far
};

}  // namespace

std::optional<CompositeModel> read_model(const std::filesystem::path& file, std::span<const Override> overrides,
                                         std::span<const ComponentKind> kinds, document::Diagnostics& diagnostics,
                                         const DocumentSource& source) {
  return Reader(overrides, kinds, source, diagnostics).run(file);
}

}  // namespace tieline::model
