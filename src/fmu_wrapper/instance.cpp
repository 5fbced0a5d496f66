#include "fmu_wrapper/instance.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "components/ode_component.hpp"
#include "core/archive.hpp"

namespace tieline::fmu_wrapper {
namespace {

using fmu_export::ExportedVariable;
using fmu_export::Quantity;
using fmu_export::Role;

/// Hosts count their communication points up: times that differ by less than this share of a step are one.
constexpr double kSameTime = 1e-9;
/// Points within a step that a host is shown are so far apart at least, as a share of the step.
constexpr double kShownShare = 1.0 / 8.0;
/// How closely an event is found within a step that returns there, as a share of the step.
constexpr double kEventShare = 1e-6;
/// How much longer than the model's own run one may be whose stop time the host does not state.
constexpr double kLongRun = 1000.0;

std::string_view name_of(Role role) {
  switch (role) {
    case Role::time:
      return "the time";
    case Role::parameter:
      return "a parameter";
    case Role::input:
    case Role::wave:
      return "an input";
    case Role::impedance:
      return "the impedance of a line";
    case Role::output:
    case Role::leaving:
      return "an output";
    case Role::state:
      return "a state";
    case Role::derivative:
      return "a derivative";
    case Role::indicator:
      return "an event indicator";
  }
  return "";
}

}  // namespace

Instance::Instance(std::string name, fmu_export::Manifest manifest, std::filesystem::path resources, Log log)
    : name_(std::move(name)), manifest_(std::move(manifest)), resources_(std::move(resources)), log_(std::move(log)) {
  for (const ExportedVariable& variable : manifest_.variables) {
    places_[variable.reference] = slots_.size();
    slots_.push_back({.variable = &variable, .first = values_.size()});
    const std::size_t count = std::max<std::size_t>(1, variable.targets.size());
    for (std::size_t k = 0; k < count; ++k) values_.push_back(k < variable.start.size() ? variable.start[k] : 0.0);
  }
  rates_.resize(values_.size());
  is_set_.resize(values_.size());
  is_changed_.resize(values_.size());
  make_line_ends();
  set_up(manifest_.start, std::nullopt);
}

Instance::~Instance() = default;

void Instance::make_line_ends() {
  for (Slot& slot : slots_) {
    if (slot.variable->axis >= 0 && slot.variable->role != Role::impedance) {
      for (const std::string& target : slot.variable->targets) slot.inner.push_back(std::make_unique<LineEnd>(target));
      has_space_ = has_space_ || slot.variable->role == Role::wave;
      continue;
    }
    // Where a host is asked for waves, it is asked for all that changes continuously.
    if (slot.variable->role != Role::input || slot.variable->is_discrete || !manifest_.has_waves()) continue;
    for (const std::string& target : slot.variable->targets) slot.inner.push_back(std::make_unique<LineEnd>(target));
  }
  for (Slot& slot : slots_) {
    if (slot.variable->role != Role::wave || slot.variable->axis >= 0) continue;
    ends_.push_back(std::make_unique<LineEnd>(slot.variable->end));
    slot.end = ends_.back().get();
  }
  for (Slot& slot : slots_) {
    for (const auto& end : ends_) {
      if (slot.variable->axis < 0 && !slot.variable->end.empty() && end->name() == slot.variable->end)
        slot.end = end.get();
    }
  }
}

const Instance::Slot& Instance::slot_of(std::uint32_t reference) const {
  const auto found = places_.find(reference);
  if (found == places_.end()) throw CallError(fmt::format("there is no variable with the reference {}", reference));
  return slots_[found->second];
}

std::size_t Instance::count_of(std::uint32_t reference) const {
  return std::max<std::size_t>(1, slot_of(reference).variable->targets.size());
}

// ---- phases

void Instance::set_up(double start, std::optional<double> stop) {
  if (phase_ != Phase::created && phase_ != Phase::initializing)
    throw CallError("the start time can only be set before the initialization");
  if (!std::isfinite(start) || (stop && !(*stop > start)))
    throw CallError(fmt::format("the start time {} s and the stop time {} s are not valid", start, stop.value_or(0.0)));
  start_ = time_ = start;
  stop_ = stop.value_or(start + kLongRun * (manifest_.stop - manifest_.start));
}

void Instance::begin_initialization() {
  if (phase_ != Phase::created) throw CallError("the initialization has begun before");
  phase_ = Phase::initializing;
}

void Instance::initialize() {
  if (phase_ != Phase::initializing) throw CallError("there is no initialization to end");
  if (!run_ || has_changes_) build();
  phase_ = Phase::running;
}

void Instance::terminate() {
  if (phase_ == Phase::running) phase_ = Phase::terminated;
}

void Instance::reset() {
  exchange_.reset();
  run_.reset();
  for (const Slot& slot : slots_) {
    const auto& start = slot.variable->start;
    for (std::size_t k = 0; k < std::max<std::size_t>(1, slot.variable->targets.size()); ++k)
      values_[slot.first + k] = k < start.size() ? start[k] : 0.0;
  }
  std::fill(rates_.begin(), rates_.end(), 0.0);
  std::fill(is_set_.begin(), is_set_.end(), false);
  std::fill(is_changed_.begin(), is_changed_.end(), false);
  has_changes_ = has_ended_ = has_outputs_ = false;
  phase_ = Phase::created;
  set_up(manifest_.start, std::nullopt);
}

void Instance::build() {
  exchange_.reset();
  run_.reset();
  auto run = std::make_unique<simulation::Run>(resources_ / manifest_.model);
  std::vector<Setting> settings;
  for (const auto& [parameter, value] : manifest_.settings) settings.push_back({parameter, value});
  for (const Slot& slot : slots_) {
    if (slot.variable->role != Role::parameter || !is_set_[slot.first]) continue;
    settings.push_back({slot.variable->targets.front(), fmt::format("{:.17g}", values_[slot.first])});
  }
  run->compute_here();
  run->set(settings);
  run->set_start(start_);
  run->set_stop(stop_);
  run->use_processes({.on_note = [this](const std::string& line) { log_(Severity::info, line); }});
  for (const Slot& slot : slots_) {
    const ExportedVariable& variable = *slot.variable;
    if (variable.axis >= 0) continue;
    if (variable.role == Role::impedance) run->open_line(variable.end, values_[slot.first], *slot.end);
    if (variable.role == Role::wave) slot.end->begin(start_, values_[slot.first], 0.0, nullptr);
    if (variable.role != Role::input) continue;
    for (std::size_t k = 0; k < variable.targets.size(); ++k) {
      if (is_asked(slot)) {
        slot.inner[k]->begin(start_, values_[slot.first + k], 0.0, nullptr);
        run->open_track(variable.targets[k], *slot.inner[k]);
        continue;
      }
      run->open_input(variable.targets[k]);
      run->set_input(variable.targets[k], values_[slot.first + k]);
    }
  }
  open_spaces(*run);
  run->start({.threads = 1});
  output_places_.clear();
  output_numbers_.clear();
  for (const Slot& slot : slots_) {
    if (slot.variable->role != Role::output) continue;
    for (std::size_t k = 0; k < slot.variable->targets.size(); ++k) {
      output_places_.push_back(run->place_of(slot.variable->targets[k]));
      output_numbers_.push_back(slot.first + k);
    }
  }
  output_values_.resize(output_places_.size());
  for (const simulation::Warning& warning : run->warnings()) log_(Severity::warning, warning.line);
  run_ = std::move(run);
  if (manifest_.is_exchange) find_ports();
  std::fill(is_changed_.begin(), is_changed_.end(), false);
  has_changes_ = has_outputs_ = false;
  find_leaving_waves(start_, start_);
}

void Instance::find_leaving_waves(double from, double to) {
  for (const Slot& slot : slots_) {
    if (slot.variable->role != Role::leaving || slot.end == nullptr) continue;
    double wave = 0.0, impedance = 0.0;
    for (const Slot& other : slots_) {
      if (other.end != slot.end) continue;
      if (other.variable->role == Role::wave) wave = values_[other.first] + 0.5 * rates_[other.first] * (to - from);
      if (other.variable->role == Role::impedance) impedance = values_[other.first];
    }
    const double flow =
        to > from ? (slot.end->at(to).position - slot.end->at(from).position) / (to - from) : slot.end->at(from).flow;
    values_[slot.first] = 2.0 * impedance * flow - wave;
  }
}

void Instance::open_spaces(simulation::Run& run) {
  std::map<std::string, assembly::OuterSpace> spaces;
  std::map<std::string, LineEnd*> leaders;
  for (const Slot& slot : slots_) {
    const ExportedVariable& variable = *slot.variable;
    if (variable.axis < 0) continue;
    assembly::OuterSpace& space = spaces[variable.end];
    space.name = variable.end;
    const auto first = static_cast<std::size_t>(variable.axis);
    for (std::size_t k = 0; k < variable.targets.size(); ++k) {
      const double value = values_[slot.first + k];
      if (variable.role == Role::impedance) {
        if (first + k == 0) space.impedance = value;
        if (first + k == 1) space.turning_impedance = value;
        continue;
      }
      slot.inner[k]->begin(start_, value, 0.0, nullptr);
      space.ends[first + k] = slot.inner[k].get();
      LineEnd*& leader = leaders[variable.end];
      if (leader == nullptr) {
        leader = slot.inner[k].get();
      } else {
        // One of them may be nothing but the rounding of the others.
        slot.inner[k]->share_size_of(*leader);
      }
    }
  }
  for (const auto& [name, space] : spaces) run.open_space(space);
}

// ---- values

void Instance::set_one(const Slot& slot, std::size_t number, double value) {
  const ExportedVariable& variable = *slot.variable;
  const bool has_begun = phase_ == Phase::running || phase_ == Phase::terminated;
  const bool is_settable = variable.role == Role::parameter || variable.role == Role::impedance ||
                           variable.role == Role::input || variable.role == Role::wave;
  if (!is_settable)
    throw CallError(fmt::format("'{}' is {}, which cannot be set", variable.name, name_of(variable.role)));
  if (!std::isfinite(value)) throw CallError(fmt::format("'{}' cannot be {}", variable.name, value));
  if (variable.role == Role::impedance && value < 0.0)
    throw CallError(fmt::format("'{}' cannot be {}; expected 0 or more", variable.name, value));
  const std::size_t place = slot.first + number;
  const bool is_same = values_[place] == value;
  if ((variable.role == Role::parameter || variable.role == Role::impedance) && has_begun) {
    if (is_same) return;
    throw CallError(
        fmt::format("'{}' is {}, which cannot be set after the initialization", variable.name, name_of(variable.role)));
  }
  if (is_same && rates_[place] == 0.0 && (is_set_[place] || variable.role != Role::parameter)) return;
  values_[place] = value;
  rates_[place] = 0.0;
  is_set_[place] = true;
  is_changed_[place] = true;
  has_changes_ = true;
  // The equations follow at once; after a step, outputs are those of the step.
  if (exchange_) has_outputs_ = false;
}

void Instance::set(std::span<const std::uint32_t> references, std::span<const double> values) {
  std::size_t next = 0;
  for (const std::uint32_t reference : references) {
    const Slot& slot = slot_of(reference);
    const std::size_t count = count_of(reference);
    if (next + count > values.size())
      throw CallError(fmt::format("{} values are too few: '{}' has {}", values.size(), slot.variable->name, count));
    for (std::size_t k = 0; k < count; ++k) set_one(slot, k, values[next + k]);
    next += count;
  }
  if (next != values.size()) throw CallError(fmt::format("{} values are too many; expected {}", values.size(), next));
}

void Instance::set_rates(std::span<const std::uint32_t> references, std::span<const std::int32_t> orders,
                         std::span<const double> rates) {
  for (std::size_t i = 0; i < references.size(); ++i) {
    const Slot& slot = slot_of(references[i]);
    const Role role = slot.variable->role;
    if (role == Role::impedance && orders[i] == 1 && rates[i] == 0.0) continue;
    if (role != Role::input && role != Role::wave)
      throw CallError(fmt::format("'{}' is {}; only inputs have derivatives", slot.variable->name, name_of(role)));
    if (orders[i] != 1)
      throw CallError(fmt::format("the derivative of order {} of '{}' is not used; expected order 1", orders[i],
                                  slot.variable->name));
    if (!std::isfinite(rates[i]))
      throw CallError(fmt::format("the derivative of '{}' cannot be {}", slot.variable->name, rates[i]));
    if (rates[i] == rates_[slot.first]) continue;
    rates_[slot.first] = rates[i];
    is_changed_[slot.first] = true;
    has_changes_ = true;
  }
}

void Instance::read_outputs() {
  if (has_outputs_) return;
  if (phase_ == Phase::created) throw CallError("outputs are known from the initialization on");
  if (phase_ == Phase::initializing && (!run_ || has_changes_)) build();
  if (!run_) throw CallError("there are no outputs");
  if (exchange_) return read_equations();
  run_->read(output_places_, output_values_);
  for (std::size_t i = 0; i < output_numbers_.size(); ++i) values_[output_numbers_[i]] = output_values_[i];
  has_outputs_ = true;
}

void Instance::get(std::span<const std::uint32_t> references, std::span<double> values) {
  std::size_t next = 0;
  for (const std::uint32_t reference : references) {
    const Slot& slot = slot_of(reference);
    const std::size_t count = count_of(reference);
    if (next + count > values.size())
      throw CallError(
          fmt::format("room for {} values is too little: '{}' has {}", values.size(), slot.variable->name, count));
    if (slot.variable->role == Role::time) values_[slot.first] = time_;
    const Role role = slot.variable->role;
    const bool is_result =
        role == Role::output || role == Role::leaving || role == Role::state || role == Role::derivative;
    if (is_result || role == Role::indicator) read_outputs();
    for (std::size_t k = 0; k < count; ++k) values[next + k] = values_[slot.first + k];
    next += count;
  }
  if (next != values.size())
    throw CallError(fmt::format("room for {} values is too much; expected {}", values.size(), next));
}

// ---- steps

void Instance::give_inputs() {
  if (!has_changes_) return;
  if (exchange_) {
    for (std::size_t place = 0; place < ports_.size(); ++place) {
      if (is_changed_[place] && ports_[place] != nullptr) exchange_->set_input(*ports_[place], values_[place]);
    }
    std::fill(is_changed_.begin(), is_changed_.end(), false);
    has_changes_ = has_outputs_ = false;
    return;
  }
  for (const Slot& slot : slots_) {
    if (slot.variable->role != Role::input || is_asked(slot)) continue;
    for (std::size_t k = 0; k < slot.variable->targets.size(); ++k) {
      const std::size_t place = slot.first + k;
      if (is_changed_[place]) run_->set_input(slot.variable->targets[k], values_[place], rates_[place]);
      is_changed_[place] = false;
    }
  }
  has_changes_ = false;
}

bool Instance::is_asked(const Slot& slot) const { return !slot.inner.empty() && (hook_ || slot.variable->axis >= 0); }

/// Several ends ask for the same times: what the host has answered is kept for some of them.
double Instance::asked_value(std::size_t place, double t) {
  const auto found =
      std::find_if(answers_.begin(), answers_.end(), [&](const Answer& answer) { return answer.t == t; });
  if (found != answers_.end()) return found->values[place];
  hook_({.time = t, .takes_inputs = true});
  constexpr std::size_t kMostAnswers = 64;
  if (answer_count_ < answers_.size()) {
    Answer& answer = answers_[answer_count_++];
    answer.t = t;
    answer.values = values_;
  } else if (answers_.size() < kMostAnswers) {
    answers_.push_back({t, values_});
    answer_count_ = answers_.size();
  }
  return values_[place];
}

void Instance::begin_track(LineEnd& end, std::size_t place, double t) {
  LineEnd::Ask ask;
  if (hook_) {
    ask = [this, place](double time) { return asked_value(place, time); };
  }
  end.begin(t, values_[place], rates_[place], std::move(ask));
}

bool Instance::step(double from, double length) {
  if (phase_ != Phase::running) throw CallError("steps need an initialized instance");
  if (exchange_) throw CallError("this FMU is for model exchange: the host takes the steps");
  if (has_ended_) return false;
  if (!(length > 0.0) || !std::isfinite(length))
    throw CallError(fmt::format("a step of {} s is not valid; expected more than 0 s", length));
  if (!(std::abs(from - time_) <= kSameTime * std::max(length, std::abs(from))))
    throw CallError(fmt::format("a step from t = {:.12g} s cannot follow: the instance is at {:.12g} s", from, time_));
  const double target = run_->snapped(from + length, kSameTime * length);
  give_inputs();
  const double begin = run_->time();
  for (Answer& answer : answers_) answer.t = std::numeric_limits<double>::quiet_NaN();
  answer_count_ = 0;
  for (const Slot& slot : slots_) {
    if (slot.variable->role == Role::wave && slot.end != nullptr) begin_track(*slot.end, slot.first, begin);
    if (!is_asked(slot)) continue;
    for (std::size_t k = 0; k < slot.inner.size(); ++k) begin_track(*slot.inner[k], slot.first + k, begin);
  }
  has_outputs_ = false;
  try {
    run_->advance_to(target, {.threads = 1});
  } catch (...) {
    phase_ = Phase::failed;
    throw;
  }
  if (const auto ending = run_->ending()) {
    has_ended_ = true;
    time_ = ending->time;
    log_(Severity::info, fmt::format("'{}' {} at t = {:.12g} s", ending->component, ending->reason, ending->time));
    return false;
  }
  // Where a body in space is between the steps' ends is not known.
  if (hook_ && !has_space_) show_inner_points(begin, target);
  find_leaving_waves(begin, target);
  time_ = from + length;
  // A straight line continues until the host says otherwise.
  for (const Slot& slot : slots_) {
    for (std::size_t k = 0; k < std::max<std::size_t>(1, slot.variable->targets.size()); ++k)
      values_[slot.first + k] += rates_[slot.first + k] * length;
  }
  return true;
}

std::uint64_t Instance::event_count() const {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < run_->checked().model.components.size(); ++i)
    count += run_->component(i).statistics().events;
  return count;
}

