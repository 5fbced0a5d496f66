#include "interchange/ssp_export.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <set>

#include "core/installation.hpp"
#include "document/expression.hpp"
#include "document/schema_binding.hpp"
#include "document/units.hpp"
#include "fmi/fmu_file.hpp"
#include "fmi/scalar_name.hpp"
#include "fmi/value_text.hpp"
#include "interchange/ssp_pack.hpp"
#include "interchange/ssp_value.hpp"
#include "interchange/ssp_xml.hpp"
#include "interchange/xml_writer.hpp"
#include "model/fmu_mode.hpp"
#include "model/grammar.hpp"

namespace tieline::interchange {
namespace {

using document::Diagnostics;
using document::Place;
using ssp::Pack;

// A diagram's unit, and the box of a component, in millimetres, as SSP has them.
constexpr double kUnitOfDiagrams = 40.0;
constexpr double kHalfWidth = 12.0, kHalfHeight = 8.0;

constexpr std::string_view kNamespace = "http://ssp-standard.org/SSP1/SystemStructure";

/// A component, and how its interfaces are connectors.
struct ExportedPart {
  const model::Component* component = nullptr;
  model::ComponentInterfaces interfaces{};
  std::string source{};  ///< of an FMU, in the archive; empty: it is no FMU
  std::shared_ptr<const fmi::Description> fmu{};
  std::set<std::string> connectors{};  ///< written
  bool has_arrays = false;
};

/// "name" and 3 of "name[3]".
struct Member {
  std::string name{};
  int number = 0;  ///< 0: the whole
};
Member member_of(const std::string& interface, const ExportedPart& element) {
  for (const auto& known : element.interfaces.interfaces) {
    if (known.name == interface) return {interface, 0};
  }
  const std::size_t bracket = interface.rfind('[');
  bool is_odd = false;
  const auto number = bracket == interface.npos || !interface.ends_with(']')
                          ? std::nullopt
                          : fmi::read_signed(interface.substr(bracket + 1, interface.size() - bracket - 2), is_odd);
  if (!number || *number < 1 || *number > 1'000'000'000) return {interface, 0};
  return {interface.substr(0, bracket), static_cast<int>(*number)};
}

std::string_view word_of(fmi::Type type, int version) {
  if (type == fmi::Type::string) return "String";
  if (type == fmi::Type::boolean) return "Boolean";
  if (type == fmi::Type::binary) return "Binary";
  if (type == fmi::Type::clock) return "Clock";
  if (type == fmi::Type::enumeration) return "Enumeration";
  if (version < 3) return fmi::is_float(type) ? "Real" : "Integer";
  switch (type) {
    case fmi::Type::float32:
      return "Float32";
    case fmi::Type::int8:
      return "Int8";
    case fmi::Type::uint8:
      return "UInt8";
    case fmi::Type::int16:
      return "Int16";
    case fmi::Type::uint16:
      return "UInt16";
    case fmi::Type::int32:
      return "Int32";
    case fmi::Type::uint32:
      return "UInt32";
    case fmi::Type::int64:
      return "Int64";
    case fmi::Type::uint64:
      return "UInt64";
    default:
      return "Float64";
  }
}

class StructureWriter {
 public:
  StructureWriter(const ExportRequest& request, Pack& pack, archive::ZipWriter& zip, const document::Grammar& grammar,
                  Diagnostics& diagnostics)
      : request_(request),
        model_(request.shown != nullptr ? *request.shown : *request.checked),
        pack_(pack),
        zip_(zip),
        grammar_(grammar),
        diagnostics_(diagnostics) {}

  std::string text() {
    for (std::size_t i = 0; i < model_.components.size(); ++i) elements_.push_back(element_of(static_cast<int>(i)));
    needs_second_ = needs_second_version();
    write();
    // The digest is that of what has been written.
    Diagnostics unheard;
    std::string text = writer_.text();
    const auto document = document::Document::parse(text, "SystemStructure.ssd", unheard);
    if (document) text.replace(text.find(kNoDigest), kNoDigest.size(), ssp::digest_of(document->root()));
    return text;
  }

 private:
  static constexpr std::string_view kNoDigest = "0000-no-digest-0";

  ExportedPart element_of(int index) {
    ExportedPart element{.component = &model_.components[static_cast<std::size_t>(index)]};
    element.interfaces = request_.shown != nullptr ? request_.shown_interfaces(index) : request_.interfaces(index);
    const model::Component& component = *element.component;
    if (component.kind != model::kFmuKind) return element;
    element.source = path_of(component.content_file);
    auto& description = descriptions_[component.content_file];
    if (!description) {
      Diagnostics unheard;
      if (auto archive = fmi::open_fmu(component.content_file, unheard)) {
        auto read = fmi::read_description(*archive, unheard);
        if (read) description = std::make_shared<const fmi::Description>(std::move(*read));
      }
    }
    element.fmu = description;
    if (!element.fmu) element.source.clear();
    return element;
  }

  /// FMUs that were made for the archive are in a folder of their own.
  std::string path_of(const std::filesystem::path& file) {
    std::string path = pack_.path_of(file);
    if (!path.empty() || request_.shown == nullptr) return path;
    path = fmt::format("{}/fmus/{}", ssp::kResources, file.filename().string());
    if (auto added = zip_.add_file(path, file); !added)
      diagnostics_.error({request_.file.string(), 0, 0}, added.error().describe());
    return path;
  }

  [[nodiscard]] bool needs_second_version() const {
    return std::any_of(elements_.begin(), elements_.end(),
                       [](const ExportedPart& element) { return element.source.empty() || element.fmu->version == 3; });
  }

  void open(std::string_view name) { writer_.open(name, Place{}); }
  void put(std::string_view name, std::string_view value) { writer_.attribute(name, value, Place{}); }
  void put(std::string_view name, double value) { put(name, fmt::format("{}", value)); }
  void close() { writer_.close(); }

  void write() {
    const char* const version = needs_second_ ? "2.0" : "1.0";
    open("ssd:SystemStructureDescription");
    const std::pair<const char*, const char*> spaces[] = {
        {"xmlns:ssd", "Description"}, {"xmlns:ssc", "Common"}, {"xmlns:ssv", "ParameterValues"}};
    for (const auto& [prefix, name] : spaces) put(prefix, fmt::format("{}{}", kNamespace, name));
    put("name", model_.name);
    put("version", version);
    put("generationTool", fmt::format("Tieline {}", core::version()));
    open("ssd:System");
    put("name", model_.name);
    if (!model_.description.empty()) put("description", model_.description);
    if (!elements_.empty()) {
      open("ssd:Elements");
      for (ExportedPart& element : elements_) write_element(element);
      close();
    }
    write_connections();
    write_step();
    close();
    write_enumerations();
    open("ssd:DefaultExperiment");
    put("startTime", model_.simulation.start);
    put("stopTime", model_.simulation.stop);
    close();
    write_model();
    close();
  }

  /// The standard has no word for the step of a master; OMSimulator's annotation is read by others, too.
  void write_step() {
    if (!request_.step) return;
    for (const char* const name :
         {"ssd:Annotations", "ssc:Annotation", "oms:Annotations", "oms:SimulationInformation", "oms:FixedStepMaster"}) {
      open(name);
      if (name == std::string_view("ssc:Annotation")) put("type", "org.openmodelica");
      if (name == std::string_view("oms:Annotations"))
        put("xmlns:oms", "https://raw.githubusercontent.com/OpenModelica/OMSimulator/master/schema/oms.xsd");
    }
    put("description", "oms-ma");
    put("stepSize", *request_.step);
    for (int k = 0; k < 5; ++k) close();
  }

  void write_element(ExportedPart& element) {
    const model::Component& component = *element.component;
    open("ssd:Component");
    put("name", component.name);
    if (!component.description.empty()) put("description", component.description);
    if (!element.source.empty()) {
      put("type", "application/x-fmu-sharedlibrary");
      put("source", as_uri(element.source));
      const std::string mode = stated_mode(component);
      if (!mode.empty()) put("implementation", mode == model::kCoSimulation ? "CoSimulation" : "ModelExchange");
    }
    write_connectors(element);
    if (component.diagram_x && component.diagram_y) {
      const double x = kUnitOfDiagrams * *component.diagram_x, y = 0.0 - kUnitOfDiagrams * *component.diagram_y;
      open("ssd:ElementGeometry");
      put("x1", x - kHalfWidth);
      put("y1", y - kHalfHeight);
      put("x2", x + kHalfWidth);
      put("y2", y + kHalfHeight);
      const std::string icon = pack_.path_of(component.icon);
      if (!icon.empty()) put("iconSource", as_uri(icon));
      close();
    }
    if (!element.source.empty()) write_starts(element);
    close();
    if (request_.report == nullptr) return;
    if (element.source.empty()) {
      request_.report->kept("native components", component.name);
    } else {
      request_.report->translated("FMUs");
    }
  }

  /// Characters that a URI must not have, as %20 and the like.
  static std::string as_uri(const std::string& path) {
    std::string uri;
    for (const char c : path) {
      const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                            std::string_view("/._-~()!").find(c) != std::string_view::npos;
      uri += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return uri;
  }

  static std::string stated_mode(const model::Component& component) {
    for (const model::Statement& statement : component.statements) {
      const auto fmu = statement.element.child("Fmu");
      if (fmu.exists() && fmu.has("mode")) return fmu.get("mode");
    }
    return "";
  }

  // Connectors.

  void write_connectors(ExportedPart& element) {
    bool is_open = false;
    const auto begin = [&] {
      if (!is_open) open("ssd:Connectors");
      is_open = true;
    };
    for (const auto& interface : element.interfaces.interfaces) {
      const bool is_signal = interface.domain == core::Domain::signal;
      const std::string kind = !is_signal                                      ? "unspecified"
                               : interface.causality == core::Causality::input ? "input"
                                                                               : "output";
      if (!element.source.empty()) {
        if (is_signal) write_variables(element, interface, kind, begin);
        continue;
      }
      begin();
      open("ssd:Connector");
      put("name", interface.name);
      put("kind", kind);
      if (is_signal) {
        open("ssc:Real");
        close();
        if (interface.size > 1) write_dimension(static_cast<std::uint64_t>(interface.size));
      }
      close();
      element.connectors.insert(interface.name);
    }
    if (is_open) close();
  }

  void write_dimension(std::uint64_t size) {
    open("ssc:Dimension");
    put("size", fmt::format("{}", size));
    close();
  }

  /// Those of an FMU have the names of its variables.
  template <class Begin>
  void write_variables(ExportedPart& element, const model::InterfaceInfo& interface, const std::string& kind,
                       const Begin& begin) {
    const auto index = element.fmu->index_of(interface.name);
    std::vector<std::uint32_t> variables;
    if (index != fmi::kNone) {
      variables.push_back(index);
    } else {
      for (const fmi::Scalar& scalar : element.fmu->scalars_of(interface.name)) variables.push_back(scalar.variable);
    }
    for (const std::uint32_t number : variables) {
      const fmi::Variable& variable = element.fmu->variables[number];
      if (!element.connectors.insert(variable.name).second) continue;
      begin();
      open("ssd:Connector");
      put("name", variable.name);
      put("kind", fmi::is_tunable_parameter(variable) ? "parameter" : kind);
      open(fmt::format("ssc:{}", word_of(variable.type, element.fmu->version)));
      if (variable.type == fmi::Type::enumeration) put("name", enumeration_name(element, variable));
      close();
      for (const fmi::Dimension& dimension : variable.dimensions) write_dimension(dimension.size);
      close();
    }
  }

  std::string enumeration_name(const ExportedPart& element, const fmi::Variable& variable) {
    const auto enumeration = ssp::enumeration_of(*element.fmu, variable);
    if (!enumeration) return "";
    // FMUs of different kinds may have different enumerations of one name.
    std::string name = enumeration->name;
    for (int k = 2;; ++k) {
      const auto [known, is_new] = enumerations_.try_emplace(name, *enumeration);
      if (is_new || known->second.items == enumeration->items) return name;
      name = fmt::format("{}_{}", enumeration->name, k);
    }
  }

  void write_enumerations() {
    if (enumerations_.empty()) return;
    open("ssd:Enumerations");
    for (const auto& [name, enumeration] : enumerations_) {
      open("ssc:Enumeration");
      put("name", name);
      for (const auto& [item, value] : enumeration.items) {
        open("ssc:Item");
        put("name", item);
        put("value", fmt::format("{}", value));
        close();
      }
      close();
    }
    close();
  }

  // Start values.

  void write_starts(const ExportedPart& element) {
    const model::Component& component = *element.component;
    std::set<std::string> known;
    bool is_open = false;
    for (const model::Statement& statement : component.statements) {
      for (const auto& start : statement.element.children("Start")) {
        const std::string name = start.get("variable");
        if (!known.insert(name).second) continue;
        const auto scalars = element.fmu->scalars_of(name);
        const std::uint32_t index = scalars.empty() ? element.fmu->index_of(name) : scalars.front().variable;
        if (index == fmi::kNone) continue;
        if (!is_open) {
          open("ssd:ParameterBindings");
          open("ssd:ParameterBinding");
          open("ssd:ParameterValues");
          open("ssv:ParameterSet");
          put("version", needs_second_ ? "2.0" : "1.0");
          put("name", "start values");
          open("ssv:Parameters");
        }
        is_open = true;
        write_start(element, component, start, scalars, element.fmu->variables[index]);
      }
    }
    for (int k = 0; is_open && k < 5; ++k) close();
  }

  void write_start(const ExportedPart& element, const model::Component& component, const document::Element& start,
                   const std::vector<fmi::Scalar>& scalars, const fmi::Variable& variable) {
    std::string text = start.get("value");
    if (document::is_expression(text)) {
      Diagnostics unheard;
      const auto number = component.scope.evaluate(text, start.place_of("value"), unheard);
      if (!number) return;
      text = fmt::format("{}", *number);
    }
    const bool is_text = variable.type == fmi::Type::string || variable.type == fmi::Type::binary;
    std::vector<std::string> words{text};
    if (!is_text) {
      std::replace(text.begin(), text.end(), ',', ' ');
      const auto split = fmi::words_of(text);
      words.assign(split.begin(), split.end());
    }
    const bool is_array = !variable.dimensions.empty() && scalars.size() == variable.element_count();
    if (is_array && !is_text) {
      std::string all;
      for (std::size_t k = 0; k < scalars.size(); ++k) {
        all += (k == 0 ? "" : " ") + value_text(element, variable, words[words.size() == 1 ? 0 : k]);
      }
      write_parameter(element, variable, variable.name, all, true);
      return;
    }
    for (std::size_t k = 0; k < std::max<std::size_t>(scalars.size(), 1); ++k) {
      const std::string name = k < scalars.size() ? fmi::scalar_name(*element.fmu, scalars[k]) : variable.name;
      const std::string& word = words[words.size() == 1 ? 0 : std::min(k, words.size() - 1)];
      write_parameter(element, variable, name, value_text(element, variable, word), false);
    }
  }

  static std::string value_text(const ExportedPart& element, const fmi::Variable& variable, const std::string& word) {
    bool is_odd = false;
    if (variable.type == fmi::Type::boolean) return fmi::read_boolean(word, is_odd).value_or(false) ? "true" : "false";
    if (variable.type != fmi::Type::enumeration) return word;
    const auto enumeration = ssp::enumeration_of(*element.fmu, variable);
    const auto value = fmi::read_signed(word, is_odd);
    if (!enumeration || !value) return word;
    for (const auto& [item, number] : enumeration->items) {
      if (number == *value) return item;
    }
    return word;
  }

  void write_parameter(const ExportedPart& element, const fmi::Variable& variable, const std::string& name,
                       const std::string& value, bool is_array) {
    open("ssv:Parameter");
    put("name", name);
    open(fmt::format("ssv:{}", word_of(variable.type, needs_second_ ? element.fmu->version : 2)));
    put("value", value);
    close();
    if (is_array) {
      for (const fmi::Dimension& dimension : variable.dimensions) {
        open("ssc:Dimension");
        put("size", fmt::format("{}", dimension.size));
        close();
      }
    }
    close();
  }

  // Connections.

  void write_connections() {
    bool is_open = false;
    for (const model::Connection& connection : model_.connections) {
      const bool is_known = connection.from.component >= 0 && connection.to.component >= 0;
      if (!is_known) continue;
      const auto lines = connection_lines(connection);
      const bool is_plain = connection.coupling == model::Coupling::signal && !connection.delay.value_or(0.0);
      if (request_.report != nullptr) {
        const std::string_view what =
            connection.coupling == model::Coupling::signal ? "signals" : "physical connections";
        if (is_plain && !lines.empty()) {
          request_.report->translated(what);
        } else {
          request_.report->kept(what, connection.name);
        }
      }
      for (const auto& [from, to] : lines) {
        if (!is_open) open("ssd:Connections");
        is_open = true;
        write_connection(connection, from, to, is_plain);
      }
    }
    if (is_open) close();
  }

  /// A connector, or one element of it.
  struct Point {
    std::string element{}, connector{};
    int number = 0;  ///< 0: all of it
  };

  std::vector<Point> points_of(const model::Endpoint& end) const {
    const ExportedPart& element = elements_[static_cast<std::size_t>(end.component)];
    const std::string& name = element.component->name;
    const Member member = member_of(end.interface, element);
    if (element.source.empty() || element.fmu->index_of(member.name) != fmi::kNone) {
      const bool is_there = element.connectors.contains(member.name);
      return is_there ? std::vector<Point>{{name, member.name, member.number}} : std::vector<Point>();
    }
    std::vector<Point> points;
    int number = 0;
    for (const fmi::Scalar& scalar : element.fmu->scalars_of(member.name)) {
      const std::string& variable = element.fmu->variables[scalar.variable].name;
      if ((member.number == 0 || member.number == ++number) && element.connectors.contains(variable)) {
        points.push_back({name, variable, 0});
      }
    }
    return points;
  }

  /// One for each pair of connectors; none where an end is no connector of an SSP.
  std::vector<std::pair<Point, Point>> connection_lines(const model::Connection& connection) const {
    const auto from = points_of(connection.from), to = points_of(connection.to);
    std::vector<std::pair<Point, Point>> lines;
    const auto element = [](Point point, std::size_t k) {
      point.number = static_cast<int>(k + 1);
      return point;
    };
    if (from.empty() || to.empty()) return lines;
    if (from.size() == to.size()) {
      for (std::size_t k = 0; k < from.size(); ++k) lines.emplace_back(from[k], to[k]);
    } else if (from.size() == 1) {
      for (std::size_t k = 0; k < to.size(); ++k) lines.emplace_back(element(from[0], k), to[k]);
    } else if (to.size() == 1) {
      for (std::size_t k = 0; k < from.size(); ++k) lines.emplace_back(from[k], element(to[0], k));
    }
    return lines;
  }

  void write_connection(const model::Connection& connection, const Point& from, const Point& to, bool is_plain) {
    open("ssd:Connection");
    put("startElement", from.element);
    put("startConnector", from.connector);
    if (from.number > 0) put("startIndices", fmt::format("{}", from.number));
    put("endElement", to.element);
    put("endConnector", to.connector);
    if (to.number > 0) put("endIndices", fmt::format("{}", to.number));
    write_relation(connection);
    if (!is_plain) {
      open("ssd:Annotations");
      open("ssc:Annotation");
      put("type", ssp::kConnectionAnnotation);
      copy(connection.declaration, nullptr);
      close();
      close();
    }
    close();
  }

  /// Factor and offset of a signal. Units that the model states itself are converted by them.
  void write_relation(const model::Connection& connection) {
    const model::SignalNumbers& signal = connection.signal;
    double factor = signal.scale.value_or(1.0), offset = signal.offset.value_or(0.0);
    const auto from = document::unit_called(signal.from_unit), to = document::unit_called(signal.to_unit);
    if (from && to) {
      put("suppressUnitConversion", "true");
      const double between = from->factor / to->factor;
      offset += factor * (from->offset * between - to->offset);
      factor *= between;
    }
    if (factor == 1.0 && offset == 0.0) return;
    open("ssc:LinearTransformation");
    if (factor != 1.0) put("factor", factor);
    if (offset != 0.0) put("offset", offset);
    close();
  }

  // The annotation.

  void write_model() {
    open("ssd:Annotations");
    open("ssc:Annotation");
    put("type", ssp::kModelAnnotation);
    open("tieline:Model");
    put("xmlns:tieline", "urn:tieline:ssp");
    put("digest", kNoDigest);
    const auto root = request_.model.document->root();
    copy(root, grammar_.find(root.name()));
    close();
    close();
    close();
  }

  /// Without a rule, paths stay as they are.
  void copy(const document::Element& element, const document::ElementRule* rule) {
    open(element.name());
    const bool is_root = element.name() == "CompositeModel";
    const auto bindings = is_root ? document::schema_bindings(element) : std::vector<std::string>();
    const bool is_program = element.name() == "Component" && element.has("command");
    for (const std::string& name : element.attributes()) {
      if (std::find(bindings.begin(), bindings.end(), name) != bindings.end()) continue;
      const std::string text = element.get(name);
      const bool is_path = rule != nullptr && (ssp::names_file(*rule, name) || (is_program && name == "folder"));
      put(name, is_path && !text.empty() ? pack_.named(text, element.place_of(name)) : text);
    }
    const auto children = element.children();
    if (children.empty() && !element.text().empty()) writer_.content(element.text());
    const bool adds_libraries = is_root && rule != nullptr && !has_libraries_ && !pack_.libraries().empty();
    if (adds_libraries) has_libraries_ = true;
    bool has_own = false;
    for (const auto& child : children) {
      if (adds_libraries && child.name() == "Libraries") {
        has_own = true;
        write_libraries(child);
        continue;
      }
      copy(child, rule != nullptr ? grammar_.find_child(*rule, child.name()) : nullptr);
    }
    if (adds_libraries && !has_own) write_libraries({});
    close();
  }

  /// All libraries by their files, since they are in another place now.
  void write_libraries(const document::Element& stated) {
    std::set<std::string> all = pack_.libraries();
    open("Libraries");
    for (const auto& use : stated.exists() ? stated.children("Uses") : std::vector<document::Element>()) {
      all.insert(pack_.named(use.get("library"), use.place_of("library")));
    }
    for (const std::string& library : all) {
      open("Uses");
      put("library", library);
      close();
    }
    close();
  }

  const ExportRequest& request_;
  const model::CompositeModel& model_;
  Pack& pack_;
  archive::ZipWriter& zip_;
  const document::Grammar& grammar_;
  Diagnostics& diagnostics_;
  XmlWriter writer_{};
  std::vector<ExportedPart> elements_;
  std::map<std::filesystem::path, std::shared_ptr<const fmi::Description>> descriptions_;
  std::map<std::string, ssp::Enumeration> enumerations_;
  bool needs_second_ = false;
  bool has_libraries_ = false;
};

}  // namespace

core::Result<void> write_ssp(const ExportRequest& request, Diagnostics& diagnostics) {
  const auto grammar = model::grammar(request.kinds);
  archive::ZipWriter zip;
  const std::filesystem::path& own = request.model.document->file();
  const std::filesystem::path folder =
      request.model.importer != nullptr ? request.file.parent_path() : own.parent_path();
  Pack pack(folder, request.model.companions, grammar, zip, diagnostics);
  pack.take_model(request.model.document->root(), *request.checked);
  StructureWriter structure(request, pack, zip, grammar, diagnostics);
  const std::string text = structure.text();
  if (diagnostics.has_errors()) return {};
  if (auto added = zip.add("SystemStructure.ssd", text); !added) return added;
  return zip.write(request.temporary);
}

}  // namespace tieline::interchange
