// Instance: values, clocks, saved states and sensitivities.

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <limits>

#include "fmi/clock_state.hpp"
#include "fmi/instance.hpp"
#include "fmi/instance_calls.hpp"

namespace tieline::fmi {
namespace {

/// How many values are converted at a time between the types of 2.0 and ours: no memory is allocated for them.
constexpr std::size_t kChunk = 64;

/// Calls function(references, values as int) for a chunk at a time, as long as it answers 0 or 1 (a warning); the last
/// answer that was not 0.
template <class Function>
int in_chunks(References references, Function&& function) {
  std::array<int, kChunk> buffer{};
  int worst = 0;
  for (std::size_t done = 0; done < references.size(); done += kChunk) {
    const std::size_t count = std::min(kChunk, references.size() - done);
    const int status = function(references.subspan(done, count), std::span(buffer).first(count), done);
    if (status != 0) worst = status;
    if (worst > static_cast<int>(Status::warning)) break;
  }
  return worst;
}

}  // namespace

core::Result<void> Instance::get(References references, std::span<std::int32_t> values) {
  constexpr Call kCall{"GetInteger", "GetInt32"};
  if (!may(kReading)) [[unlikely]]
    return refusal(kCall);
  if (two_ == nullptr) return value3(kReading, kCall, three_->fmi3GetInt32, references, values);
  assert(references.size() == values.size());
  return answer(two_->fmi2GetInteger(handle_, references.data(), references.size(), values.data()), kCall);
}

core::Result<void> Instance::set(References references, std::span<const std::int32_t> values) {
  constexpr Call kCall{"SetInteger", "SetInt32"};
  if (!may(kSetting)) [[unlikely]]
    return refusal(kCall);
  if (two_ == nullptr) return value3(kSetting, kCall, three_->fmi3SetInt32, references, values);
  assert(references.size() == values.size());
  return answer(two_->fmi2SetInteger(handle_, references.data(), references.size(), values.data()), kCall);
}

core::Result<void> Instance::get(References references, std::span<std::int64_t> values) {
  constexpr Call kCall{"GetInteger", "GetInt64"};
  if (!may(kReading)) [[unlikely]]
    return refusal(kCall);
  if (two_ == nullptr) return value3(kReading, kCall, three_->fmi3GetInt64, references, values);
  assert(references.size() == values.size());
  return answer(in_chunks(references,
                          [&](References some, std::span<int> buffer, std::size_t at) {
                            const int status = two_->fmi2GetInteger(handle_, some.data(), some.size(), buffer.data());
                            std::copy(buffer.begin(), buffer.end(), values.begin() + static_cast<std::ptrdiff_t>(at));
                            return status;
                          }),
                kCall);
}

core::Result<void> Instance::set(References references, std::span<const std::int64_t> values) {
  constexpr Call kCall{"SetInteger", "SetInt64"};
  if (!may(kSetting)) [[unlikely]]
    return refusal(kCall);
  if (two_ == nullptr) return value3(kSetting, kCall, three_->fmi3SetInt64, references, values);
  assert(references.size() == values.size());
  for (const std::int64_t value : values) {
    if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max()) {
      return error(core::ErrorCode::bad_input,
                   fmt::format("{} is too large for an integer of FMI {}.0", value, version()));
    }
  }
  return answer(in_chunks(references,
                          [&](References some, std::span<int> buffer, std::size_t at) {
                            for (std::size_t i = 0; i < buffer.size(); ++i)
                              buffer[i] = static_cast<int>(values[at + i]);
                            return int{two_->fmi2SetInteger(handle_, some.data(), some.size(), buffer.data())};
                          }),
                kCall);
}

core::Result<void> Instance::get(References references, std::span<bool> values) {
  if (!may(kReading)) [[unlikely]]
    return refusal("GetBoolean");
  if (two_ == nullptr) return value3(kReading, "GetBoolean", three_->fmi3GetBoolean, references, values);
  assert(references.size() == values.size());
  return answer(in_chunks(references,
                          [&](References some, std::span<int> buffer, std::size_t at) {
                            const int status = two_->fmi2GetBoolean(handle_, some.data(), some.size(), buffer.data());
                            for (std::size_t i = 0; i < buffer.size(); ++i) values[at + i] = buffer[i] != fmi2False;
                            return status;
                          }),
                "GetBoolean");
}

