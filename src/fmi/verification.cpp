#include "fmi/verification.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "fmi/launch.hpp"

namespace tieline::fmi {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

// Values of two instances that differ by no more than this share, or this much, count as the same.
constexpr double kSameValue = 1e-12;
// Steps of a run for which no step is suggested; one of ours, with model exchange, is far shorter than any of those.
constexpr double kVerifySteps = 1000.0, kVerifyShortSteps = 1e6;

std::vector<Scalar> compared_scalars(const FmuSpec& spec) {
  std::vector<Scalar> scalars;
  for (const InterfaceMap& map : spec.interfaces) {
    if (map.shape.causality == core::Causality::output) {
      scalars.insert(scalars.end(), map.values.begin(), map.values.end());
    }
  }
  scalars.insert(scalars.end(), spec.recorded.begin(), spec.recorded.end());
  return scalars;
}

std::string name_in(const Description& description, const Scalar& scalar) {
  const Variable& variable = description.variables[scalar.variable];
  return variable.dimensions.empty() ? variable.name : fmt::format("{}[{}]", variable.name, scalar.element + 1);
}

Error verdict(std::string message) { return {.code = ErrorCode::step_failed, .message = std::move(message)}; }

}  // namespace

const char* name_of(CheckResult result) {
  switch (result) {
    case CheckResult::passed:
      return "pass";
    case CheckResult::warned:
      return "warn";
    case CheckResult::failed:
      return "fail";
    case CheckResult::skipped:
      return "skip";
  }
  return "fail";
}

Verification::Verification(FmuSpec spec, std::function<void(const std::string&)> on_begin,
                           std::function<void(const CheckRow&)> on_row)
    : spec_(std::move(spec)),
      on_begin_(std::move(on_begin)),
      on_row_(std::move(on_row)),
      scalars_(compared_scalars(spec_)),
      reader_(*spec_.description, scalars_),
      start_(spec_.description->experiment.start_time.value_or(0.0)) {}

const InterfaceFacts& Verification::facts() const {
  if (spec_.is_model_exchange) return *spec_.description->model_exchange;
  return *spec_.description->co_simulation;
}

double Verification::step_size() const {
  const DefaultExperiment& experiment = spec_.description->experiment;
  const double span = std::max(experiment.stop_time.value_or(start_ + 1.0) - start_, 0.0);
  const double usual = span > 0.0 ? span : 1.0;
  if (spec_.is_model_exchange) return usual / kVerifyShortSteps;
  const double inner = spec_.description->co_simulation->fixed_internal_step_size.value_or(0.0);
  return experiment.step_size.value_or(inner > 0.0 ? inner : usual / kVerifySteps);
}

bool Verification::try_check(const std::string& name, const std::function<Outcome()>& check) {
  on_begin_(name);
  has_warning_ = false;
  const Outcome outcome = check();
  CheckRow row{name, has_warning_ ? CheckResult::warned : CheckResult::passed, outcome ? *outcome : ""};
  if (!outcome) {
    row.result = CheckResult::failed;
    row.note = outcome.error().message;
    has_failed_ = true;
  }
  on_row_(row);
  return outcome.has_value();
}

void Verification::skip(const std::string& name, const std::string& why) { on_row_({name, CheckResult::skipped, why}); }

bool Verification::run() {
  if (!try_check("instance", [this] { return check_instance(); })) return false;
  if (!try_check("step", [this] { return check_step(); })) return false;
  try_check("second instance", [this] { return check_second_instance(); });
  if (facts().can_get_and_set_state) {
    try_check("save and restore", [this] { return check_saved(); });
  } else {
    skip("save and restore", "not claimed (canGetAndSetFMUState)");
  }
  if (facts().can_get_and_set_state && facts().can_serialize_state) {
    try_check("state as bytes", [this] { return check_serialized(); });
  } else {
    skip("state as bytes", "not claimed (canSerializeFMUState)");
  }
  if (facts().provides_directional_derivatives) {
    try_check("directional derivatives", [this] { return check_derivatives(); });
  } else {
    skip("directional derivatives", "not claimed (providesDirectionalDerivatives)");
  }
  return !has_failed_;
}

