#include "interchange/tlm_writer.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <set>

#include "core/spatial.hpp"
#include "document/expression.hpp"
#include "interchange/foreign_text.hpp"
#include "interchange/modelica_writer.hpp"
#include "interchange/relative_path.hpp"
#include "interchange/xml_writer.hpp"

namespace tieline::interchange {
namespace {

namespace fs = std::filesystem;
using document::Place;

std::string shortest(double value) { return fmt::format("{}", value == 0.0 ? 0.0 : value); }
std::string comma_list(const Eigen::Vector3d& v) {
  return shortest(v[0]) + "," + shortest(v[1]) + "," + shortest(v[2]);
}

/// One model while it is written, in one of the two formats.
class TlmWriter {
 public:
  TlmWriter(const ExportRequest& request, bool is_omtlm, document::Diagnostics& diagnostics, ConversionReport& report)
      : request_(request), model_(*request.checked), is_omtlm_(is_omtlm), diagnostics_(diagnostics), report_(report) {}

  std::string write() {
    const auto& settings = model_.simulation;
    common_delay_ = is_omtlm_ ? std::nullopt : shared_delay();
    writer_.open("Model", {});
    attribute(is_omtlm_ ? "Name" : "name", model_.name);
    if (!is_omtlm_) {
      attribute("StartTime", shortest(settings.start));
      attribute("EndTime", shortest(settings.stop));
      if (common_delay_) attribute("TLMDelay", shortest(*common_delay_));
    }
    writer_.open("SubModels", {});
    for (std::size_t i = 0; i < model_.components.size(); ++i) write_component(static_cast<int>(i));
    writer_.close();
    writer_.open("Connections", {});
    for (std::size_t i = 0; i < model_.connections.size(); ++i) write_connection(static_cast<int>(i));
    writer_.close();
    write_settings();
    writer_.close();
    name_what_is_lost();
    return writer_.text();
  }

 private:
  void attribute(std::string_view name, const std::string& value) { writer_.attribute(name, value, {}); }

  void lose(std::string_view what, const std::string& which, const Place& place, const std::string& why) {
    report_.lost(what, which);
    diagnostics_.warning(place, why);
  }

  /// What a model of OMTLMSimulator said, and was kept when it was read.
  static std::optional<std::string> kept(const document::Element& element, std::string_view name) {
    for (const auto& property : element.exists() ? element.children("Property") : std::vector<document::Element>{}) {
      if (property.get("name") == name) return property.get("value");
    }
    return std::nullopt;
  }

  /// The delay of all connections, if it is the same.
  [[nodiscard]] std::optional<double> shared_delay() const {
    std::set<double> delays;
    for (std::size_t i = 0; i < model_.connections.size(); ++i) {
      const auto line = request_.lines ? request_.lines(static_cast<int>(i)) : std::nullopt;
      delays.insert(line ? line->delay : model_.connections[i].delay.value_or(0.0));
    }
    return delays.size() == 1 ? std::optional(*delays.begin()) : std::nullopt;
  }

  void write_component(int index) {
    const model::Component& component = model_.components[static_cast<std::size_t>(index)];
    const Place place = component.declaration.place();
    const auto* const file = model::stating(component.statements, "file");
    const bool is_program = component.kind == model::kProcessKind;
    if (file == nullptr && !is_program) {
      lose("components", component.name, place,
           fmt::format("the content of component '{}' is in the model; this format needs it in a file of its own, "
                       "which file=\"...\" names",
                       component.name));
    } else {
      report_.translated("components");
    }
    writer_.open("SubModel", {});
    attribute("Name", component.name);
    if (!is_omtlm_ && !component.description.empty()) attribute("Description", component.description);
    write_files(component, file);
    write_start(component, file, place);
    lose_fmu_values(component);
    if (is_omtlm_) {
      attribute("Position", comma_list(component.placement.position));
      attribute("Angle321", comma_list(core::angles_of(component.placement.orientation)));
      if (!component.geometry.empty()) attribute("GeometryFile", moved(component.geometry));
    } else if (!component.placement.position.isZero(0.0) ||
               !component.placement.orientation.coeffs().isApprox(Eigen::Quaterniond::Identity().coeffs())) {
      lose("placements", component.name, place,
           fmt::format("the placement of '{}' cannot be said in this format: state it in the component's file",
                       component.name));
    }
    for (const auto& interface : request_.interfaces(index).interfaces) {
      if (!interface.is_undeclared || is_connected(index, interface.name)) write_interface(component, interface);
    }
    write_parameters(component);
    writer_.close();
    if (is_omtlm_ && !component.description.empty()) report_.lost("descriptions", component.name);
    static constexpr std::array<std::string_view, 6> kSettings{"solver",       "tolerance",     "step",
                                                               "largest_step", "error_control", "window"};
    for (const auto name : kSettings) {
      if (model::stating(component.statements, name) != nullptr) report_.lost("settings of solvers", std::string(name));
    }
  }

