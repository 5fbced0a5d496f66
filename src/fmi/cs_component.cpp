#include "fmi/cs_component.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace tieline::fmi {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

/// Whether a signal that goes out may depend on an input at once.
bool has_open_signals(const FmuSpec& spec) {
  const auto& outputs = spec.description->structure.outputs;
  for (const InterfaceMap& map : spec.interfaces) {
    if (map.shape.causality != core::Causality::output) continue;
    for (const Scalar& scalar : map.values) {
      const auto declared = std::find_if(outputs.begin(), outputs.end(),
                                         [&](const Unknown& unknown) { return unknown.variable == scalar.variable; });
      if (declared == outputs.end() || !declared->dependencies) return true;
      for (const Dependency& dependency : *declared->dependencies) {
        if (spec.description->variables[dependency.variable].causality == Causality::input) return true;
      }
    }
  }
  return false;
}

EffortShape shape_of(StepScheme scheme) {
  if (scheme == StepScheme::hold) return EffortShape::start;
  return scheme == StepScheme::derivatives ? EffortShape::sloped : EffortShape::mean;
}

/// The numbers of a state that an FMU may not bring back by itself.
template <class State, class Visit>
void visit_state(State& state, Visit&& visit) {
  visit(state.position), visit(state.flow), visit(state.flow_rate), visit(state.effort);
  for (int k = 0; k < 3; ++k) {
    visit(state.pose.position[k]), visit(state.motion.acceleration[k]), visit(state.motion.angular_acceleration[k]);
  }
}

}  // namespace

const char* name_of(StepScheme scheme) {
  switch (scheme) {
    case StepScheme::automatic:
      return "auto";
    case StepScheme::intermediate:
      return "intermediate";
    case StepScheme::derivatives:
      return "derivatives";
    case StepScheme::substeps:
      return "substeps";
    case StepScheme::hold:
      return "hold";
  }
  return "auto";
}

CsComponent::CsComponent(FmuSpec spec, const core::Pose& placement, RunFacts facts)
    : Component(facts.name),
      spec_(std::move(spec)),
      facts_(std::move(facts)),
      exchange_(spec_, placement),
      recorded_(*spec_.description, spec_.recorded),
      keeper_(own_facts()),
      clocks_(*spec_.description),
      inputs_(exchange_.input_count()),
      rates_(exchange_.input_count()),
      signal_before_(exchange_.set().ports().size()),
      orders_(exchange_.input_count(), 1),
      outputs_(exchange_.set().ports().size()),
      is_discrete_(exchange_.set().ports().size(), false),
      is_signal_(exchange_.set().ports().size(), false),
      is_in_space_(exchange_.set().ports().size(), false),
      recorded_before_(spec_.recorded.size()),
      recorded_now_(spec_.recorded.size()) {
  core::InterfaceSet& set = exchange_.set();
  for (std::size_t i = 0; i < set.size(); ++i) {
    // Under a force that is held from step to step accelerations jump at each: they carry no information.
    set.set_reports_rates(i, false);
    const InterfaceMap& map = exchange_.map(i);
    for (std::size_t k = 0; k < set.ports_of(i).size(); ++k) {
      is_signal_[set.first_port(i) + k] = map.shape.domain == core::Domain::signal;
      is_in_space_[set.first_port(i) + k] = map.shape.domain == core::Domain::mechanical3d;
    }
    if (map.shape.causality != core::Causality::output) continue;
    for (std::size_t k = 0; k < map.values.size(); ++k) {
      const Variable& variable = spec_.description->variables[map.values[k].variable];
      is_discrete_[set.first_port(i) + k] = !is_float(variable.type) || variable.variability != Variability::continuous;
    }
  }
  reads_through_ = exchange_.input_count() > 0 && has_open_signals(spec_);
  for (const Scalar& scalar : spec_.recorded) {
    const Variable& variable = spec_.description->variables[scalar.variable];
    is_recorded_straight_.push_back(is_float(variable.type) && variable.variability == Variability::continuous);
  }
}

CsComponent::~CsComponent() = default;

void CsComponent::start_at_rest() {
  rest_ = std::make_unique<core::ProbedRest>(*this, [this](bool is_mute) { rows_.mute(is_mute); });
}

std::optional<core::LinearFacts> CsComponent::tried_facts(double window) {
  const double step = spec_.step > 0.0 && !own_facts().can_handle_variable_step_size ? spec_.step : window;
  return core::tried_facts(*this, [this](bool is_mute) { rows_.mute(is_mute); }, {t0_, step});
}

