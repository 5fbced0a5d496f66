#include "interchange/ssp_structure.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>

#include "fmi/fmu_file.hpp"
#include "fmi/value_text.hpp"
#include "interchange/foreign_text.hpp"
#include "interchange/ssp_xml.hpp"
#include "model/fmu_mode.hpp"

namespace tieline::interchange::ssp {
namespace {

using document::Diagnostics;
using document::Place;
using Xml = document::Element;

// Systems within systems, nested SSPs included; all elements together.
constexpr std::size_t kDeepestSystem = 50;
constexpr std::size_t kMostElements = 500'000;

constexpr std::string_view kConstantOfMcx = "application/avl-mcx-constant";

constexpr std::array<std::pair<std::string_view, Kind>, 9> kKinds{{{"input", Kind::input},
                                                                   {"output", Kind::output},
                                                                   {"parameter", Kind::parameter},
                                                                   {"calculatedParameter", Kind::calculated_parameter},
                                                                   {"structuralParameter", Kind::structural_parameter},
                                                                   {"constant", Kind::constant},
                                                                   {"local", Kind::local},
                                                                   {"inout", Kind::inout},
                                                                   {"unspecified", Kind::unspecified}}};

Kind kind_of(const fmi::Variable& variable) {
  switch (variable.causality) {
    case fmi::Causality::input:
      return Kind::input;
    case fmi::Causality::output:
      return Kind::output;
    case fmi::Causality::parameter:
      return Kind::parameter;
    case fmi::Causality::calculated_parameter:
      return Kind::calculated_parameter;
    case fmi::Causality::structural_parameter:
      return Kind::structural_parameter;
    default:
      return variable.variability == fmi::Variability::constant ? Kind::constant : Kind::local;
  }
}

bool is_source(Kind kind) {
  return kind == Kind::output || kind == Kind::calculated_parameter || kind == Kind::constant || kind == Kind::local;
}
bool is_sink(Kind kind) { return kind == Kind::input || kind == Kind::parameter || kind == Kind::structural_parameter; }

/// All that is read in one file, and where that is in the tree.
struct Context {
  File file{};
  std::shared_ptr<const Definitions> definitions{};
  Xml root{};                             ///< <SystemStructureDescription>
  std::vector<std::string> references{};  ///< what is being read: files, and elements by their id
  std::size_t depth = 0;
};

class StructureReader {
 public:
  StructureReader(Files& files, Diagnostics& diagnostics) : files_(files), diagnostics_(diagnostics) {}

  std::optional<Structure> read(const File& file) {
    const Place place{file.shown(), 0, 0};
    const auto context = open(file, place, {});
    if (!context) return std::nullopt;
    const Xml system = root_system(*context);
    if (!system.exists()) return std::nullopt;
    Structure structure{.name = context->root.get("name"), .declaration = context->root};
    structure.root = std::make_unique<Part>();
    structure.root->declaration = system;
    structure.root->name = system.get("name");
    read_system(*structure.root, system, *context);
    structure.experiment = read_experiment(*context, system);
    return structure;
  }

 private:
  /// A structure's file, ready to be read.
  std::optional<Context> open(const File& file, const Place& place, const Context& around) {
    Context context{.file = file, .references = around.references, .depth = around.depth};
    if (!enter(context, file.shown(), place)) return std::nullopt;
    const auto document = files_.document(file, place);
    if (!document) return std::nullopt;
    context.root = document->root();
    if (local_name(context.root) != "SystemStructureDescription") {
      diagnostics_.error(context.root.place(),
                         fmt::format("expected <SystemStructureDescription>, got <{}>", context.root.name()));
      return std::nullopt;
    }
    auto& definitions = definitions_[file.shown()];
    if (!definitions) {
      warn_of_unknown(context.root,
                      {"version", "name", "author", "fileversion", "copyright", "license", "generationTool",
                       "generationDateAndTime"},
                      {"System", "Enumerations", "Units", "DefaultExperiment"}, diagnostics_);
      const std::string version = context.root.get("version");
      if (!version.starts_with("1.") && !version.starts_with("2.")) {
        diagnostics_.warning(context.root.place_of("version"),
                             fmt::format("version \"{}\" is not known; it is read as SSP 2.0", version));
      }
      definitions = std::make_shared<const Definitions>(read_definitions(context.root, diagnostics_));
    }
    context.definitions = definitions;
    return context;
  }