  [[nodiscard]] std::string moved(const fs::path& path) const {
    return moved_path(fs::absolute(path).lexically_proximate(fs::absolute(".")).generic_string(), ".",
                      request_.file.parent_path());
  }

  void write_files(const model::Component& component, const model::Statement* file) {
    std::vector<std::string> files;
    if (file != nullptr) files.push_back(moved(model::resolve_path(file->file, file->element.get("file"))));
    for (const auto& input : component.input_files) files.push_back(moved(input));
    if (!files.empty())
      attribute(is_omtlm_ ? "ModelFile" : "SimulationFiles", fmt::format("{}", fmt::join(files, ",")));
  }

  void write_start(const model::Component& component, const model::Statement* file, const Place& place) {
    if (component.kind != model::kProcessKind) {
      const std::string_view start = is_omtlm_ ? "StartCommand" : "StartMethod";
      if (const auto stated = kept(component.declaration, start)) {
        attribute(start, *stated);
      } else if (file != nullptr && fs::path(file->element.get("file")).extension() == ".xml") {
        attribute(start, "tieline");  // of a file of ours, which a reader of this format knows by its content
      } else if (file != nullptr) {
        lose("ways to start", component.name, place,
             fmt::format("the file has no {} of '{}': state the command by which the other tool runs '{}'", start,
                         component.name, file->element.get("file")));
      }
      if (const auto exact = kept(component.declaration, "ExactStep"); exact && is_omtlm_)
        attribute("ExactStep", *exact);
      return;
    }
    if (const auto* const command = model::stating(component.statements, "command")) {
      // Braces stand for words here, and doubled ones for themselves.
      const std::string written = command->element.get("command");
      std::string plain;
      bool has_words = false;
      for (std::size_t i = 0; i < written.size(); ++i) {
        const bool is_brace = written[i] == '{' || written[i] == '}';
        if (is_brace && i + 1 < written.size() && written[i + 1] == written[i])
          ++i;
        else
          has_words = has_words || is_brace;
        plain += written[i];
      }
      attribute("StartCommand", plain);
      if (has_words) {
        lose("commands", component.name, place,
             fmt::format("the command of '{}' has words in braces, which other tools do not replace", component.name));
      }
    }
    if (!component.tool.empty()) attribute("StartMethod", component.tool);
    const auto* const exact = model::stating(component.statements, "exact_step");
    if (exact != nullptr) attribute("ExactStep", exact->element.get("exact_step") == "true" ? "1" : "0");
  }

  /// What a model states of an FMU beside its file.
  void lose_fmu_values(const model::Component& component) {
    std::set<std::string> known;
    for (const model::Statement& statement : component.statements) {
      for (const document::Element& start : statement.element.children("Start")) {
        const std::string name = fmt::format("{}.{}", component.name, start.get("variable"));
        if (known.insert(name).second) report_.lost("start values", name);
      }
      for (const document::Element& fmu : statement.element.children("Fmu")) {
        for (const std::string& name : fmu.attributes()) {
          if (known.insert(name).second)
            report_.lost(name == "mode" ? "modes of FMUs" : "settings of FMUs",
                         name == "mode" ? component.name : fmt::format("{}.{}", component.name, name));
        }
      }
    }
  }