core::Result<void> Instance::set(References references, std::span<const bool> values) {
  if (!may(kSetting)) [[unlikely]]
    return refusal("SetBoolean");
  if (two_ == nullptr) return value3(kSetting, "SetBoolean", three_->fmi3SetBoolean, references, values);
  assert(references.size() == values.size());
  return answer(in_chunks(references,
                          [&](References some, std::span<int> buffer, std::size_t at) {
                            for (std::size_t i = 0; i < buffer.size(); ++i) buffer[i] = values[at + i];
                            return int{two_->fmi2SetBoolean(handle_, some.data(), some.size(), buffer.data())};
                          }),
                "SetBoolean");
}

core::Result<void> Instance::get(References references, std::span<const char*> values) {
  if (!may(kReading)) [[unlikely]]
    return refusal("GetString");
  if (two_ == nullptr) return value3(kReading, "GetString", three_->fmi3GetString, references, values);
  assert(references.size() == values.size());
  return answer(two_->fmi2GetString(handle_, references.data(), references.size(), values.data()), "GetString");
}

core::Result<void> Instance::set(References references, std::span<const char* const> values) {
  if (!may(kSetting)) [[unlikely]]
    return refusal("SetString");
  if (two_ == nullptr) return value3(kSetting, "SetString", three_->fmi3SetString, references, values);
  assert(references.size() == values.size());
  return answer(two_->fmi2SetString(handle_, references.data(), references.size(), values.data()), "SetString");
}