  /// Whether a file or element may be read within those that are being read.
  bool enter(Context& context, const std::string& reference, const Place& place) {
    if (std::find(context.references.begin(), context.references.end(), reference) != context.references.end()) {
      diagnostics_.error(place, fmt::format("'{}' contains itself", reference));
      return false;
    }
    context.references.push_back(reference);
    return true;
  }

  Xml root_system(const Context& context) {
    const Xml system = child_named(context.root, "System");
    if (!system.exists()) diagnostics_.error(context.root.place(), "the description needs a <System>");
    return system;
  }

  /// `is_outer`: of a component, after those of the system that it names.
  void read_connectors(Part& element, const Xml& declaration, const Context& context, bool is_outer = false) {
    for (const Xml& child : children_of(declaration, "Connectors", "Connector")) {
      warn_of_unknown(
          child, {"name", "kind"},
          {"Real", "Float64", "Float32", "Integer", "Int8", "UInt8", "Int16", "UInt16", "Int32", "UInt32", "Int64",
           "UInt64", "Boolean", "String", "Enumeration", "Binary", "Clock", "Dimension", "ConnectorGeometry"},
          diagnostics_);
      Connector connector{.name = required_text(child, "name", diagnostics_),
                          .type = read_type(child, *context.definitions, diagnostics_),
                          .element = child};
      if (const Xml port = annotated(child, "Port"); port.exists()) connector.variable = port.get("nameInModel");
      const std::string kind = required_text(child, "kind", diagnostics_);
      const auto known =
          std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& each) { return each.first == kind; });
      if (known != kKinds.end()) {
        connector.kind = known->second;
      } else if (!kind.empty()) {
        std::vector<std::string> kinds;
        for (const auto& [name, _] : kKinds) kinds.emplace_back(name);
        diagnostics_.error(child.place_of("kind"),
                           fmt::format("unknown kind '{}'{}", kind, document::suggestion(kind, kinds)));
      }
      const auto found = element.connector_index.find(connector.name);
      if (found == element.connector_index.end()) {
        element.connector_index.emplace(connector.name, element.connectors.size());
        element.connectors.push_back(std::move(connector));
        continue;
      }
      // What a component states about a connector of the SSP in it goes before what that states.
      Connector& other = element.connectors[found->second];
      if (!is_outer) {
        diagnostics_.error(child.place(), fmt::format("'{}' has two connectors '{}'; the first is at {}", element.name,
                                                      connector.name, shown(other.element.place())));
      } else {
        if (connector.type.unit) other.type.unit = connector.type.unit;
        if (connector.type.enumeration) other.type.enumeration = connector.type.enumeration;
      }
    }
  }

  void read_system(Part& element, const Xml& declaration, Context context) {
    element.what = Part::What::system;
    element.system = std::make_unique<System>();
    System& system = *element.system;
    system.self = &element;
    warn_of_unknown(declaration, {"name"},
                    {"Connectors", "ElementGeometry", "ParameterBindings", "Elements", "Connections",
                     "SignalDictionaries", "SystemGeometry", "GraphicalElements"},
                    diagnostics_);
    read_connectors(element, declaration, context);
    auto assignments = read_bindings(declaration, context.file, std::nullopt, files_, diagnostics_);
    element.assignments.insert(element.assignments.end(), assignments.begin(), assignments.end());
    if (++context.depth > kDeepestSystem) {
      diagnostics_.error(declaration.place(), fmt::format("systems are nested more than {} deep", kDeepestSystem));
      return;
    }
    read_dictionaries(system, declaration, context);
    read_elements(system, declaration, context);
    for (const Xml& child : children_of(declaration, "Connections", "Connection")) read_connection(system, child);
  }

