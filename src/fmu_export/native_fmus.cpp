#include "fmu_export/native_fmus.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <map>
#include <set>

#include "assembly/connection_figures.hpp"
#include "core/xml_text.hpp"
#include "fmu_export/exporter.hpp"
#include "model/rewrite.hpp"
#include "simulation/run.hpp"

namespace tieline::fmu_export {
namespace {

namespace fs = std::filesystem;
using document::Diagnostics;
using model::Connection;
using model::Coupling;
using model::Endpoint;

std::string stated(std::string_view name, const std::string& value) {
  return fmt::format(" {}=\"{}\"", name, core::xml_escaped(value));
}
std::string stated(std::string_view name, double value) { return fmt::format(" {}=\"{}\"", name, value); }

class NativeShowing {
 public:
  NativeShowing(const fs::path& file, const fs::path& library, const fs::path& folder, Diagnostics& diagnostics)
      : file_(file), library_(library), folder_(folder), diagnostics_(diagnostics) {}

  /// The model as text; empty after errors.
  std::string text() {
    auto checked = assembly::check_model(file_, {}, diagnostics_);
    if (!checked || diagnostics_.has_errors()) return {};
    checked_ = std::move(*checked);
    find_lines();
    if (!find_waves()) return {};
    export_components();
    return diagnostics_.has_errors() ? std::string() : written();
  }
  [[nodiscard]] std::optional<double> step() const { return step_; }
  [[nodiscard]] const std::vector<std::string>& left_out() const { return left_out_; }

