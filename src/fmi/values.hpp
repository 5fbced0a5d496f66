#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "core/result.hpp"
#include "fmi/description.hpp"

namespace tieline::fmi {

class Instance;

/// Whether a type's values can be expressed as numbers.
[[nodiscard]] constexpr bool is_number(Type type) {
  return type != Type::string && type != Type::binary && type != Type::clock;
}

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

  std::tuple<ValueBatch<double>, ValueBatch<float>, ValueBatch<std::int8_t>, ValueBatch<std::uint8_t>,
             ValueBatch<std::int16_t>, ValueBatch<std::uint16_t>, ValueBatch<std::int32_t>, ValueBatch<std::uint32_t>,
             ValueBatch<std::int64_t>, ValueBatch<std::uint64_t>>
      numbers{};
  BooleanBatch booleans{};
  std::size_t count = 0;
  bool is_plain = false;  ///< doubles alone, none of them in an array: passed as they are
};

/// Reads chosen numbers of an instance as doubles, with one call for each type. Nothing is allocated while reading.
class ValueReader {
 public:
  ValueReader(const Description& description, std::span<const Scalar> scalars) : batches_(description, scalars) {}
  [[nodiscard]] std::size_t size() const { return batches_.count; }
  core::Result<void> read(Instance& instance, std::span<double> values);

 private:
  ValueBatches batches_;
};

/// Sets chosen numbers of an instance, with one call for each type; whole numbers are rounded, booleans are what is not
/// nought. Other elements of arrays keep their start values. Nothing is allocated while writing.
class ValueWriter {
 public:
  ValueWriter(const Description& description, std::span<const Scalar> scalars) : batches_(description, scalars) {}
  [[nodiscard]] std::size_t size() const { return batches_.count; }
  core::Result<void> write(Instance& instance, std::span<const double> values);

 private:
  ValueBatches batches_;
};

}  // namespace tieline::fmi
