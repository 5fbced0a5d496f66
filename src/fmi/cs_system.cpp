// CsSystem: what is planned before the first step, and the facts about the whole.

#include "fmi/cs_system.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace tieline::fmi {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

// Communication points of a run for which nobody states a step.
constexpr double kDefaultPoints = 1000.0;

std::vector<core::InterfaceShape> shapes_of(const std::vector<CsPart>& parts) {
  std::vector<core::InterfaceShape> shapes;
  for (const CsPart& part : parts) {
    for (const InterfaceMap& map : part.spec.interfaces) shapes.push_back(map.shape);
  }
  return shapes;
}

/// Variables that an output depends on at once; nothing: on all of them, for all that is known.
const std::optional<std::vector<Dependency>>* reported_dependencies(const std::vector<Unknown>& unknowns,
                                                                    std::uint32_t variable) {
  const auto found = std::find_if(unknowns.begin(), unknowns.end(),
                                  [&](const Unknown& unknown) { return unknown.variable == variable; });
  return found == unknowns.end() ? nullptr : &found->dependencies;
}

bool depends(const Description& description, std::uint32_t output, std::uint32_t input, bool at_start) {
  if (at_start && description.variables[output].initial == Initial::exact) return false;
  const auto* reported =
      reported_dependencies(at_start ? description.structure.initial_unknowns : description.structure.outputs, output);
  if (reported == nullptr || !*reported) return true;
  return std::any_of((*reported)->begin(), (*reported)->end(),
                     [&](const Dependency& dependency) { return dependency.variable == input; });
}

}  // namespace

CsSystem::CsSystem(std::string name, std::vector<CsPart> parts, std::vector<SignalLink> links)
    : Component(std::move(name)),
      parts_(std::move(parts)),
      set_(shapes_of(parts_)),
      links_(std::move(links)),
      first_interface_{0},
      schedule_(core::Schedule::gauss_seidel) {
  for (const CsPart& part : parts_) {
    const std::size_t first = first_interface_.back();
    first_interface_.push_back(first + part.spec.interfaces.size());
    members_.push_back(std::make_unique<CsMember>(part, set_, first));
    if (part.schedule != core::Schedule::furthest_behind) schedule_ = part.schedule;
  }
  // Numbers that change in steps are held between the points, in rows as well.
  for (const CsPart& part : parts_) {
    for (const InterfaceMap& map : part.spec.interfaces) {
      const std::size_t count = core::InterfaceSet({map.shape}).columns().size();
      for (std::size_t k = 0; k < count; ++k) {
        const bool is_signal = map.shape.domain == core::Domain::signal;
        is_held_column_.push_back(is_signal && is_held(part, map.values[k]));
      }
    }
  }
  for (const CsPart& part : parts_) {
    for (const Scalar& scalar : part.spec.recorded) is_held_column_.push_back(is_held(part, scalar));
  }
}

CsSystem::~CsSystem() = default;

bool CsSystem::is_held(const CsPart& part, const Scalar& scalar) {
  const Variable& variable = part.spec.description->variables[scalar.variable];
  return !is_float(variable.type) || variable.variability != Variability::continuous;
}

CsSystem::Number CsSystem::number_of(const CsPart& part, const Scalar& scalar, const core::Port* port) {
  const Variable& variable = part.spec.description->variables[scalar.variable];
  return {scalar, is_held(part, scalar), variable.type == Type::clock, !variable.clocks.empty(), port};
}

std::vector<core::Column> CsSystem::system_columns() const {
  std::vector<core::Column> columns = set_.columns();
  for (const CsPart& part : parts_) add_recorded_columns(part.spec, columns);
  return columns;
}

core::Capabilities CsSystem::capabilities() const {
  core::Capabilities result{.can_snapshot = true};
  for (const auto& member : members_) {
    const std::string never = member->obstacle(core::SnapshotUse::trial);
    const std::string later = member->obstacle(core::SnapshotUse::resume);
    result.can_snapshot = result.can_snapshot && never.empty();
    result.can_save_at_save_points = result.can_save_at_save_points && later.empty();
    if (result.snapshot_obstacle.empty()) result.snapshot_obstacle = later;
  }
  return result;
}