  void read_elements(System& system, const Xml& declaration, const Context& context) {
    std::vector<Xml> all;
    for (const Xml& elements : children_named(declaration, "Elements")) {
      warn_of_unknown(elements, {}, {"Component", "System", "SignalDictionaryReference"}, diagnostics_);
      for (Xml& child : elements.children()) all.push_back(std::move(child));
    }
    std::set<std::string> our_names;
    for (const Xml& child : all) {
      const std::string_view what = local_name(child);
      if (what != "Component" && what != "System" && what != "SignalDictionaryReference") continue;
      if (++element_count_ > kMostElements) {
        if (element_count_ == kMostElements + 1) {
          diagnostics_.error(child.place(), fmt::format("there are more than {} elements", kMostElements));
        }
        return;
      }
      auto element = std::make_unique<Part>();
      element->declaration = child;
      element->parent = &system;
      element->name = required_text(child, "name", diagnostics_);
      const std::string plain = element->name.empty() ? "element" : as_name(element->name);
      element->our_name = plain;
      for (int k = 2; !our_names.insert(element->our_name).second; ++k)
        element->our_name = fmt::format("{}_{}", plain, k);
      const auto [first, is_new] = system.by_name.try_emplace(element->name, element.get());
      if (!is_new) {
        diagnostics_.error(child.place_of("name"),
                           fmt::format("two elements are named '{}'; the first is at {}", element->name,
                                       shown(first->second->declaration.place())));
        continue;
      }
      Part& kept = *system.elements.emplace_back(std::move(element));
      if (what == "Component") read_component(kept, child, context);
      if (what == "System") read_system(kept, child, context);
      if (what == "SignalDictionaryReference") read_reference(kept, child, context);
      read_icon(kept, child, context);
    }
  }

  void read_icon(Part& element, const Xml& declaration, const Context& context) {
    const Xml geometry = child_named(declaration, "ElementGeometry");
    if (!geometry.exists() || !geometry.has("iconSource")) return;
    const Place place = geometry.place_of("iconSource");
    // A picture that is missing keeps nothing from running.
    const std::string uri = geometry.get("iconSource");
    if (uri.find(':') != uri.npos) return;
    const auto named = files_.resolve(context.file, uri, place);
    if (!named || !files_.exists(named->file)) return;
    const std::string ending = fmi::lower_case(std::filesystem::path(named->file.path).extension().string());
    if (ending != ".svg" && ending != ".png") return;
    if (const auto on_disk = files_.provide(named->file, place)) element.icon = files_.name_for(named->file, *on_disk);
  }

  /// What the source of a component is, by its type and its name.
  void read_component(Part& element, const Xml& declaration, const Context& context) {
    warn_of_unknown(declaration, {"name", "type", "source", "implementation"},
                    {"Connectors", "ElementGeometry", "ParameterBindings"}, diagnostics_);
    // Tools write an empty source for what they have built in.
    if (fmi::trimmed(declaration.get("source")).empty()) return read_sourceless(element, declaration, context);
    const Place place = declaration.place_of("source");
    const auto named = files_.resolve(context.file, declaration.get("source"), place);
    if (!named) return;
    const std::string type = declaration.get("type");
    const std::string ending = fmi::lower_case(std::filesystem::path(named->file.path).extension().string());
    const bool is_here = named->file.path == context.file.path && !named->fragment.empty();
    if (is_here) {
      read_again(element, declaration, context, named->fragment);
    } else if (type == "application/x-ssp-package" || ending == ".ssp") {
      read_package(element, declaration, context, *named);
    } else if (type == "application/x-ssp-definition" || ending == ".ssd") {
      read_definition(element, declaration, context, named->file);
    } else if (type.empty() || type == "application/x-fmu-sharedlibrary" || ending == ".fmu") {
      read_fmu(element, declaration, context, named->file);
    } else {
      read_connectors(element, declaration, context);
      diagnostics_.error(declaration.place_of("type"),
                         fmt::format("components of type \"{}\" are not supported; expected FMUs "
                                     "(application/x-fmu-sharedlibrary) or SSPs (application/x-ssp-package, "
                                     "application/x-ssp-definition)",
                                     type));
    }
  }