#define TIELINE_FMI_VALUES_OF_3(Type, Value)                                               \
  core::Result<void> Instance::get(References references, std::span<Value> values) {       \
    if (two_ != nullptr) return only_in_3("Get" #Type);                                    \
    return value3(kReading, "Get" #Type, three_->fmi3Get##Type, references, values);       \
  }                                                                                        \
  core::Result<void> Instance::set(References references, std::span<const Value> values) { \
    if (two_ != nullptr) return only_in_3("Set" #Type);                                    \
    return value3(kSetting, "Set" #Type, three_->fmi3Set##Type, references, values);       \
  }
TIELINE_FMI_VALUES_OF_3(Float32, float)
TIELINE_FMI_VALUES_OF_3(Int8, std::int8_t)
TIELINE_FMI_VALUES_OF_3(UInt8, std::uint8_t)
TIELINE_FMI_VALUES_OF_3(Int16, std::int16_t)
TIELINE_FMI_VALUES_OF_3(UInt16, std::uint16_t)
TIELINE_FMI_VALUES_OF_3(UInt32, std::uint32_t)
TIELINE_FMI_VALUES_OF_3(UInt64, std::uint64_t)
#undef TIELINE_FMI_VALUES_OF_3

core::Result<void> Instance::get_binary(References references, std::span<std::size_t> sizes,
                                        std::span<const std::uint8_t*> values) {
  if (two_ != nullptr) return only_in_3("GetBinary");
  if (!may(kReading)) return refusal("GetBinary");
  assert(sizes.size() == values.size());
  return answer(
      three_->fmi3GetBinary(handle_, references.data(), references.size(), sizes.data(), values.data(), values.size()),
      "GetBinary");
}

core::Result<void> Instance::set_binary(References references, std::span<const std::size_t> sizes,
                                        std::span<const std::uint8_t* const> values) {
  if (two_ != nullptr) return only_in_3("SetBinary");
  if (!may(kSetting)) return refusal("SetBinary");
  assert(sizes.size() == values.size());
  return answer(
      three_->fmi3SetBinary(handle_, references.data(), references.size(), sizes.data(), values.data(), values.size()),
      "SetBinary");
}

// Clocks: all the same but for the arrays after the references.

template <class Function, class... Arrays>
core::Result<void> Instance::clock3(unsigned phases, Call call, Function Functions3::*function, References references,
                                    Arrays... arrays) {
  if (two_ != nullptr) return only_in_3(call);
  if (!may(phases)) return refusal(call);
  assert(((arrays.size() == references.size()) && ...));
  return answer((three_->*function)(handle_, references.data(), references.size(), arrays.data()...), call);
}

core::Result<void> Instance::get_clocks(References references, std::span<bool> ticks) {
  return clock3(kReading, "GetClock", &Functions3::fmi3GetClock, references, ticks);
}

core::Result<void> Instance::set_clocks(References references, std::span<const bool> ticks) {
  auto set = clock3(phase_mask(Phase::event), "SetClock", &Functions3::fmi3SetClock, references, ticks);
  if (set && clock_state_) clock_state_->note_set(references, ticks);
  return set;
}

core::Result<void> Instance::get_intervals(References references, std::span<double> intervals,
                                           std::span<fmi3IntervalQualifier> qualifiers) {
  return clock3(kReading, "GetIntervalDecimal", &Functions3::fmi3GetIntervalDecimal, references, intervals, qualifiers);
}

core::Result<void> Instance::get_intervals(References references, std::span<std::uint64_t> counters,
                                           std::span<std::uint64_t> resolutions,
                                           std::span<fmi3IntervalQualifier> qualifiers) {
  return clock3(kReading, "GetIntervalFraction", &Functions3::fmi3GetIntervalFraction, references, counters,
                resolutions, qualifiers);
}

core::Result<void> Instance::set_intervals(References references, std::span<const double> intervals) {
  return clock3(kSetting, "SetIntervalDecimal", &Functions3::fmi3SetIntervalDecimal, references, intervals);
}

core::Result<void> Instance::set_intervals(References references, std::span<const std::uint64_t> counters,
                                           std::span<const std::uint64_t> resolutions) {
  return clock3(kSetting, "SetIntervalFraction", &Functions3::fmi3SetIntervalFraction, references, counters,
                resolutions);
}

core::Result<void> Instance::get_shifts(References references, std::span<double> shifts) {
  return clock3(kReading, "GetShiftDecimal", &Functions3::fmi3GetShiftDecimal, references, shifts);
}

core::Result<void> Instance::get_shifts(References references, std::span<std::uint64_t> counters,
                                        std::span<std::uint64_t> resolutions) {
  return clock3(kReading, "GetShiftFraction", &Functions3::fmi3GetShiftFraction, references, counters, resolutions);
}

core::Result<void> Instance::set_shifts(References references, std::span<const double> shifts) {
  return clock3(kSetting, "SetShiftDecimal", &Functions3::fmi3SetShiftDecimal, references, shifts);
}

core::Result<void> Instance::set_shifts(References references, std::span<const std::uint64_t> counters,
                                        std::span<const std::uint64_t> resolutions) {
  return clock3(kSetting, "SetShiftFraction", &Functions3::fmi3SetShiftFraction, references, counters, resolutions);
}

// Sensitivities.

core::Result<void> Instance::directional_derivative(References unknowns, References knowns,
                                                    std::span<const double> seed, std::span<double> sensitivity) {
  if (!may(kReading)) return refusal("GetDirectionalDerivative");
  if (two_ != nullptr) {
    assert(seed.size() == knowns.size() && sensitivity.size() == unknowns.size());
    return answer(two_->fmi2GetDirectionalDerivative(handle_, unknowns.data(), unknowns.size(), knowns.data(),
                                                     knowns.size(), seed.data(), sensitivity.data()),
                  "GetDirectionalDerivative");
  }
  return answer(
      three_->fmi3GetDirectionalDerivative(handle_, unknowns.data(), unknowns.size(), knowns.data(), knowns.size(),
                                           seed.data(), seed.size(), sensitivity.data(), sensitivity.size()),
      "GetDirectionalDerivative");
}

core::Result<void> Instance::adjoint_derivative(References unknowns, References knowns, std::span<const double> seed,
                                                std::span<double> sensitivity) {
  if (two_ != nullptr) return only_in_3("GetAdjointDerivative");
  if (!may(kReading)) return refusal("GetAdjointDerivative");
  return answer(
      three_->fmi3GetAdjointDerivative(handle_, unknowns.data(), unknowns.size(), knowns.data(), knowns.size(),
                                       seed.data(), seed.size(), sensitivity.data(), sensitivity.size()),
      "GetAdjointDerivative");
}

core::Result<std::vector<ReportedDependency>> Instance::dependencies(std::uint32_t unknown) {
  if (two_ != nullptr) return only_in_3("GetVariableDependencies");
  if (!may(kReading | kSetting)) return refusal("GetVariableDependencies");
  std::size_t count = 0;
  if (auto answered = answer(three_->fmi3GetNumberOfVariableDependencies(handle_, unknown, &count),
                             "GetNumberOfVariableDependencies");
      !answered) {
    return std::move(answered.error());
  }
  std::vector<std::size_t> elements(count), independent_elements(count);
  std::vector<std::uint32_t> independents(count);
  std::vector<fmi3DependencyKind> kinds(count);
  if (auto answered = answer(three_->fmi3GetVariableDependencies(handle_, unknown, elements.data(), independents.data(),
                                                                 independent_elements.data(), kinds.data(), count),
                             "GetVariableDependencies");
      !answered) {
    return std::move(answered.error());
  }
  std::vector<ReportedDependency> result;
  result.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    result.push_back({elements[i], independents[i], independent_elements[i], kinds[i]});
  }
  return result;
}

}  // namespace tieline::fmi