Error CsComponent::placed(Error error) const {
  error.component = name();
  if (std::isnan(error.time)) error.time = time_;
  return error;
}

void CsComponent::warn(std::string text) {
  if (std::find(warnings_.begin(), warnings_.end(), text) != warnings_.end()) return;
  if (facts_.on_message) facts_.on_message("warning: " + text);
  warnings_.push_back(std::move(text));
}

double CsComponent::equal_step() const {
  if (own_facts().can_handle_variable_step_size) return 0.0;
  if (spec_.step > 0.0) return spec_.step;
  // Without a step of its own it divides its first window, which may be yet to come.
  return fixed_step_ > 0.0 ? fixed_step_ : std::numeric_limits<double>::infinity();
}

core::Capabilities CsComponent::capabilities() const {
  core::Capabilities result;
  result.snapshot_obstacle = keeper_.obstacle(core::SnapshotUse::trial);
  result.can_snapshot = result.snapshot_obstacle.empty();
  const std::string written = keeper_.obstacle(core::SnapshotUse::resume);
  result.can_save_at_save_points = written.empty();
  if (result.can_snapshot) result.snapshot_obstacle = written;
  if (!own_facts().can_handle_variable_step_size) result.fixed_step = spec_.step;
  return result;
}

std::string CsComponent::obstacle_to(StepScheme scheme) const {
  if (scheme == StepScheme::derivatives) {
    if (spec_.description->version == 3 || !own_facts().can_interpolate_inputs) {
      return "the FMU does not take derivatives of its inputs (canInterpolateInputs of FMI 1.0 and 2.0)";
    }
    if (!exchange_.input_references()) return "some of its inputs are not real numbers";
  }
  if (scheme != StepScheme::intermediate) return {};
  if (!own_facts().provides_intermediate_update) {
    return "the FMU does not call back within a step (providesIntermediateUpdate of FMI 3.0)";
  }
  for (const auto* variables : {&exchange_.motion_variables(), &exchange_.input_variables()}) {
    for (const std::uint32_t index : *variables) {
      const Variable& variable = spec_.description->variables[index];
      if (!variable.intermediate_update)
        return fmt::format("variable '{}' cannot be accessed within a step", variable.name);
    }
  }
  return {};
}

Result<void> CsComponent::choose_scheme() {
  if (spec_.scheme != StepScheme::automatic) {
    scheme_ = spec_.scheme;
    const std::string why = obstacle_to(scheme_);
    if (why.empty()) return {};
    return placed({.code = ErrorCode::bad_input,
                   .message = fmt::format("scheme '{}' is not possible: {}", name_of(scheme_), why)});
  }
  scheme_ = StepScheme::substeps;
  for (const StepScheme better : {StepScheme::intermediate, StepScheme::derivatives}) {
    if (!obstacle_to(better).empty()) continue;
    scheme_ = better;
    break;
  }
  return {};
}

InstanceSettings CsComponent::instance_settings() {
  InstanceSettings settings;
  settings.event_mode = own_facts().has_event_mode;
  settings.early_return = own_facts().has_event_mode || own_facts().might_return_early_from_do_step;
  if (scheme_ != StepScheme::intermediate) return settings;
  for (const auto* variables : {&exchange_.motion_variables(), &exchange_.input_variables()}) {
    for (const std::uint32_t index : *variables) {
      settings.intermediate_variables.push_back(spec_.description->variables[index].reference);
    }
  }
  settings.on_intermediate = [this](Instance&, const IntermediateUpdate& update) { return on_update(update); };
  return settings;
}

Result<void> CsComponent::initialize(double t0) {
  before_step_ = SavedState();
  keeper_.clear();
  if (auto lawful = exchange_.check_laws(); !lawful) return lawful;
  auto made = make_instance(spec_, facts_, instance_settings(), std::move(instance_));
  if (!made) return made.error();
  instance_ = std::move(*made);
  if (auto set = set_starts(*instance_, spec_); !set) return set;
  const Experiment experiment{
      .start = t0, .stop = facts_.stop > t0 ? std::optional(facts_.stop) : std::nullopt, .tolerance = spec_.tolerance};
  if (auto entered = instance_->enter_initialization(experiment); !entered) return entered;
  exchange_.set_feedthrough(exchange_.declared_feedthrough().value_or(false));
  if (auto settled = exchange_.settle(*instance_, t0, wave::Side::right); !settled) return settled;
  if (own_facts().has_event_mode) {
    if (auto learnt = clocks_.learn(*instance_); !learnt) return learnt;
  }
  if (auto left = instance_->exit_initialization(); !left) return left;
  if (own_facts().has_event_mode && instance_->phase() == Phase::event) {
    clocks_.start(t0);
    if (auto ticked = clocks_.tick(*instance_, t0); !ticked) return ticked;
    if (auto events = pass_events(t0); !events) return events;
  }
  if (auto read = exchange_.read_motion(*instance_); !read) return read;
  return exchange_.read_signals(*instance_);
}