  /// What such a component is bound to comes out of it; those of OpenMCx state it in an annotation.
  void read_sourceless(Part& element, const Xml& declaration, const Context& context) {
    read_connectors(element, declaration, context);
    element.assignments = read_bindings(declaration, context.file, std::nullopt, files_, diagnostics_);
    const std::string type = declaration.get("type");
    if (type == kConstantOfMcx) read_constants(element, declaration);
    const bool is_fmu = type.empty() || type == "application/x-fmu-sharedlibrary" || type == kConstantOfMcx;
    if (!element.assignments.empty() && is_fmu) return;
    diagnostics_.warning(declaration.place(),
                         is_fmu ? fmt::format("component '{}' has no source: nothing comes out of it", element.name)
                                : fmt::format("component '{}' of type \"{}\" is not supported: nothing comes out of it",
                                              element.name, type));
  }

  /// The values of its connectors, in their order.
  void read_constants(Part& element, const Xml& declaration) {
    const Xml data = annotated(declaration, "SpecificData");
    if (!data.exists()) return;
    std::size_t next = 0;
    for (const Xml& value : data.children()) {
      if (next == element.connectors.size()) break;
      const std::string& name = element.connectors[next++].name;
      element.assignments.push_back({name, value_of_setting(value.get("value"), value.place_of("value"))});
    }
  }

  /// The first element of that name in the annotations of an element.
  static Xml annotated(const Xml& element, std::string_view name) {
    for (const Xml& annotation : children_of(element, "Annotations", "Annotation")) {
      for (const Xml& child : annotation.children()) {
        if (local_name(child) == name) return child;
        if (Xml inner = child_named(child, name); inner.exists()) return inner;
      }
    }
    return {};
  }

  /// A system of the same file once more.
  void read_again(Part& element, const Xml& declaration, Context context, const std::string& id) {
    const Place place = declaration.place_of("source");
    const Xml system = with_id(context.root, id);
    if (!system.exists() || local_name(system) != "System") {
      diagnostics_.error(place, fmt::format("no <System> of this file has the id '{}'", id));
      return;
    }
    if (!enter(context, context.file.shown() + "#" + id, place)) return;
    read_nested(element, declaration, context, system, context);
  }

  static Xml with_id(const Xml& around, const std::string& id) {
    if (around.get("id") == id) return around;
    for (const Xml& child : around.children()) {
      if (Xml found = with_id(child, id); found.exists()) return found;
    }
    return {};
  }

  void read_package(Part& element, const Xml& declaration, const Context& context, const Named& named) {
    const Place place = declaration.place_of("source");
    const auto package = files_.open_inner(named.file, place);
    if (!package) {
      if (!diagnostics_.has_errors()) diagnostics_.error(place, fmt::format("'{}' cannot be read", named.file.shown()));
      return;
    }
    const std::string structure = named.fragment.empty() ? std::string(kDefaultStructure) : named.fragment;
    read_definition(element, declaration, context, {package, structure});
  }

  void read_definition(Part& element, const Xml& declaration, const Context& around, const File& file) {
    const auto context = open(file, declaration.place_of("source"), around);
    if (!context) return;
    if (const Xml system = root_system(*context); system.exists()) {
      read_nested(element, declaration, around, system, *context);
    }
  }

  /// Bindings of the component come after those of the system that it names.
  void read_nested(Part& element, const Xml& declaration, const Context& around, const Xml& system,
                   const Context& context) {
    read_system(element, system, context);
    const std::size_t count = element.connectors.size();
    read_connectors(element, declaration, around, true);
    for (std::size_t k = count; k < element.connectors.size(); ++k) {
      diagnostics_.warning(
          element.connectors[k].element.place(),
          fmt::format("the system that '{}' names has no connector '{}'", element.name, element.connectors[k].name));
    }
    const auto assignments = read_bindings(declaration, around.file, std::nullopt, files_, diagnostics_);
    element.assignments.insert(element.assignments.end(), assignments.begin(), assignments.end());
  }