// ---- what is done to an instance

Result<std::unique_ptr<Instance>> Verification::instantiate() {
  InstanceSettings settings;
  const auto& own = spec_.description->co_simulation;
  settings.event_mode = !spec_.is_model_exchange && spec_.description->version == 3 && own->has_event_mode;
  settings.early_return = settings.event_mode && own->might_return_early_from_do_step;
  auto made = make_instance(spec_, {.name = "verify"}, std::move(settings));
  if (!made) return made.error();
  if (auto set = set_starts(**made, spec_); !set) return set.error();
  return made;
}

Result<void> Verification::initialize(Instance& instance) {
  const DefaultExperiment& experiment = spec_.description->experiment;
  const std::optional<double> stop =
      experiment.stop_time && *experiment.stop_time > start_ ? experiment.stop_time : std::nullopt;
  auto entered = instance.enter_initialization({.start = start_, .stop = stop, .tolerance = experiment.tolerance});
  if (!entered) return entered;
  return instance.exit_initialization();
}

Result<void> Verification::make_ready(Instance& instance) {
  if (instance.phase() != Phase::event) return {};
  if (auto settled = instance.settle_events(); !settled) return settled.error();
  return spec_.is_model_exchange ? instance.enter_continuous_time() : instance.enter_step();
}

Result<void> Verification::step(Instance& instance) {
  return spec_.is_model_exchange ? step_continuous(instance) : step_own(instance);
}

Result<void> Verification::step_own(Instance& instance) {
  auto stepped = instance.do_step(instance.time(), step_size(), false);
  if (!stepped) return stepped.error();
  if (stepped->discarded) return verdict(fmt::format("a step of {:.6g} s is discarded", step_size()));
  if (!stepped->event_needed || instance.phase() != Phase::step) return {};
  if (auto entered = instance.enter_event(); !entered) return entered;
  return make_ready(instance);
}

/// One step of Euler's method, as short as it may be, and what belongs to a step and to an event.
Result<void> Verification::step_continuous(Instance& instance) {
  auto states = instance.state_count();
  if (!states) return states.error();
  auto indicators = instance.indicator_count();
  if (!indicators) return indicators.error();
  std::vector<double> x(*states), rates(*states), nominals(*states), signs(*indicators);
  if (*states > 0) {
    if (auto got = instance.get_states(x); !got) return got;
    if (auto got = instance.get_nominals(nominals); !got) return got;
    if (auto got = instance.get_derivatives(rates); !got) return got;
  }
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (!std::isfinite(rates[k])) return verdict(fmt::format("the derivative of state {} is {}", k + 1, rates[k]));
    x[k] += step_size() * rates[k];
  }
  if (auto set = instance.set_time(start_ + step_size()); !set) return set;
  if (*states > 0) {
    if (auto set = instance.set_states(x); !set) return set;
    if (auto got = instance.get_derivatives(rates); !got) return got;
  }
  if (*indicators > 0) {
    if (auto got = instance.get_indicators(signs); !got) return got;
  }
  if (auto completed = instance.completed_step(false); !completed) return completed.error();
  if (auto entered = instance.enter_event(); !entered) return entered;
  return make_ready(instance);
}

Result<std::vector<double>> Verification::values_of(Instance& instance) {
  std::vector<double> values(scalars_.size());
  if (auto read = reader_.read(instance, values); !read) return read.error();
  return values;
}

Result<std::vector<double>> Verification::values_after_step() {
  auto made = instantiate();
  if (!made) return made.error();
  if (auto done = initialize(**made); !done) return done.error();
  if (auto done = make_ready(**made); !done) return done.error();
  if (auto done = step(**made); !done) return done.error();
  return values_of(**made);
}

