#include "fmi/values.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <type_traits>
#include <utility>

#include "fmi/clock_state.hpp"
#include "fmi/instance.hpp"

namespace tieline::fmi {
namespace {

using core::Result;

/// The variable's place in the buffer of its type; whole arrays stand there once.
template <class Batch>
std::uint32_t begin_of(Batch& batch, std::map<std::uint32_t, std::uint32_t>& begins, const Variable& variable,
                       std::uint32_t index, std::size_t size) {
  const auto [found, is_new] = begins.try_emplace(index, static_cast<std::uint32_t>(size));
  if (is_new) batch.references.push_back(variable.reference);
  return found->second;
}

/// A start value as a number; nought where there is none.
double start_of(const Variable& variable, std::size_t element) {
  return std::visit(
      [&](const auto& values) -> double {
        using List = std::decay_t<decltype(values)>;
        if constexpr (std::is_same_v<List, std::monostate> || std::is_same_v<List, std::vector<std::string>>) {
          return 0.0;
        } else {
          if (values.empty()) return 0.0;
          return static_cast<double>(values[std::min(element, values.size() - 1)]);
        }
      },
      variable.start);
}

template <class Value>
Value converted(double value) {
  if constexpr (std::is_floating_point_v<Value>) {
    return static_cast<Value>(value);
  } else {
    constexpr auto least = static_cast<double>(std::numeric_limits<Value>::min());
    constexpr auto most = static_cast<double>(std::numeric_limits<Value>::max());
    const double whole = std::round(value);
    if (!(whole > least)) return std::numeric_limits<Value>::min();  // also where it is not a number
    if (whole >= most) return std::numeric_limits<Value>::max();
    return static_cast<Value>(whole);
  }
}

template <class Value>
void add(ValueBatch<Value>& batch, std::map<std::uint32_t, std::uint32_t>& begins, const Description& description,
         const Scalar& scalar, std::size_t place) {
  const Variable& variable = description.variables[scalar.variable];
  const std::uint32_t begin = begin_of(batch, begins, variable, scalar.variable, batch.buffer.size());
  if (begin == batch.buffer.size()) {
    for (std::size_t k = 0; k < variable.element_count(); ++k) {
      batch.buffer.push_back(converted<Value>(start_of(variable, k)));
    }
  }
  batch.places.emplace_back(begin + static_cast<std::uint32_t>(scalar.element), static_cast<std::uint32_t>(place));
}

}  // namespace

ValueBatches::ValueBatches(const Description& description, std::span<const Scalar> scalars) : count(scalars.size()) {
  std::map<std::uint32_t, std::uint32_t> begins;
  std::vector<bool> flags;
  bool has_arrays = false;
  for (std::size_t i = 0; i < scalars.size(); ++i) {
    const auto add_to = [&](auto& batch) { add(batch, begins, description, scalars[i], i); };
    const Variable& variable = description.variables[scalars[i].variable];
    has_arrays = has_arrays || !variable.dimensions.empty();
    switch (variable.type) {
      case Type::float64:
        add_to(std::get<0>(numbers));
        break;
      case Type::float32:
        add_to(std::get<1>(numbers));
        break;
      case Type::int8:
        add_to(std::get<2>(numbers));
        break;
      case Type::uint8:
        add_to(std::get<3>(numbers));
        break;
      case Type::int16:
        add_to(std::get<4>(numbers));
        break;
      case Type::uint16:
        add_to(std::get<5>(numbers));
        break;
      case Type::int32:
        add_to(std::get<6>(numbers));
        break;
      case Type::uint32:
        add_to(std::get<7>(numbers));
        break;
      case Type::int64:
      case Type::enumeration:
        add_to(std::get<8>(numbers));
        break;
      case Type::uint64:
        add_to(std::get<9>(numbers));
        break;
      case Type::boolean: {
        const std::uint32_t begin = begin_of(booleans, begins, variable, scalars[i].variable, flags.size());
        if (begin == flags.size()) {
          for (std::size_t k = 0; k < variable.element_count(); ++k) flags.push_back(start_of(variable, k) != 0.0);
        }
        booleans.places.emplace_back(begin + static_cast<std::uint32_t>(scalars[i].element),
                                     static_cast<std::uint32_t>(i));
        break;
      }
      case Type::string:
      case Type::binary:
      case Type::clock:
        break;  // no numbers; who maps names sees to it
    }
  }
  booleans.size = flags.size();
  booleans.buffer = std::make_unique<bool[]>(flags.size());
  std::copy(flags.begin(), flags.end(), booleans.buffer.get());
  is_plain =
      !has_arrays && std::get<0>(numbers).places.size() == count && std::get<0>(numbers).references.size() == count;
}

Result<void> ValueBatches::read(Instance& instance, std::span<double> values) {
  if (count == 0) return {};
  if (is_plain) return instance.get(References(std::get<0>(numbers).references), values);
  Result<void> result;
  const auto read_batch = [&](auto& batch) {
    if (!result || batch.references.empty()) return;
    result = instance.get(References(batch.references), std::span(batch.buffer));
    for (const auto& [from, to] : batch.places) values[to] = static_cast<double>(batch.buffer[from]);
  };
  std::apply([&](auto&... batch) { (read_batch(batch), ...); }, numbers);
  if (!result || booleans.references.empty()) return result;
  result = instance.get(References(booleans.references), std::span(booleans.buffer.get(), booleans.size));
  for (const auto& [from, to] : booleans.places) values[to] = booleans.buffer[from] ? 1.0 : 0.0;
  return result;
}

Result<void> ValueBatches::write(Instance& instance, std::span<const double> values) {
  if (count == 0) return {};
  if (is_plain) return instance.set(References(std::get<0>(numbers).references), values);
  Result<void> result;
  const auto write_batch = [&]<class Value>(ValueBatch<Value>& batch) {
    if (!result || batch.references.empty()) return;
    for (const auto& [to, from] : batch.places) batch.buffer[to] = converted<Value>(values[from]);
    result = instance.set(References(batch.references), std::span<const Value>(batch.buffer));
  };
  std::apply([&](auto&... batch) { (write_batch(batch), ...); }, numbers);
  if (!result || booleans.references.empty()) return result;
  for (const auto& [to, from] : booleans.places) booleans.buffer[to] = values[from] != 0.0;
  return instance.set(References(booleans.references), std::span<const bool>(booleans.buffer.get(), booleans.size));
}

bool is_signal(const Description& description, const Variable& variable) {
  if (variable.type != Type::clock) return is_number(variable.type);
  return variable.clock != kNone && description.clocks[variable.clock].interval == Interval::triggered;
}

SortedValues::SortedValues(const Description& description, std::span<const Scalar> scalars) : count_(scalars.size()) {
  std::map<std::vector<std::uint32_t>, std::vector<std::uint32_t>> places;
  for (std::uint32_t k = 0; k < scalars.size(); ++k) {
    const Variable& variable = description.variables[scalars[k].variable];
    if (variable.type == Type::clock) {
      clocks_.push_back({variable.reference, k, variable.causality == Causality::input});
      continue;
    }
    std::vector<std::uint32_t> clocks;
    for (const std::uint32_t clock : variable.clocks) clocks.push_back(description.variables[clock].reference);
    places[clocks].push_back(k);
  }
  for (const auto& [clocks, own] : places) {
    std::vector<Scalar> list;
    for (const std::uint32_t k : own) list.push_back(scalars[k]);
    lots_.push_back({clocks, list, ValueBatches(description, list), own, std::vector<double>(own.size())});
  }
}

Result<void> SortedValues::read(Instance& instance, std::span<double> values) {
  ClockState* const state = instance.clock_state();
  if (state != nullptr && !clocks_.empty()) {
    if (auto polled = state->poll(instance); !polled) return polled;
  }
  for (const ClockPlace& clock : clocks_) {
    values[clock.place] = state == nullptr ? 0.0 : static_cast<double>(state->ticks(clock.reference));
  }
  for (Lot& lot : lots_) {
    if (lot.clocks.empty() || state == nullptr || state->is_open_to(instance, lot.clocks)) {
      if (auto got = lot.batches.read(instance, lot.values); !got) return got;
    } else {
      for (std::size_t k = 0; k < lot.values.size(); ++k) lot.values[k] = state->held(lot.scalars[k]);
    }
    for (std::size_t k = 0; k < lot.values.size(); ++k) values[lot.places[k]] = lot.values[k];
  }
  return {};
}

Result<void> SortedValues::write(Instance& instance, std::span<const double> values) {
  ClockState* const state = instance.clock_state();
  for (const ClockPlace& clock : clocks_) {
    if (state == nullptr || !clock.is_input) continue;
    const auto ticks = static_cast<std::int64_t>(std::llround(values[clock.place]));
    if (auto taken = state->take(instance, clock.reference, ticks); !taken) return taken;
  }
  for (Lot& lot : lots_) {
    if (!lot.clocks.empty() && state != nullptr && !state->is_open_to(instance, lot.clocks)) continue;
    for (std::size_t k = 0; k < lot.values.size(); ++k) lot.values[k] = values[lot.places[k]];
    if (auto set = lot.batches.write(instance, lot.values); !set) return set;
  }
  return {};
}

namespace {

std::optional<SortedValues> sorted(const Description& description, std::span<const Scalar> scalars) {
  const bool has_clocks = std::any_of(scalars.begin(), scalars.end(), [&](const Scalar& scalar) {
    const Variable& variable = description.variables[scalar.variable];
    return variable.type == Type::clock || !variable.clocks.empty();
  });
  return has_clocks ? std::optional<SortedValues>(std::in_place, description, scalars) : std::nullopt;
}

}  // namespace

namespace {

/// None where all are identities.
std::vector<core::Relation> needed(std::vector<core::Relation> relations) {
  const bool is_any = std::any_of(relations.begin(), relations.end(), [](const auto& r) { return !r.is_identity(); });
  return is_any ? std::move(relations) : std::vector<core::Relation>{};
}

}  // namespace

ValueReader::ValueReader(const Description& description, std::span<const Scalar> scalars,
                         std::vector<core::Relation> relations)
    : relations_(needed(std::move(relations))), batches_(description, scalars), sorted_(sorted(description, scalars)) {}

ValueWriter::ValueWriter(const Description& description, std::span<const Scalar> scalars,
                         std::vector<core::Relation> relations)
    : relations_(needed(std::move(relations))),
      own_(relations_.size()),
      batches_(description, scalars),
      sorted_(sorted(description, scalars)) {}

}  // namespace tieline::fmi