  void read_fmu(Part& element, const Xml& declaration, const Context& context, const File& file) {
    const Place place = declaration.place_of("source");
    element.what = Part::What::fmu;
    read_connectors(element, declaration, context);
    element.assignments = read_bindings(declaration, context.file, file, files_, diagnostics_);
    const auto on_disk = files_.provide(file, place);
    if (!on_disk) return;
    element.file = files_.name_for(file, *on_disk);
    if (element.file.find_first_of("{}") != element.file.npos) {
      diagnostics_.error(place, fmt::format("the path '{}' contains a brace, which starts an expression here; rename "
                                            "the file",
                                            element.file));
    }
    element.fmu = files_.describe(file, place);
    if (!element.fmu) {
      if (!diagnostics_.has_errors()) diagnostics_.error(place, fmt::format("'{}' cannot be read", file.shown()));
      return;
    }
    read_implementation(element, declaration);
    read_step(element, declaration);
    for (const Connector& connector : element.connectors) check_connector(element, connector);
  }

  /// Of tools of the Open Simulation Platform, of Vico, and of OpenMCx.
  static void read_step(Part& element, const Xml& declaration) {
    Diagnostics unheard;
    const auto take = [&](const Xml& annotation, std::string_view attribute) {
      const auto step = annotation.exists() ? number_of(annotation, attribute, unheard) : std::nullopt;
      if (step && *step > 0.0 && !element.step) element.step = step;
    };
    take(annotated(declaration, "StepSizeHint"), "value");
    take(annotated(declaration, "Component"), "deltaTime");
  }

  void read_implementation(Part& element, const Xml& declaration) {
    const std::string stated = declaration.get("implementation", "any");
    const Place place = declaration.place_of("implementation");
    const bool exchanges = element.fmu->model_exchange.has_value(), simulates = element.fmu->co_simulation.has_value();
    if (stated == "ModelExchange") {
      element.mode = model::kModelExchange;
      if (!exchanges) diagnostics_.error(place, fmt::format("the FMU of '{}' has no model exchange", element.name));
    } else if (stated == "CoSimulation") {
      element.mode = model::kCoSimulation;
      if (!simulates) diagnostics_.error(place, fmt::format("the FMU of '{}' has no co-simulation", element.name));
    } else if (stated == "ScheduledExecution") {
      diagnostics_.error(place, "scheduled execution is not supported");
    } else if (stated != "any") {
      diagnostics_.error(place,
                         fmt::format("implementation \"{}\" must be any, ModelExchange or CoSimulation", stated));
    }
  }

  void check_connector(const Part& element, const Connector& connector) {
    const std::string& name = element.variable_of(connector.name);
    const auto scalars = element.fmu->scalars_of(name);
    if (scalars.empty() && element.fmu->index_of(name) == fmi::kNone) {
      diagnostics_.error(
          connector.element.place_of("name"),
          fmt::format("the FMU of '{}' has no variable '{}'{}", element.name, name, element.fmu->suggestion(name)));
      return;
    }
    const fmi::Variable& variable =
        element.fmu->variables[scalars.empty() ? element.fmu->index_of(name) : scalars.front().variable];
    const Kind kind = kind_of(variable);
    const bool is_opposite =
        (is_source(connector.kind) && is_sink(kind)) || (is_sink(connector.kind) && is_source(kind));
    if (is_opposite) {
      diagnostics_.error(connector.element.place_of("kind"),
                         fmt::format("connector '{}' is of kind {}, but this variable of the FMU is of causality {}",
                                     connector.name, name_of(connector.kind), fmi::name_of(variable.causality)));
    }
    check_unit(element, connector, variable);
  }