bool Instance::can_have_events() const {
  for (std::size_t i = 0; i < run_->checked().model.components.size(); ++i) {
    auto* const own = dynamic_cast<components::OdeComponent*>(&run_->component(i));
    if (own != nullptr && own->model().guard_count() > 0) return true;
  }
  return false;
}

bool Instance::step_to_event(double from, double length, bool& has_event) {
  has_event = false;
  // A host that has been shown points within a step cannot be taken back before them.
  if (!run_ || hook_ || !manifest_.can_save || !can_have_events()) return step(from, length);
  const auto before = save();
  std::uint64_t count = event_count();
  if (!step(from, length)) return false;
  if (event_count() == count) return true;
  // Counters are no part of the state.
  double low = from, high = from + length;
  while (high - low > kEventShare * length) {
    const double middle = 0.5 * (low + high);
    restore(*before);
    count = event_count();
    if (!step(from, middle - from)) return false;
    (event_count() > count ? high : low) = middle;
  }
  has_event = true;
  log_(Severity::event, fmt::format("an event at t = {:.12g} s", high));
  if (time_ == high) return true;
  restore(*before);
  return step(from, high - from);
}

void Instance::show_inner_points(double from, double to) {
  std::vector<double> times;
  for (const auto& end : ends_) end->add_needed(from, to, kShownShare * (to - from), times);
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  for (const double t : times) {
    for (const Slot& slot : slots_) {
      if (slot.end == nullptr || slot.variable->quantity == Quantity::none) continue;
      const wave::Sample sample = slot.end->at(t);
      const Quantity quantity = slot.variable->quantity;
      values_[slot.first] = quantity == Quantity::position ? sample.position
                            : quantity == Quantity::flow   ? sample.flow
                                                           : sample.effort;
    }
    has_outputs_ = true;
    hook_({.time = t, .is_finished = true});
  }
  has_outputs_ = false;
}

