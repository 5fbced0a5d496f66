#include "processes/inquiry.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "archive/temporary_folder.hpp"
#include "core/xml_text.hpp"
#include "model/rewrite.hpp"
#include "model/site.hpp"
#include "participant/fleet.hpp"
#include "processes/stream_choice.hpp"
#include "processes/tool_invitee.hpp"

namespace tieline::processes {
namespace {

using core::bad_input;

using core::Result;

Result<int> find_program(const assembly::CheckedModel& checked, const InquiryOptions& options) {
  const auto& components = checked.model.components;
  std::vector<std::string> programs;
  for (std::size_t i = 0; i < components.size(); ++i) {
    if (checked.blueprints[i] && checked.blueprints[i]->is_program) programs.push_back(components[i].name);
  }
  const auto found = std::find_if(components.begin(), components.end(),
                                  [&](const auto& component) { return component.name == options.component; });
  if (found == components.end()) {
    return bad_input(fmt::format("there is no component '{}'{}", options.component,
                                 document::suggestion(options.component, programs)));
  }
  if (!checked.blueprints[static_cast<std::size_t>(found - components.begin())]->is_program) {
    return bad_input(fmt::format("component '{}' is of kind '{}', which has no program to be asked; expected '{}'",
                                 found->name, found->kind, model::kProcessKind));
  }
  return static_cast<int>(found - components.begin());
}

/// Why interfaces cannot be added where the component is stated; empty if they can.
std::string obstacle_to_writing(const assembly::CheckedModel& checked, const model::Component& component) {
  if (component.declaration.document() == nullptr || component.declaration.document()->file() != checked.model.file) {
    return fmt::format("component '{}' is in a nested model; ask for it in that model's own file", component.name);
  }
  if (component.declaration.get("name") != component.name) {
    return fmt::format("component '{}' is declared in a <Repeat>, or in a nested model", component.name);
  }
  if (!component.type.empty()) {
    return fmt::format("component '{}' is of type '{}', which must declare its interfaces", component.name,
                       component.type);
  }
  return "";
}

std::string difference(const transport::InterfaceMessage& offered, const model::DeclaredInterface& declared) {
  const transport::InterfaceMessage stated{declared.name, declared.domain, declared.causality,
                                           static_cast<std::uint32_t>(declared.size)};
  const std::string there = interface_tag(stated);
  return there == interface_tag(offered) ? "" : fmt::format("the model declares {}", there);
}

InquiryOutcome compare(const transport::Registration& registration, const model::Component& component) {
  InquiryOutcome outcome{.can_save = registration.can_save};
  for (const transport::RegisteredInterface& each : registration.interfaces) {
    OfferedInterface& offered = outcome.interfaces.emplace_back();
    offered.registered = each;
    for (const model::DeclaredInterface& declared : component.declared_interfaces) {
      if (declared.name != each.interface.name) continue;
      offered.is_declared = true;
      offered.difference = difference(each.interface, declared);
    }
  }
  for (const model::DeclaredInterface& declared : component.declared_interfaces) {
    const auto is_same = [&](const auto& each) { return each.interface.name == declared.name; };
    if (std::none_of(registration.interfaces.begin(), registration.interfaces.end(), is_same)) {
      outcome.not_offered.push_back(declared.name);
    }
  }
  return outcome;
}

Result<transport::Registration> ask(const assembly::CheckedModel& checked, int component, const InquiryOptions& options,
                                    document::Diagnostics& diagnostics) {
  const auto folder = archive::TemporaryFolder::make("tieline", "for the program's files");
  if (!folder) return folder.error();
  const model::Site site = model::load_site(options.site_file, diagnostics);
  auto invitee = tool_invitee(checked, component, site, folder->path(), diagnostics);
  if (!invitee || diagnostics.has_errors()) return bad_input("the program cannot be started");
  invitee->setup.is_inquiry = true;
  const model::ProcessSettings& processes = checked.model.simulation.processes;
  invitee->streams = &factory_for(checked.model, std::span(&component, 1));
  std::vector<participant::Invitee> invitees;
  invitees.push_back(std::move(*invitee));
  auto fleet = participant::Fleet::launch({.silence_deadline = processes.silence_deadline,
                                           .shutdown_deadline = processes.shutdown_deadline,
                                           .folder = folder->path(),
                                           .on_note = options.on_note},
                                          std::move(invitees));
  if (!fleet) return fleet.error();
  if (auto registered = (*fleet)->await_registrations(options.cancel); !registered) return registered.error();
  transport::Registration registration = (*fleet)->registration(0);
  (void)(*fleet)->dismiss();
  return registration;
}

}  // namespace

std::string interface_tag(const transport::InterfaceMessage& interface) {
  std::string tag =
      fmt::format("<Interface name=\"{}\" domain=\"{}\" causality=\"{}\"", core::xml_escaped(interface.name),
                  core::names_of(interface.domain).domain, core::name_of(interface.causality));
  if (interface.size > 1) tag += fmt::format(" size=\"{}\"", interface.size);
  return tag + "/>";
}

Result<InquiryOutcome> inquire(const InquiryOptions& options, document::Diagnostics& diagnostics) {
  auto checked = assembly::check_model(options.model, {}, diagnostics);
  if (!checked || diagnostics.has_errors()) return bad_input("the model cannot be read");
  const auto index = find_program(*checked, options);
  if (!index) return index.error();
  const model::Component& component = checked->model.components[static_cast<std::size_t>(*index)];
  if (options.writes) {
    if (const std::string obstacle = obstacle_to_writing(*checked, component); !obstacle.empty()) {
      return bad_input("interfaces cannot be written: " + obstacle);
    }
  }
  auto registration = ask(*checked, *index, options, diagnostics);
  if (!registration) return registration.error();
  InquiryOutcome outcome = compare(*registration, component);
  if (!options.writes) return outcome;
  std::vector<std::string> tags;
  for (const OfferedInterface& each : outcome.interfaces) {
    if (!each.is_declared) tags.push_back(interface_tag(each.registered.interface));
  }
  if (tags.empty()) return outcome;
  if (!model::add_interfaces_in_file(options.model, options.model, component.name, tags, diagnostics)) {
    return bad_input("the model could not be written");
  }
  outcome.written = tags.size();
  return outcome;
}

}  // namespace tieline::processes
