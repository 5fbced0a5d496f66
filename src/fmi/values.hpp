#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "core/relation.hpp"
#include "core/result.hpp"
#include "fmi/description.hpp"

namespace tieline::fmi {

class Instance;

/// Whether a type's values can be expressed as numbers.
[[nodiscard]] constexpr bool is_number(Type type) {
  return type != Type::string && type != Type::binary && type != Type::clock;
}

/// Whether a variable can be a signal: a number, or a triggered clock, whose signal is the number of its ticks so far.
[[nodiscard]] bool is_signal(const Description& description, const Variable& variable);

/// Numbers of one type, set and read in one call: whole arrays where one element is meant.
template <class Value>
struct ValueBatch {
  std::vector<std::uint32_t> references{};
  std::vector<Value> buffer{};
  /// Places in the buffer, and among all values.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> places{};
};

/// `bool` has no vector of its own kind.
struct BooleanBatch {
  std::vector<std::uint32_t> references{};
  std::unique_ptr<bool[]> buffer{};
  std::size_t size = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> places{};
};

struct ValueBatches {
  ValueBatches(const Description& description, std::span<const Scalar> scalars);
  core::Result<void> read(Instance& instance, std::span<double> values);
  core::Result<void> write(Instance& instance, std::span<const double> values);

  std::tuple<ValueBatch<double>, ValueBatch<float>, ValueBatch<std::int8_t>, ValueBatch<std::uint8_t>,
             ValueBatch<std::int16_t>, ValueBatch<std::uint16_t>, ValueBatch<std::int32_t>, ValueBatch<std::uint32_t>,
             ValueBatch<std::int64_t>, ValueBatch<std::uint64_t>>
      numbers{};
  BooleanBatch booleans{};
  std::size_t count = 0;
  bool is_plain = false;  ///< doubles alone, none of them in an array: passed as they are
};

/// Numbers of which some are clocks, or have clocks: each lot goes its own way.
class SortedValues {
 public:
  SortedValues(const Description& description, std::span<const Scalar> scalars);
  [[nodiscard]] std::size_t size() const { return count_; }
  core::Result<void> read(Instance& instance, std::span<double> values);
  core::Result<void> write(Instance& instance, std::span<const double> values);

 private:
  /// Variables with the same clocks, and where they stand among all values.
  struct Lot {
    std::vector<std::uint32_t> clocks{};  ///< references; empty: free ones
    std::vector<Scalar> scalars{};
    ValueBatches batches;
    std::vector<std::uint32_t> places{};
    std::vector<double> values{};
  };
  struct ClockPlace {
    std::uint32_t reference = 0;
    std::uint32_t place = 0;
    bool is_input = false;
  };
  std::size_t count_;
  std::vector<Lot> lots_;
  std::vector<ClockPlace> clocks_;
};

/// Reads chosen numbers of an instance as doubles, with one call for each type. Nothing is allocated while reading.
/// Variables with clocks are read while one of these ticks; at other times they are as they were at the last tick.
class ValueReader {
 public:
  /// With `relations`, one for each number, what is read are these of the FMU's numbers.
  ValueReader(const Description& description, std::span<const Scalar> scalars,
              std::vector<core::Relation> relations = {});
  [[nodiscard]] std::size_t size() const { return batches_.count; }
  core::Result<void> read(Instance& instance, std::span<double> values) {
    auto read = sorted_ ? sorted_->read(instance, values) : batches_.read(instance, values);
    for (std::size_t k = 0; k < relations_.size(); ++k) values[k] = relations_[k].value(values[k]);
    return read;
  }

 private:
  std::vector<core::Relation> relations_;  ///< none if all are the same
  ValueBatches batches_;
  std::optional<SortedValues> sorted_{};  ///< where there are clocks
};

/// Sets chosen numbers of an instance, with one call for each type; whole numbers are rounded, booleans are what is not
/// nought. Other elements of arrays keep their start values. Nothing is allocated while writing. In event mode a clock
/// whose number has changed ticks; variables with clocks are set while one of these ticks.
class ValueWriter {
 public:
  /// With `relations`, one for each number, these of the FMU's numbers are what is written.
  ValueWriter(const Description& description, std::span<const Scalar> scalars,
              std::vector<core::Relation> relations = {});
  [[nodiscard]] std::size_t size() const { return batches_.count; }
  core::Result<void> write(Instance& instance, std::span<const double> values) {
    if (!relations_.empty()) [[unlikely]] {
      for (std::size_t k = 0; k < relations_.size(); ++k)
        own_[k] = relations_[k].is_identity() ? values[k] : (values[k] - relations_[k].offset) / relations_[k].factor;
      values = own_;
    }
    return sorted_ ? sorted_->write(instance, values) : batches_.write(instance, values);
  }

 private:
  std::vector<core::Relation> relations_;  ///< none if all are the same
  std::vector<double> own_;                ///< the FMU's numbers
  ValueBatches batches_;
  std::optional<SortedValues> sorted_{};
};

}  // namespace tieline::fmi
