#include "tieline/check.hpp"

#include <algorithm>

#include "api/errors.hpp"
#include "api/model_files.hpp"
#include "assembly/assembly.hpp"
#include "assembly/connection_figures.hpp"
#include "assembly/line_advice.hpp"
#include "assembly/rules.hpp"
#include "core/command_line.hpp"
#include "kinds/launch_plan.hpp"
#include "kinds/process_options.hpp"
#include "kinds/registry.hpp"
#include "model/fmu_mode.hpp"
#include "model/site.hpp"
#include "processes/inquiry.hpp"

namespace tieline {

namespace fs = std::filesystem;

static_assert(kFmuModeSetting == model::kModeSetting);

std::vector<model::Override> api::overrides_of(const std::vector<Setting>& settings) {
  std::vector<model::Override> overrides;
  for (const Setting& setting : settings) overrides.push_back({setting.name, setting.value});
  return overrides;
}

assembly::CheckedModel api::sound_model(const fs::path& file, const std::vector<Setting>& settings,
                                        document::Diagnostics& diagnostics) {
  auto checked = assembly::check_model(file, overrides_of(settings), diagnostics);
  if (!checked || diagnostics.has_errors()) throw_model_error(diagnostics);
  return *std::move(checked);
}

namespace {

/// Every file that reading the model opens, and those that its components say they will read.
std::vector<fs::path> files_of(const model::CompositeModel& model, const document::Diagnostics& diagnostics) {
  const auto read = diagnostics.files_read();
  std::vector<fs::path> files(read.begin(), read.end());
  const auto add = [&](const fs::path& file) {
    std::error_code failure;
    const bool is_new = std::find(files.begin(), files.end(), file) == files.end();
    if (is_new && fs::is_regular_file(file, failure)) files.push_back(file);
  };
  for (const model::Component& component : model.components) {
    if (component.has_own_file) add(component.content_file);
    for (const auto& file : component.input_files) add(file);
    add(component.icon);
    add(component.geometry);
  }
  return files;
}

/// What a run of the model would start here. Where no site file says how tools are started, a tool that one should know
/// is no error: the model may be meant for another machine.
std::vector<Launch> launches_of(const assembly::CheckedModel& checked, const fs::path& stated_site,
                                document::Diagnostics& diagnostics) {
  const auto is_program = [](const auto& blueprint) { return blueprint && blueprint->is_program; };
  if (std::none_of(checked.blueprints.begin(), checked.blueprints.end(), is_program) && stated_site.empty()) return {};
  const std::size_t errors = diagnostics.error_count();
  const model::Site site = model::load_site(stated_site, diagnostics);
  if (diagnostics.error_count() > errors) return {};
  std::vector<Launch> launches;
  for (std::size_t i = 0; i < checked.model.components.size(); ++i) {
    if (!is_program(checked.blueprints[i])) continue;
    const model::Component& component = checked.model.components[i];
    document::Diagnostics problems;
    const auto plan = kinds::launch_plan(checked.model.simulation, component, site, {}, problems);
    for (const auto& problem : problems.all()) {
      if (site.file.empty() && model::options_as<kinds::ProcessOptions>(component).command.empty())
        diagnostics.warning(problem.place, problem.message);
      else
        diagnostics.error(problem.place, problem.message);
    }
    if (!plan) continue;
    launches.push_back({component.name, plan->is_awaited() ? "" : core::join_command(plan->command), plan->folder});
  }
  return launches;
}

std::string coupling_name(model::Coupling coupling) {
  switch (coupling) {
    case model::Coupling::line:
      return "line";
    case model::Coupling::sampled:
      return "sampled";
    case model::Coupling::glue:
      return "glue";
    case model::Coupling::signal:
      break;
  }
  return "signal";
}

ComponentInfo component_info(const model::Component& component, const std::optional<kinds::Blueprint>& blueprint) {
  ComponentInfo info{component.name, component.kind, component.settings.solver.value_or("auto"), {}};
  if (!blueprint) return info;
  for (const auto& interface : blueprint->interfaces) {
    info.interfaces.push_back({interface.name, std::string(core::names_of(interface.domain).domain),
                               std::string(core::name_of(interface.causality)), static_cast<int>(interface.size)});
  }
  return info;
}

OfferedInterface offered_interface(const processes::OfferedInterface& offered) {
  const transport::InterfaceMessage& interface = offered.registered.interface;
  const auto& first = offered.registered.first;
  OfferedInterface result{.name = interface.name,
                          .declaration = processes::interface_tag(interface),
                          .is_declared = offered.is_declared,
                          .difference = offered.difference};
  if (!core::is_mechanical(interface.domain) || first.empty()) return result;
  const bool is_in_space = interface.domain == core::Domain::mechanical3d && first.size() >= 3;
  result.position.assign(first.begin(), first.begin() + (is_in_space ? 3 : 1));
  result.position_unit = is_in_space ? "m" : core::names_of(interface.domain).position_unit;
  return result;
}

}  // namespace

CheckReport check_model(const fs::path& model, const CheckOptions& options) {
  document::Diagnostics diagnostics;
  const auto checked = assembly::check_model(model, api::overrides_of(options.settings), diagnostics);
  if (checked) assembly::check_rules(*checked, diagnostics);
  // Building finds what reading cannot: starts that are not possible, windows without number.
  if (checked && !diagnostics.has_errors()) (void)assembly::assemble(*checked, {}, diagnostics);
  if (checked && !diagnostics.has_errors()) assembly::warn_of_lines(*checked, diagnostics);
  CheckReport report;
  if (checked) {
    report.files = files_of(checked->model, diagnostics);
    report.launches = launches_of(*checked, options.site, diagnostics);
  }
  report.problems = api::problems_of(diagnostics);
  report.errors = diagnostics.error_count();
  report.warnings = diagnostics.warning_count();
  return report;
}

ModelInfo describe_model(const fs::path& file) {
  document::Diagnostics diagnostics;
  const auto checked = assembly::check_model(file, {}, diagnostics);
  if (!checked) api::throw_model_error(diagnostics);
  const model::CompositeModel& model = checked->model;
  ModelInfo info{.name = model.name, .description = model.description};
  for (const auto& p : model.parameters) info.parameters.push_back({p.name, p.value, p.unit, p.description});
  for (std::size_t i = 0; i < model.components.size(); ++i) {
    info.components.push_back(component_info(model.components[i], checked->blueprints[i]));
  }
  for (std::size_t i = 0; i < model.connections.size(); ++i) {
    const model::Connection& connection = model.connections[i];
    info.connections.push_back({connection.name, model.describe(connection.from), model.describe(connection.to),
                                coupling_name(connection.coupling), assembly::describe_connection(*checked, i)});
  }
  info.files = files_of(model, diagnostics);
  info.start = model.simulation.start;
  info.stop = model.simulation.stop;
  info.problems = api::problems_of(diagnostics);
  info.errors = diagnostics.error_count();
  return info;
}

std::string model_schema() { return model::schema(kinds::kind_descriptions()); }
std::string model_reference() { return model::reference(kinds::kind_descriptions()); }

InquiryOutcome ask_program(const fs::path& model, const std::string& component, const InquiryOptions& options) {
  document::Diagnostics diagnostics;
  const auto outcome = processes::inquire({.model = model,
                                           .component = component,
                                           .site_file = options.site,
                                           .writes = options.writes,
                                           .cancel = options.cancel,
                                           .on_note = options.on_note},
                                          diagnostics);
  if (diagnostics.has_errors()) api::throw_model_error(diagnostics);
  if (!outcome) {
    const core::Error& error = outcome.error();
    if (error.code == core::ErrorCode::bad_input) throw std::out_of_range(error.describe());
    api::throw_run_error(error);
  }
  InquiryOutcome result{.interfaces = {},
                        .not_offered = outcome->not_offered,
                        .can_save = outcome->can_save,
                        .written = outcome->written};
  for (const auto& offered : outcome->interfaces) result.interfaces.push_back(offered_interface(offered));
  return result;
}

}  // namespace tieline