// ---- state

std::unique_ptr<State> Instance::save() const {
  if (phase_ == Phase::failed) throw CallError("an instance that has failed has no state to be saved");
  auto state = std::make_unique<State>();
  *state = {.phase = phase_,
            .values = values_,
            .rates = rates_,
            .is_set = is_set_,
            .is_changed = is_changed_,
            .start = start_,
            .stop = stop_,
            .time = time_,
            .has_ended = has_ended_};
  for (const auto& end : ends_) state->ends.push_back(end->memory());
  if (exchange_) {
    core::ArchiveWriter archive;
    exchange_->save(archive);
    state->run = std::move(archive).take();
  } else if (run_ && !has_ended_) {
    state->run = run_->save();
  }
  return state;
}

void Instance::restore(const State& state) {
  if (state.values.size() != values_.size() || state.ends.size() != ends_.size())
    throw CallError("the state belongs to another FMU");
  const bool is_same_model =
      start_ == state.start && stop_ == state.stop && std::all_of(slots_.begin(), slots_.end(), [&](const Slot& slot) {
        const bool is_fixed = slot.variable->role == Role::parameter || slot.variable->role == Role::impedance;
        if (!is_fixed) return true;
        for (std::size_t k = slot.first; k < slot.first + count_of(slot.variable->reference); ++k) {
          if (values_[k] != state.values[k] || is_set_[k] != state.is_set[k]) return false;
        }
        return true;
      });
  values_ = state.values;
  rates_ = state.rates;
  is_set_ = state.is_set;
  start_ = state.start;
  stop_ = state.stop;
  if (state.run.empty() && !state.has_ended) {
    exchange_.reset();
    run_.reset();
  } else {
    if (!run_ || !is_same_model || phase_ == Phase::failed) build();
    if (!state.run.empty() && !exchange_) run_->restore(state.run);
  }
  for (std::size_t k = 0; k < ends_.size(); ++k) ends_[k]->recall(state.ends[k]);
  for (const Slot& slot : slots_) {
    for (const auto& end : slot.inner) end->recall({});
  }
  phase_ = state.phase;
  time_ = state.time;
  has_ended_ = state.has_ended;
  has_outputs_ = false;
  is_changed_ = state.is_changed;
  if (exchange_) {
    std::fill(is_changed_.begin(), is_changed_.end(), true);
    has_changes_ = true;
    give_inputs();
    core::ArchiveReader archive(state.run);
    exchange_->restore(archive);
    is_changed_ = state.is_changed;
  }
  has_changes_ = std::find(is_changed_.begin(), is_changed_.end(), true) != is_changed_.end();
}