  void check_unit(const Part& element, const Connector& connector, const fmi::Variable& variable) {
    const fmi::Unit* const own = variable.unit.empty() ? nullptr : element.fmu->unit_named(variable.unit);
    if (own == nullptr || !own->base || !connector.type.unit) return;
    const auto between = conversion(connector.type.unit->base, *own->base);
    if (between && std::abs(between->factor - 1.0) < 1e-9 && std::abs(between->offset) < 1e-9) return;
    const Place place = connector.type.element.place_of("unit");
    if (connector.type.unit->name == variable.unit) {
      diagnostics_.warning(place, fmt::format("unit '{}' is defined here otherwise than in the FMU of '{}'; values "
                                              "between units of one name are not converted",
                                              variable.unit, element.name));
      return;
    }
    diagnostics_.warning(place,
                         fmt::format("connector '{}' has the unit '{}', but the variable of the FMU has '{}'; the "
                                     "unit of the connector is used",
                                     connector.name, connector.type.unit->name, variable.unit));
  }

  void read_dictionaries(System& system, const Xml& declaration, const Context& context) {
    for (const Xml& child : children_of(declaration, "SignalDictionaries", "SignalDictionary")) {
      warn_of_unknown(child, {"name", "type", "source"}, {"SignalDictionary"}, diagnostics_);
      auto dictionary = std::make_shared<Dictionary>();
      dictionary->name = required_text(child, "name", diagnostics_);
      dictionary->place = child.place();
      if (!system.dictionaries.try_emplace(dictionary->name, dictionary).second) {
        diagnostics_.error(child.place(), fmt::format("two dictionaries are named '{}'", dictionary->name));
      }
      const std::string type = child.get("type", "application/x-ssp-signal-dictionary");
      if (type != "application/x-ssp-signal-dictionary") {
        diagnostics_.error(child.place_of("type"), fmt::format("dictionaries of type \"{}\" are not supported", type));
        continue;
      }
      Xml root = child_named(child, "SignalDictionary");
      if (child.has("source")) {
        const Place place = child.place_of("source");
        const auto named = files_.resolve(context.file, child.get("source"), place);
        const auto document = named ? files_.document(named->file, place) : nullptr;
        if (!document) continue;
        root = document->root();
      }
      if (!root.exists() || local_name(root) != "SignalDictionary") {
        diagnostics_.error(
            root.exists() ? root.place() : child.place(),
            fmt::format("dictionary '{}' needs a source, or a <SignalDictionary> inside", dictionary->name));
        continue;
      }
      read_entries(*dictionary, root);
    }
  }

  void read_entries(Dictionary& dictionary, const Xml& root) {
    const Definitions definitions = read_definitions(root, diagnostics_);
    for (const Xml& entry : children_named(root, "DictionaryEntry")) {
      const std::string name = required_text(entry, "name", diagnostics_);
      if (!dictionary.entries.try_emplace(name, read_type(entry, definitions, diagnostics_)).second) {
        diagnostics_.error(entry.place(), fmt::format("dictionary '{}' has two entries '{}'", dictionary.name, name));
      }
    }
  }

  void read_reference(Part& element, const Xml& declaration, const Context& context) {
    element.what = Part::What::reference;
    warn_of_unknown(declaration, {"name", "dictionary"}, {"Connectors", "ElementGeometry", "ParameterBindings"},
                    diagnostics_);
    read_connectors(element, declaration, context);
    const std::string name = required_text(declaration, "dictionary", diagnostics_);
    std::vector<std::string> known;
    for (System* system = element.parent; system != nullptr; system = system->self->parent) {
      if (const auto found = system->dictionaries.find(name); found != system->dictionaries.end()) {
        element.dictionary = found->second;
        break;
      }
      for (const auto& [other, _] : system->dictionaries) known.push_back(other);
    }
    if (!element.dictionary) {
      diagnostics_.error(declaration.place_of("dictionary"),
                         fmt::format("there is no signal dictionary '{}'{}", name, document::suggestion(name, known)));
      return;
    }
    std::vector<std::string> entries;
    for (const auto& [entry, _] : element.dictionary->entries) entries.push_back(entry);
    for (const Connector& connector : element.connectors) {
      if (element.dictionary->entries.contains(connector.name)) continue;
      diagnostics_.error(connector.element.place_of("name"),
                         fmt::format("dictionary '{}' has no entry '{}'{}", name, connector.name,
                                     document::suggestion(connector.name, entries)));
    }
  }