Verification::Outcome Verification::compare(const std::vector<double>& now, const std::string& with) const {
  std::size_t rounded = 0;
  for (std::size_t k = 0; k < now.size(); ++k) {
    const double before = stepped_[k];
    if (now[k] == before || (std::isnan(now[k]) && std::isnan(before))) continue;
    if (!(std::abs(now[k] - before) <= kSameValue * std::max({std::abs(before), std::abs(now[k]), 1.0}))) {
      return verdict(fmt::format("'{}' is {:.17g} {}, and was {:.17g} before", name_in(*spec_.description, scalars_[k]),
                                 now[k], with, before));
    }
    ++rounded;
  }
  if (rounded > 0) return fmt::format("{} values, {} of them but for rounding", now.size(), rounded);
  return fmt::format("{} values, the same bits", now.size());
}

// ---- checks

Verification::Outcome Verification::check_instance() {
  auto made = instantiate();
  if (!made) return made.error();
  if (auto done = initialize(**made); !done) return done.error();
  if (auto done = make_ready(**made); !done) return done.error();
  return fmt::format("loaded, instantiated and initialized at {:.6g} s", start_);
}

Verification::Outcome Verification::check_step() {
  auto values = values_after_step();
  if (!values) return values.error();
  stepped_ = std::move(*values);
  for (std::size_t k = 0; k < stepped_.size(); ++k) {
    if (std::isfinite(stepped_[k])) continue;
    has_warning_ = true;
    return fmt::format("'{}' is {} after it", name_in(*spec_.description, scalars_[k]), stepped_[k]);
  }
  return spec_.is_model_exchange ? fmt::format("derivatives, a step of {:.6g} s, an event", step_size())
                                 : fmt::format("{:.6g} s", step_size());
}

Verification::Outcome Verification::check_second_instance() {
  // Beside one that has stepped, where one process can have both.
  std::unique_ptr<Instance> beside;
  if (!facts().can_be_instantiated_only_once_per_process) {
    auto made = instantiate();
    if (!made) return made.error();
    beside = std::move(*made);
    if (auto done = initialize(*beside); !done) return done.error();
    if (auto done = make_ready(*beside); !done) return done.error();
    if (auto done = step(*beside); !done) return done.error();
  }
  auto values = values_after_step();
  if (!values) return values.error();
  return compare(*values, beside ? "in a second instance beside the first" : "in a second instance");
}

Verification::Outcome Verification::check_saved() {
  auto made = instantiate();
  if (!made) return made.error();
  Instance& instance = **made;
  if (auto done = initialize(instance); !done) return done.error();
  if (auto done = make_ready(instance); !done) return done.error();
  SavedState state;
  if (auto saved = instance.save(state); !saved) return saved.error();
  for (int round = 0; round < 2; ++round) {
    if (auto done = step(instance); !done) return done.error();
    auto values = values_of(instance);
    if (!values) return values.error();
    const Outcome same = compare(*values, round == 0 ? "after saving" : "after going back");
    if (!same || round == 1) return same;
    if (auto restored = instance.restore(state); !restored) return restored.error();
  }
  return std::string();
}

Verification::Outcome Verification::check_serialized() {
  auto made = instantiate();
  if (!made) return made.error();
  Instance& instance = **made;
  if (auto done = initialize(instance); !done) return done.error();
  if (auto done = make_ready(instance); !done) return done.error();
  SavedState state, read;
  if (auto saved = instance.save(state); !saved) return saved.error();
  auto bytes = instance.serialize(state);
  if (!bytes) return bytes.error();
  if (auto done = step(instance); !done) return done.error();
  if (auto done = instance.deserialize(*bytes, read); !done) return done.error();
  if (auto done = instance.restore(read); !done) return done.error();
  if (auto done = step(instance); !done) return done.error();
  auto values = values_of(instance);
  if (!values) return values.error();
  const Outcome same = compare(*values, "after going back by bytes");
  if (!same) return same;
  return fmt::format("{}; {} bytes", *same, bytes->size());
}

}  // namespace tieline::fmi