Result<void> CsComponent::start(double t0) {
  t0_ = time_ = published_to_ = from_time_ = space_published_to_ = t0;
  ending_.reset();
  has_end_event_ = false;
  if (auto chosen = choose_scheme(); !chosen) return chosen;
  if (auto initialized = initialize(t0); !initialized) return placed(initialized.error());
  core::InterfaceSet& set = exchange_.set();
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (set.shape(i).causality == core::Causality::takes_motion) {
      set.settle_motion(i, t0, wave::Side::right, exchange_.states()[i]);
    }
  }
  axes_ = std::make_unique<StepAxes>(exchange_, *spec_.description, shape_of(scheme_));
  axes_->start(t0);
  const bool needs_mass = scheme_ == StepScheme::substeps || scheme_ == StepScheme::derivatives;
  if (needs_mass && spec_.effective_mass) axes_->state_mass(*spec_.effective_mass);
  is_mass_wanted_ = needs_mass && !spec_.effective_mass && axes_->rows() > 0;
  breaks_settled_to_ = t0;
  stretch_ = {};
  fixed_steps_ = 0;
  fixed_step_ = 0.0;
  statistics_ = {};
  warnings_.clear();
  longest_step_ = largest_ratio_ = 0.0;
  from_.assign(exchange_.states().begin(), exchange_.states().end());
  between_ = at_row_ = from_;
  if (!spec_.recorded.empty()) {
    if (auto read = recorded_.read(*instance_, recorded_now_); !read) return placed(read.error());
    recorded_before_ = recorded_now_;
  }
  exchange_.observe(t0, wave::Side::right, outputs_);
  for (std::size_t p = 0; p < outputs_.size(); ++p) signal_before_[p] = outputs_[p].flow;
  rows_.start(t0);
  publish(t0, wave::Side::right, true);
  if (has_end_event_) take_ending();
  return {};
}

void CsComponent::plan_recording(core::RecordPlan plan) {
  rows_.plan(std::move(plan), exchange_.set().columns().size() + spec_.recorded.size());
}

void CsComponent::current_values(std::span<double> values) {
  if (ending_ && last_values_.size() == values.size()) {
    std::copy(last_values_.begin(), last_values_.end(), values.begin());
    return;
  }
  const wave::Side side = time_ == t0_ ? wave::Side::right : wave::Side::left;
  const std::size_t own = exchange_.set().columns().size();
  exchange_.observe(time_, side, outputs_);
  exchange_.show_resting_inputs(outputs_);
  exchange_.set().fill_columns(exchange_.states(), outputs_, time_, side, values.first(own));
  if (instance_ != nullptr && !spec_.recorded.empty()) (void)recorded_.read(*instance_, values.subspan(own));
}

Result<void> CsComponent::save(core::ArchiveWriter& archive) const {
  if (instance_ == nullptr) return placed({.code = ErrorCode::unsupported, .message = "it has not been started"});
  archive.tag(name());
  archive.put(t0_), archive.put(time_), archive.put(breaks_settled_to_), archive.put(stretch_);
  archive.put(fixed_steps_), archive.put(fixed_step_), archive.put(is_mass_wanted_);
  axes_->save(archive);
  exchange_.save(archive);
  for (const core::InterfaceState& state : exchange_.states()) {
    visit_state(state, [&](const double& number) { archive.put(number); });
  }
  archive.put_span<double>(signal_before_);
  for (const core::Port& port : exchange_.set().ports()) save_track(archive, port.incoming);
  clocks_.save(archive);
  archive.put(announced_event_);
  archive.put(ending_ ? ending_->time : wave::Track::kNever);
  archive.put_span<double>(last_values_);
  auto saved = keeper_.save(*instance_, archive);
  return saved ? Result<void>{} : Result<void>{placed(saved.error())};
}