void CsSystem::find_numbers() {
  input_numbers_.clear(), output_numbers_.clear();
  input_members_.clear(), output_members_.clear(), sources_.clear();
  relations_.clear();
  published_outputs_.clear(), published_ports_.clear();
  std::map<std::tuple<std::size_t, std::size_t, std::size_t>, std::uint32_t> outputs;
  const auto is_linked = [&](std::size_t m, std::size_t i, std::size_t k) {
    return std::any_of(links_.begin(), links_.end(), [&](const SignalLink& link) {
      return link.from_part == m && link.from_interface == i && link.from_number == k;
    });
  };
  for (std::size_t m = 0; m < parts_.size(); ++m) {
    for (std::size_t i = 0; i < parts_[m].spec.interfaces.size(); ++i) {
      const InterfaceMap& map = parts_[m].spec.interfaces[i];
      if (map.shape.causality != core::Causality::output) continue;
      for (std::size_t k = 0; k < map.values.size(); ++k) {
        core::Port& port = set_.ports_of(first_interface_[m] + i)[k];
        const bool is_published = port.is_connected || port.feeds_outside;
        if (!is_published && !is_linked(m, i, k)) continue;
        const auto number = static_cast<std::uint32_t>(output_numbers_.size());
        outputs[{m, i, k}] = number;
        output_numbers_.push_back(number_of(parts_[m], map.values[k]));
        output_members_.push_back(static_cast<std::uint32_t>(m));
        if (!is_published) continue;
        published_outputs_.push_back(number);
        published_ports_.push_back(&port);
      }
    }
  }
  input_columns_.clear();
  has_resting_inputs_.assign(parts_.size(), false);
  std::size_t column = 0, next_column = 0;
  for (std::size_t m = 0; m < parts_.size(); ++m) {
    for (std::size_t i = 0; i < parts_[m].spec.interfaces.size(); ++i) {
      const InterfaceMap& map = parts_[m].spec.interfaces[i];
      column = next_column;
      next_column += core::InterfaceSet({map.shape}).columns().size();
      if (map.shape.causality != core::Causality::input) continue;
      for (std::size_t k = 0; k < map.values.size(); ++k) {
        const core::Port& port = set_.ports_of(first_interface_[m] + i)[k];
        const auto link = std::find_if(links_.begin(), links_.end(), [&](const SignalLink& each) {
          return each.to_part == m && each.to_interface == i && each.to_number == k;
        });
        if (link == links_.end() && !is_live(port)) {
          has_resting_inputs_[m] = true;
          continue;
        }
        input_columns_.push_back(column + k);
        input_numbers_.push_back(number_of(parts_[m], map.values[k], &port));
        input_members_.push_back(static_cast<std::uint32_t>(m));
        relations_.push_back(link == links_.end() ? core::Relation{} : link->relation);
        sources_.push_back(link == links_.end()
                               ? SignalNet::kOutside
                               : outputs.at({link->from_part, link->from_interface, link->from_number}));
      }
    }
  }
}

SignalNet CsSystem::net_with(bool at_start) const {
  SignalNet net{.members = parts_.size()};
  for (std::size_t i = 0; i < input_numbers_.size(); ++i) net.inputs.push_back({input_members_[i], sources_[i]});
  for (std::size_t o = 0; o < output_numbers_.size(); ++o) {
    SignalNet::Output output{.member = output_members_[o]};
    const Description& description = *parts_[output.member].spec.description;
    // Ticks, and what they bring, are passed on until nothing changes: no loop is solved for them.
    const auto is_apart = [&](const Number& number) { return number.is_clock || (number.is_clocked && !at_start); };
    for (std::uint32_t i = 0; i < input_numbers_.size(); ++i) {
      if (input_members_[i] != output.member) continue;
      if (is_apart(output_numbers_[o]) || is_apart(input_numbers_[i])) continue;
      const std::uint32_t of = output_numbers_[o].scalar.variable, by = input_numbers_[i].scalar.variable;
      if (depends(description, of, by, at_start)) output.follows.push_back(i);
    }
    net.outputs.push_back(std::move(output));
  }
  return net;
}