std::string Instance::serialize(const State& state) {
  core::ArchiveWriter archive;
  archive.tag("tieline fmu state");
  archive.put(state.phase);
  archive.put_span<double>(state.values);
  archive.put_span<double>(state.rates);
  for (const auto* flags : {&state.is_set, &state.is_changed}) {
    const std::vector<char> bytes(flags->begin(), flags->end());
    archive.put_span<char>(bytes);
  }
  archive.put(state.start), archive.put(state.stop), archive.put(state.time), archive.put(state.has_ended);
  archive.put_span<LineEnd::Memory>(state.ends);
  archive.put_text(state.run);
  return std::move(archive).take();
}

std::unique_ptr<State> Instance::deserialize(std::string_view bytes) const {
  core::ArchiveReader archive(bytes);
  archive.expect_tag("tieline fmu state");
  auto state = std::make_unique<State>();
  archive.get(state->phase);
  state->values = archive.get_vector<double>();
  state->rates = archive.get_vector<double>();
  for (auto* const flags : {&state->is_set, &state->is_changed}) {
    const std::vector<char> read = archive.get_vector<char>();
    flags->assign(read.begin(), read.end());
  }
  archive.get(state->start), archive.get(state->stop), archive.get(state->time), archive.get(state->has_ended);
  state->ends = archive.get_vector<LineEnd::Memory>();
  state->run = archive.get_text();
  if (state->values.size() != values_.size() || state->rates.size() != values_.size() ||
      state->is_set.size() != values_.size() || state->is_changed.size() != values_.size()) {
    throw CallError("the state belongs to another FMU");
  }
  return state;
}

}  // namespace tieline::fmu_wrapper