Result<void> CsComponent::restore(core::ArchiveReader& archive) {
  if (instance_ == nullptr) {
    if (auto started = start(t0_); !started) return started;
  }
  archive.expect_tag(name());
  archive.get(t0_), archive.get(time_), archive.get(breaks_settled_to_), archive.get(stretch_);
  archive.get(fixed_steps_), archive.get(fixed_step_), archive.get(is_mass_wanted_);
  axes_->restore(archive);
  exchange_.restore(archive);
  const auto visit = [&] {
    std::vector<core::InterfaceState> kept(exchange_.states().begin(), exchange_.states().end());
    for (core::InterfaceState& state : kept) {
      visit_state(state, [&](double& number) { archive.get(number); });
    }
    return kept;
  };
  const std::vector<core::InterfaceState> kept = visit();
  archive.get_span<double>(signal_before_);
  for (core::Port& port : exchange_.set().ports()) {
    restore_track(archive, port.incoming);
    port.outbox.clear();
  }
  clocks_.restore(archive);
  archive.get(announced_event_);
  const double ended = archive.get<double>();
  last_values_ = archive.get_vector<double>();
  ending_.reset();
  has_end_event_ = false;
  if (auto restored = keeper_.restore(*instance_, archive); !restored) return placed(restored.error());
  std::copy(kept.begin(), kept.end(), exchange_.states().begin());
  for (std::size_t i = 0; exchange_.has_led() && i < kept.size(); ++i) {
    if (exchange_.set().spatial(i) == nullptr || !exchange_.set().spatial(i)->takes_motion()) continue;
    exchange_.set().settle_motion(i, time_, time_ > t0_ ? wave::Side::left : wave::Side::right, exchange_.states()[i]);
  }
  if (auto read = exchange_.read_motion(*instance_); !read) return placed(read.error());
  if (auto read = exchange_.read_signals(*instance_); !read) return placed(read.error());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (exchange_.set().shape(i).causality == core::Causality::takes_motion) exchange_.states()[i].flow = kept[i].flow;
  }
  published_to_ = from_time_ = space_published_to_ = time_;
  from_.assign(exchange_.states().begin(), exchange_.states().end());
  if (!spec_.recorded.empty()) {
    if (auto read = recorded_.read(*instance_, recorded_now_); !read) return placed(read.error());
  }
  rows_.resume(t0_, time_);
  if (ended < wave::Track::kNever) ending_ = core::Ending{ended, name(), kAsksToEnd};
  return {};
}

core::Statistics CsComponent::statistics() const {
  core::Statistics result = statistics_;
  result.solver = fmt::format("fmu, {}", name_of(scheme_));
  return result;
}

CouplingReport CsComponent::coupling_report() const {
  CouplingReport report{.scheme = scheme_, .longest_step = longest_step_, .largest_ratio = largest_ratio_};
  report.warnings = warnings_;
  if (axes_ == nullptr) return report;
  const std::span<const core::Port> ports = exchange_.set().ports();
  for (std::size_t p = 0; p < ports.size(); ++p) {
    if (ports[p].domain == core::Domain::signal || !ports[p].is_connected) continue;
    const AxisEnergyAccount& account = axes_->account(p);
    PortCoupling port{.port = ports[p].name,
                      .largest_defect = account.largest_defect,
                      .largest_effort = account.largest_effort,
                      .injected_energy = account.injected};
    for (Eigen::Index row = 0; row < axes_->rows(); ++row) {
      if (axes_->port_of(row) != p) continue;
      port.effective_mass = axes_->mobility().mass(row);
      port.mass_source = axes_->mobility().source();
      port.mass_uncertainty = axes_->mobility().uncertainty(row);
    }
    report.ports.push_back(std::move(port));
  }
  return report;
}

std::vector<core::Fact> CsComponent::facts() const {
  const CouplingReport report = coupling_report();
  std::vector<core::Fact> facts;
  for (const std::string& warning : report.warnings) facts.push_back({.text = warning, .is_warning = true});
  if (report.ports.empty()) return facts;
  facts.push_back({.name = "scheme", .text = name_of(report.scheme)});
  facts.push_back({.name = "longest step [s]", .value = report.longest_step});
  if (report.largest_ratio > 0.0) facts.push_back({.name = "largest Z h / 2 m", .value = report.largest_ratio});
  for (const PortCoupling& port : report.ports) {
    const auto add = [&](const char* what, double value) {
      facts.push_back({.name = fmt::format("{}: {}", port.port, what), .value = value});
    };
    if (port.effective_mass) {
      add("effective mass", *port.effective_mass);
      facts.push_back({.name = fmt::format("{}: effective mass is", port.port), .text = name_of(port.mass_source)});
      if (port.mass_source == MassSource::learnt) add("uncertainty of the mass", port.mass_uncertainty);
    }
    add("largest force defect", port.largest_defect);
    add("injected energy [J]", port.injected_energy);
  }
  return facts;
}

}  // namespace tieline::fmi