std::uint32_t CsSystem::add_lead(std::uint32_t m, const std::vector<std::uint32_t>& known) {
  if (!parts_[m].extrapolates && !follows_inputs_) return kNoLead;
  std::vector<std::uint32_t> inputs;
  std::vector<const core::Port*> followed;
  std::vector<Scalar> scalars;
  bool is_plain = true;
  const Description& description = *parts_[m].spec.description;
  for (std::uint32_t i = 0; i < input_numbers_.size(); ++i) {
    if (input_members_[i] != m || input_numbers_[i].is_held) continue;
    const bool is_followed = follows_inputs_ && sources_[i] == SignalNet::kOutside;
    if (!is_followed && !parts_[m].extrapolates) continue;
    followed.push_back(is_followed ? input_numbers_[i].port : nullptr);
    inputs.push_back(i);
    scalars.push_back(input_numbers_[i].scalar);
    const Variable& variable = description.variables[scalars.back().variable];
    is_plain = is_plain && variable.type == Type::float64 && variable.dimensions.empty();
  }
  if (inputs.empty()) return kNoLead;
  Lead lead{ValueWriter(description, scalars),
            inputs,
            {},
            followed,
            std::find(followed.begin(), followed.end(), nullptr) == followed.end(),
            std::vector<double>(inputs.size()),
            std::vector<double>(inputs.size()),
            {},
            std::vector<std::int32_t>(inputs.size(), 1)};
  for (const std::uint32_t i : inputs) {
    lead.is_known.push_back(std::find(known.begin(), known.end(), i) != known.end());
  }
  if (is_plain && description.version <= 2 && members_[m]->facts().can_interpolate_inputs) {
    for (const Scalar& scalar : scalars) {
      lead.references.push_back(description.variables[scalar.variable].reference);
    }
  }
  leads_.push_back(std::move(lead));
  return static_cast<std::uint32_t>(leads_.size() - 1);
}

CsSystem::Program CsSystem::compile(const Plan& plan) {
  Program program;
  for (const PlanStep& step : plan) {
    Action action{step.kind, step.member, 0};
    const auto scalars = [&](const std::vector<Number>& numbers) {
      std::vector<Scalar> list;
      for (const std::uint32_t k : step.numbers) list.push_back(numbers[k].scalar);
      return list;
    };
    const Description& description = *parts_[step.member].spec.description;
    switch (step.kind) {
      case PlanStep::Kind::set: {
        Writing writing{ValueWriter(description, scalars(input_numbers_)),
                        step.numbers,
                        {},
                        {},
                        std::vector<double>(step.numbers.size())};
        std::vector<Scalar> smooth;
        for (const std::uint32_t i : step.numbers) {
          writing.sources.push_back(sources_[i]);
          writing.ports.push_back(input_numbers_[i].port);
          if (input_numbers_[i].is_held) continue;
          smooth.push_back(input_numbers_[i].scalar);
          writing.smooth_places.push_back(static_cast<std::uint32_t>(writing.sources.size() - 1));
        }
        if (members_[step.member]->has_event_mode() && smooth.size() < step.numbers.size()) {
          writing.smooth.emplace(description, smooth);
          writing.smooth_values.resize(smooth.size());
        }
        action.index = static_cast<std::uint32_t>(writings_.size());
        writings_.push_back(std::move(writing));
        break;
      }
      case PlanStep::Kind::get:
        action.index = static_cast<std::uint32_t>(readings_.size());
        readings_.push_back({ValueReader(description, scalars(output_numbers_)), step.numbers,
                             std::vector<double>(step.numbers.size())});
        break;
      case PlanStep::Kind::advance:
        action.index = add_lead(step.member, step.numbers);
        break;
      case PlanStep::Kind::loop: {
        std::vector<LoopSignal> signals;
        for (const std::uint32_t i : step.numbers) {
          const std::uint32_t o = sources_[i];
          signals.push_back({i, o, members_[input_members_[i]].get(), members_[output_members_[o]].get(),
                             input_numbers_[i].scalar, output_numbers_[o].scalar, relations_[i]});
        }
        action.index = static_cast<std::uint32_t>(loops_.size());
        loops_.emplace_back(std::move(signals));
        break;
      }
    }
    program.push_back(action);
  }
  return program;
}