  std::vector<std::uint64_t> indices_of(const Xml& element, std::string_view attribute) {
    std::vector<std::uint64_t> indices;
    const std::string text = element.get(attribute);
    for (const std::string_view word : fmi::words_of(text)) {
      bool is_odd = false;
      const auto index = fmi::read_unsigned(word, is_odd);
      if (index && *index > 0) {
        indices.push_back(*index);
      } else {
        diagnostics_.error(element.place_of(attribute),
                           fmt::format("{}=\"{}\" must be indices, counted from 1", attribute, text));
        break;
      }
    }
    return indices;
  }

  void read_connection(System& system, const Xml& child) {
    warn_of_unknown(child,
                    {"startElement", "startConnector", "startIndices", "endElement", "endConnector", "endIndices",
                     "suppressUnitConversion"},
                    {"LinearTransformation", "BooleanMappingTransformation", "IntegerMappingTransformation",
                     "EnumerationMappingTransformation", "ConnectionGeometry"},
                    diagnostics_);
    system.connections.push_back({.start_element = child.get("startElement"),
                                  .start_connector = required_text(child, "startConnector", diagnostics_),
                                  .end_element = child.get("endElement"),
                                  .end_connector = required_text(child, "endConnector", diagnostics_),
                                  .start_indices = indices_of(child, "startIndices"),
                                  .end_indices = indices_of(child, "endIndices"),
                                  .keeps_unit = flag_of(child, "suppressUnitConversion", diagnostics_),
                                  .transformation = read_transformation(child, diagnostics_),
                                  .element = child});
  }

  /// Also what OMSimulator and the tools of the Open Simulation Platform state in annotations.
  Experiment read_experiment(const Context& context, const Xml& system) {
    Experiment experiment;
    experiment.element = child_named(context.root, "DefaultExperiment");
    if (experiment.element.exists()) {
      warn_of_unknown(experiment.element, {"startTime", "stopTime"}, {}, diagnostics_);
      experiment.start = number_of(experiment.element, "startTime", diagnostics_);
      experiment.stop = number_of(experiment.element, "stopTime", diagnostics_);
      read_annotations(child_named(experiment.element, "Annotations"), experiment);
    }
    read_annotations(child_named(context.root, "Annotations"), experiment);
    read_annotations(child_named(system, "Annotations"), experiment);
    return experiment;
  }

  void read_annotations(const Xml& around, Experiment& experiment) {
    if (!around.exists()) return;
    Diagnostics unheard;
    const auto take = [&](std::optional<double>& number, const Xml& element, std::string_view attribute) {
      const auto found = number_of(element, attribute, unheard);
      if (!number && found && *found > 0.0) number = found;
    };
    for (const Xml& child : around.children()) {
      const std::string_view name = local_name(child);
      if (name == "FixedStepMaster" || name == "FixedStepSolver") take(experiment.step, child, "stepSize");
      if (name == "FixedStepAlgorithm") take(experiment.step, child, "baseStepSize");
      if (name == "Task") take(experiment.step, child, "deltaTime");
      if (name == "VariableStepSolver" || name == "VariableStepMaster") {
        take(experiment.tolerance, child, "relativeTolerance");
      }
      read_annotations(child, experiment);
    }
  }

  Files& files_;
  Diagnostics& diagnostics_;
  std::map<std::string, std::shared_ptr<const Definitions>> definitions_;
  std::size_t element_count_ = 0;
};

}  // namespace

std::string_view name_of(Kind kind) {
  return std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& each) { return each.second == kind; })->first;
}

const Connector* Part::find(std::string_view connector) const {
  const auto found = connector_index.find(std::string(connector));
  return found != connector_index.end() ? &connectors[found->second] : nullptr;
}

const std::string& Part::variable_of(const std::string& connector) const {
  const Connector* const found = find(connector);
  return found != nullptr && !found->variable.empty() ? found->variable : connector;
}

std::optional<Structure> read_structure(const File& file, Files& files, Diagnostics& diagnostics) {
  return StructureReader(files, diagnostics).read(file);
}

}  // namespace tieline::interchange::ssp