  /// Whether a connection names the interface, or a member of it.
  [[nodiscard]] bool is_connected(int component, const std::string& interface) const {
    return std::any_of(model_.connections.begin(), model_.connections.end(), [&](const model::Connection& connection) {
      for (const model::Endpoint* const end : {&connection.from, &connection.to}) {
        if (end->component != component) continue;
        if (end->interface == interface || end->interface.starts_with(interface + "[")) return true;
      }
      return false;
    });
  }

  void write_interface(const model::Component& component, const model::InterfaceInfo& interface) {
    using core::Domain;
    static const std::map<Domain, std::pair<std::string, std::string>> kWords{
        {Domain::mechanical3d, {"Mechanical", "6"}},
        {Domain::translation, {"Mechanical", "1"}},
        {Domain::rotation, {"Rotational", "1"}},
        {Domain::hydraulic, {"Hydraulic", "1"}},
        {Domain::electrical, {"Electric", "1"}}};
    const auto words = kWords.find(interface.domain);
    const bool is_signal = interface.domain == Domain::signal;
    if (!is_signal && words == kWords.end()) {
      lose(
          "interfaces", component.name + "." + interface.name, component.declaration.place(),
          fmt::format("interface '{}.{}' is thermal, which this format does not know", component.name, interface.name));
      return;
    }
    report_.translated("interfaces");
    writer_.open("InterfacePoint", {});
    attribute("Name", interface.name);
    const bool is_default = !is_omtlm_ && interface.domain == Domain::mechanical3d;
    if (!is_omtlm_) attribute("iType", "TLM");
    if (!is_default) {
      attribute("Dimensions", is_signal ? std::to_string(interface.size) : words->second.second);
      attribute("Causality", !is_signal                                       ? "Bidirectional"
                             : interface.causality == core::Causality::output ? "Output"
                                                                              : "Input");
      attribute("Domain", is_signal ? "Signal" : words->second.first);
    }
    if (is_omtlm_ && !is_signal) {
      attribute("Position", comma_list(interface.pose.position));
      attribute("Angle321", comma_list(core::angles_of(interface.pose.orientation)));
    }
    writer_.close();
  }

  /// All that expressions in the component's file may name: this format has no parameters of the model.
  void write_parameters(const model::Component& component) {
    for (const auto& name : component.scope.visible_names()) {
      document::Diagnostics reported_before;
      const auto value = component.scope.value_of(name, component.declaration.place(), reported_before);
      if (!value) continue;
      report_.translated("parameters, for each component that knows them");
      writer_.open("Parameter", {});
      attribute("Name", original_name(component, name));
      attribute("Value", shortest(*value));
      writer_.close();
    }
  }

  /// The name that a parameter had where it was read, if that could not be ours.
  static std::string original_name(const model::Component& component, const std::string& name) {
    for (const auto& parameter : component.declaration.children("Parameter")) {
      const std::string description = parameter.get("description");
      if (parameter.get("name") == name && !description.empty() && as_identifier(description) == name) {
        return description;
      }
    }
    return name;
  }

  void write_connection(int index) {
    const model::Connection& connection = model_.connections[static_cast<std::size_t>(index)];
    const Place place = connection.declaration.place();
    const auto line = request_.lines ? request_.lines(index) : std::nullopt;
    const bool is_signal = connection.coupling == model::Coupling::signal;
    if (!is_signal && !line) {
      lose("connections", connection.name, place,
           fmt::format("connection '{}' is {}; this format knows lines and signals only, so it is left out",
                       connection.name, connection.coupling == model::Coupling::glue ? "glued" : "sampled"));
      return;
    }
    report_.translated(is_signal ? "signals" : "connections");
    if (connection.declaration.has("name")) report_.lost("names of connections", connection.name);
    writer_.open("Connection", {});
    attribute("From", model_.describe(connection.from));
    attribute("To", model_.describe(connection.to));
    if (!is_omtlm_) attribute("iType", "TLM");
    const double delay = line ? line->delay : connection.delay.value_or(0.0);
    if (!common_delay_) attribute("Delay", shortest(delay));
    if (line) {
      attribute(is_omtlm_ ? "Zf" : "zf", shortest(line->impedance));
      if (line->impedance_rotation) attribute(is_omtlm_ ? "Zfr" : "zfr", shortest(*line->impedance_rotation));
      attribute("alpha", shortest(line->damping));
      if (line->has_other_axes) {
        lose("free axes and damping of rotations", connection.name, place,
             fmt::format("'{}' has free axes, or another damping against rotation, which this format cannot say",
                         connection.name));
      }
    }
    name_lost_attributes(connection);
    writer_.close();
  }