Result<void> CsSystem::plan_steps() {
  std::vector<StepRequest> requests;
  double stop = 0.0, window = 0.0;
  for (const auto& member : members_) {
    const CsPart& part = member->part();
    const CoSimulationFacts& facts = member->facts();
    stop = std::max(stop, part.facts.stop), window = std::max(window, part.facts.window);
    requests.push_back(
        {.name = member->name(),
         .step = part.spec.step > 0.0 ? part.spec.step : member->description().experiment.step_size.value_or(0.0),
         .is_stated = part.spec.step > 0.0,
         .is_constant = !facts.can_handle_variable_step_size,
         .internal_step = facts.fixed_internal_step_size.value_or(0.0)});
  }
  if (has_clocks_) {
    if (auto planned = plan_clocks(); !planned) return planned;
    // One step for all: whoever has the shortest decides.
    double shortest = 0.0;
    for (const StepRequest& request : requests) {
      if (request.step > 0.0) shortest = shortest > 0.0 ? std::min(shortest, request.step) : request.step;
    }
    for (StepRequest& request : requests) {
      if (!request.is_constant) request.step = shortest;
    }
  }
  const double otherwise = stop > t0_ ? (stop - t0_) / kDefaultPoints : std::max(window, 1e-3);
  auto grid = make_step_grid(requests, otherwise, t0_, stop);
  if (!grid) return grid.error();
  grid_ = std::move(*grid);

  const SignalNet net = net_with(false);
  const std::vector<std::uint32_t> order = order_of(net);
  std::vector<bool> extrapolates;
  for (const CsPart& part : parts_) extrapolates.push_back(part.extrapolates);
  writings_.clear(), readings_.clear(), loops_.clear(), leads_.clear();
  programs_.clear(), refreshes_.clear(), program_at_.clear();
  std::map<std::vector<bool>, std::uint32_t> known;
  for (std::uint32_t turn = 0; turn < grid_.turn; ++turn) {
    std::vector<bool> is_due;
    for (std::size_t m = 0; m < parts_.size(); ++m) is_due.push_back(turn % grid_.every[m] == 0);
    const auto [found, is_new] = known.try_emplace(is_due, static_cast<std::uint32_t>(programs_.size()));
    program_at_.push_back(found->second);
    if (!is_new) continue;
    programs_.push_back(compile(stepping_plan(net, is_due, schedule_, order, extrapolates)));
    refreshes_.push_back(compile(refreshing_plan(net, is_due)));
  }
  if (!has_clocks_) return {};
  if (grid_.turn > 1) {
    return Error{
        .code = ErrorCode::bad_input,
        .message = fmt::format("FMUs with clocks that are stepped together need one step; expected step=\"{:.9g}\" "
                               "for each of them",
                               grid_.measure)};
  }
  Plan passing =
      stepping_plan(net, std::vector<bool>(parts_.size(), true), core::Schedule::jacobi, order, extrapolates);
  std::erase_if(passing, [](const PlanStep& step) { return step.kind == PlanStep::Kind::advance; });
  passing_ = compile(passing);
  return {};
}

core::Statistics CsSystem::own_statistics(std::size_t part) const {
  core::Statistics own;
  if (part < member_steps_.size()) own.steps = member_steps_[part];
  own.events = members_[part]->events();
  return own;
}

core::Statistics CsSystem::statistics() const {
  core::Statistics result = statistics_;
  result.solver = parts_.size() == 1 ? "co-simulation" : fmt::format("co-simulation, {}", core::name_of(schedule_));
  for (const auto& member : members_) result.events += member->events();
  for (const SignalLoop& loop : loops_) result.jacobian_calls += loop.derivatives();
  return result;
}

}  // namespace tieline::fmi