 private:
  [[nodiscard]] const model::Component& component(int index) const {
    return checked_.model.components[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] bool is_native(int index) const {
    const auto& blueprint = *checked_.blueprints[static_cast<std::size_t>(index)];
    return !blueprint.is_program && !blueprint.is_isolated_by_default;
  }
  /// Nested components have dots in their names, which components of one model have not.
  [[nodiscard]] std::string name_of(int index) const {
    std::string name = component(index).name;
    std::replace(name.begin(), name.end(), '.', '_');
    return name;
  }
  void note(const std::string& text) { diagnostics_.note({file_.string(), 0, 0}, text); }

  void find_lines() {
    for (std::size_t i = 0; i < checked_.model.connections.size(); ++i) {
      const Connection& connection = checked_.model.connections[i];
      const bool is_along = connection.coupling == Coupling::line && checked_.figures[i].line.has_value();
      if (!is_along || !is_native(connection.from.component) || !is_native(connection.to.component)) continue;
      lines_.push_back(i);
      const double delay = checked_.figures[i].line->law.delay;
      step_ = std::min(step_.value_or(delay), delay);
    }
  }

  /// What is in the lines at the start of the run.
  bool find_waves() {
    if (lines_.empty()) return true;
    try {
      simulation::Run run(file_);
      run.compute_here();
      run.start({.threads = 1});
      for (const std::size_t i : lines_) {
        const Connection& connection = checked_.model.connections[i];
        const auto& figures = *checked_.figures[i].line;
        for (const Endpoint* const end : {&connection.from, &connection.to}) {
          const core::Port& port =
              assembly::ports_at(checked_, *end, run.component(static_cast<std::size_t>(end->component))).front();
          const core::DomainNames& names = core::names_of(port.domain);
          const double flow = run.get(fmt::format("{}.{}", checked_.model.describe(*end), names.flow));
          const double wave = port.w(run.time(), wave::Side::right).value;
          // Stiffness is impedance by delay, and the delay becomes the step.
          const double impedance = figures.impedance * *step_ / figures.law.delay;
          ends_[{end->component, end->interface}] = {wave + (impedance - figures.impedance) * flow, impedance};
        }
      }
    } catch (const std::exception& failure) {
      diagnostics_.error({file_.string(), 0, 0}, fmt::format("cannot start: {}", failure.what()));
    }
    return !diagnostics_.has_errors();
  }

  void export_components() {
    fs::create_directories(folder_ / "fmus");
    for (int index = 0; index < static_cast<int>(checked_.model.components.size()); ++index) {
      if (!is_native(index)) continue;
      Request request{.model = file_,
                      .out = folder_ / "fmus" / (name_of(index) + ".fmu"),
                      .component = component(index).name,
                      .library = library_};
      for (const auto& [end, values] : ends_) {
        if (end.first != index) continue;
        request.waves.push_back(end.second);
        request.line_starts[end.second] = values;
      }
      Diagnostics own;
      if (export_fmu(request, own)) {
        exported_.insert(index);
        continue;
      }
      for (const auto& entry : own.all()) {
        if (entry.severity != document::Severity::error) continue;
        diagnostics_.warning(
            component(index).declaration.place(),
            fmt::format("'{}' is no FMU, and other tools cannot run it: {}", component(index).name, entry.message));
        break;
      }
    }
  }

  [[nodiscard]] std::string component_text(int index) const {
    const model::Component& own = component(index);
    const std::string name = name_of(index);
    std::string text = "    <Component" + stated("name", name) + " kind=\"fmu\"" +
                       stated("file", "fmus/" + name + ".fmu") + " isolate=\"false\"";
    if (own.diagram_x && own.diagram_y)
      text += stated("diagram_x", *own.diagram_x) + stated("diagram_y", *own.diagram_y);
    text += ">\n";
    if (!own.description.empty())
      text += fmt::format("      <Description>{}</Description>\n", core::xml_escaped(own.description));
    text += "      <Fmu mode=\"co_simulation\"/>\n";
    return text + "    </Component>\n";
  }

  [[nodiscard]] bool is_shown(int index) const { return !is_native(index) || exported_.contains(index); }

  std::string connection_text(const std::string& from, const std::string& to, const std::string& more = "") const {
    return "    <Connection" + stated("from", from) + stated("to", to) + more + "/>\n";
  }
  [[nodiscard]] std::string describe(const Endpoint& end) const { return name_of(end.component) + "." + end.interface; }

  std::string connections_text() {
    std::string text;
    for (std::size_t i = 0; i < checked_.model.connections.size(); ++i) {
      const Connection& connection = checked_.model.connections[i];
      const bool is_line = std::find(lines_.begin(), lines_.end(), i) != lines_.end();
      const bool is_possible = is_shown(connection.from.component) && is_shown(connection.to.component);
      const std::string from = describe(connection.from), to = describe(connection.to);
      if (is_possible && is_line) {
        text += connection_text(from + ".leaving_wave", to + ".wave");
        text += connection_text(to + ".leaving_wave", from + ".wave");
      } else if (is_possible && connection.coupling == Coupling::signal) {
        const model::SignalNumbers& signal = connection.signal;
        std::string more;
        if (signal.scale) more += stated("scale", *signal.scale);
        if (signal.offset) more += stated("offset", *signal.offset);
        if (!signal.from_unit.empty()) more += stated("from_unit", signal.from_unit);
        if (!signal.to_unit.empty()) more += stated("to_unit", signal.to_unit);
        text += connection_text(from, to, more);
        if (connection.delay.value_or(0.0) > 0.0) {
          note(
              fmt::format("signal '{}' has a delay of {:g} s, which other tools do not know: with them it has that of "
                          "a step",
                          connection.name, *connection.delay));
        }
      } else {
        left_out_.push_back(connection.name);
      }
    }
    if (!left_out_.empty()) {
      note(
          fmt::format("not connected for other tools: '{}'; SSP has signals only, and these are in space, glued or "
                      "sampled, or at a component that is no FMU",
                      fmt::join(left_out_, "', '")));
    }
    return text;
  }

  std::string written() {
    model::CompositeModel rest = checked_.model;
    rest.components.clear();
    rest.connections.clear();
    rest.open_ends.clear();
    rest.interfaces.clear();
    rest.gluings.clear();
    rest.layers.reset();  // they order steps of components that nothing joins here
    rest.simulation.record.clear();
    std::string components;
    for (int index = 0; index < static_cast<int>(checked_.model.components.size()); ++index) {
      if (exported_.contains(index)) components += component_text(index);
      if (is_native(index)) continue;
      model::Component other = component(index);
      other.name = name_of(index);
      other.frame = -1;
      rest.components.push_back(std::move(other));
    }
    std::string text = model::resolved_model_xml(rest);
    text.insert(text.find("  </Components>"), components);
    const std::string connections = connections_text();
    text.insert(text.find("  </Connections>"), connections);
    if (!lines_.empty()) {
      note(
          fmt::format("other tools sample {}: use a step of {:g} s, and their error is of the first order in it. At "
                      "another step h a line is as stiff as its impedance by h",
                      lines_.size() == 1 ? "the line" : fmt::format("the {} lines", lines_.size()), *step_));
    }
    return text;
  }

  const fs::path file_, library_, folder_;
  Diagnostics& diagnostics_;
  assembly::CheckedModel checked_;
  std::vector<std::size_t> lines_;  ///< along one axis, between native components
  std::map<std::pair<int, std::string>, Request::LineStart> ends_;
  std::vector<std::string> left_out_;  ///< names of connections
  std::optional<double> step_;
  std::set<int> exported_;
};

}  // namespace

std::optional<NativeFmus> with_native_fmus(const fs::path& model, const fs::path& library, Diagnostics& diagnostics) {
  auto folder = archive::TemporaryFolder::make("tieline", "for FMUs of components");
  if (!folder) {
    diagnostics.error({model.string(), 0, 0}, folder.error().describe());
    return std::nullopt;
  }
  NativeShowing showing(model, library, folder->path(), diagnostics);
  const std::string text = showing.text();
  if (text.empty() || diagnostics.has_errors()) return std::nullopt;
  const fs::path file = folder->path() / "model.xml";
  std::ofstream(file) << text;
  Diagnostics own;
  auto shown = assembly::check_model(file, {}, own);
  for (const auto& entry : own.all()) {
    if (entry.severity == document::Severity::error)
      diagnostics.error({model.string(), 0, 0}, fmt::format("with components as FMUs: {}", entry.message));
  }
  if (!shown || diagnostics.has_errors()) return std::nullopt;
  return NativeFmus{
      .folder = std::move(*folder), .model = std::move(*shown), .step = showing.step(), .left_out = showing.left_out()};
}

}  // namespace tieline::fmu_export