  /// What a connection states beside its law: frames at its ends, relations of signals, initial efforts.
  void name_lost_attributes(const model::Connection& connection) {
    static const std::set<std::string, std::less<>> kSaid{"name",
                                                          "from",
                                                          "to",
                                                          "enabled",
                                                          "coupling",
                                                          "delay",
                                                          "density",
                                                          "stiffness",
                                                          "impedance",
                                                          "inductance",
                                                          "youngs_modulus",
                                                          "bulk_modulus",
                                                          "area",
                                                          "length",
                                                          "capacitance",
                                                          "heat_capacity",
                                                          "resistance",
                                                          "sound_speed",
                                                          "damping",
                                                          "free_axes",
                                                          "stiffness_rotation",
                                                          "impedance_rotation",
                                                          "damping_rotation"};
    const document::Element& declaration = connection.declaration;
    for (const std::string& name : declaration.attributes()) {
      const std::string value = declaration.get(name);
      const bool is_nothing = value.find_first_not_of("0.,+- ") == value.npos || (name == "scale" && value == "1") ||
                              (name == "adds" && value == "false");
      if (kSaid.contains(name) || name.find(':') != name.npos || is_nothing) continue;
      lose("attributes of connections", name, declaration.place_of(name),
           fmt::format("{}=\"{}\" of '{}' cannot be said in this format", name, value, connection.name));
    }
  }

  void write_settings() {
    const auto& settings = model_.simulation;
    report_.translated("run settings");
    if (!is_omtlm_) return;
    writer_.open("SimulationParams", {});
    attribute("ManagerPort", kept(settings.declaration, "ManagerPort").value_or("11111"));
    attribute("StartTime", shortest(settings.start));
    attribute("StopTime", shortest(settings.stop));
    if (settings.defaults.write_interval) attribute("WriteTimeStep", shortest(*settings.defaults.write_interval));
    writer_.close();
  }

  void name_what_is_lost() {
    const document::Element& settings = model_.simulation.declaration;
    static constexpr std::array<std::string_view, 4> kSaid{"start", "stop", "write_interval", "name"};
    for (const auto& name : settings.exists() ? settings.attributes() : std::vector<std::string>{}) {
      const bool is_said = std::find(kSaid.begin(), kSaid.end(), name) != kSaid.end();
      if (!is_said || (name == "write_interval" && !is_omtlm_)) report_.lost("run settings", name);
    }
    for (const auto& child : settings.exists() ? settings.children() : std::vector<document::Element>{}) {
      if (child.get("name") != "ManagerPort") report_.lost("elements of run settings", child.name());
    }
    for (const auto& open : model_.open_ends) {
      lose("boundary conditions", model_.describe(open.of), open.declaration.place(),
           fmt::format("the boundary condition at '{}' cannot be said in this format", model_.describe(open.of)));
    }
    for (const auto& alternative : model_.alternatives)
      report_.lost("alternatives that are not chosen", alternative.name);
  }

  const ExportRequest& request_;
  const model::CompositeModel& model_;
  bool is_omtlm_;
  document::Diagnostics& diagnostics_;
  ConversionReport& report_;
  XmlWriter writer_{};
  std::optional<double> common_delay_{};
};

core::Result<void> write_tlm_model(const ExportRequest& request, bool is_omtlm, document::Diagnostics& diagnostics) {
  ConversionReport unasked;
  TlmWriter writer(request, is_omtlm, diagnostics, request.report != nullptr ? *request.report : unasked);
  return write_text(request, writer.write());
}

}  // namespace

core::Result<void> write_omtlm_model(const ExportRequest& request, document::Diagnostics& diagnostics) {
  return write_tlm_model(request, true, diagnostics);
}

core::Result<void> write_meta_model(const ExportRequest& request, document::Diagnostics& diagnostics) {
  return write_tlm_model(request, false, diagnostics);
}

}  // namespace tieline::interchange
