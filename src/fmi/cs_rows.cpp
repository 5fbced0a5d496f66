// CsSystem: rows of results where all interfaces are signals. What was set or read at a point is not asked for again.

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "fmi/cs_system.hpp"

namespace tieline::fmi {

using core::ErrorCode;
using core::Result;

Result<void> CsSystem::plan_rows() {
  row_sources_.clear();
  for (const CsPart& part : parts_) {
    for (const InterfaceMap& map : part.spec.interfaces) {
      if (map.shape.domain != core::Domain::signal) return {};
    }
  }
  const auto find = [](const std::vector<Number>& numbers, const std::vector<std::uint32_t>& members, std::uint32_t m,
                       const Scalar& scalar) -> std::uint32_t {
    for (std::uint32_t k = 0; k < numbers.size(); ++k) {
      if (members[k] == m && numbers[k].scalar == scalar) return k;
    }
    return kNone;
  };
  std::uint32_t column = 0;
  auto recorded = static_cast<std::uint32_t>(set_.columns().size());
  for (std::uint32_t m = 0; m < parts_.size(); ++m) {
    const FmuSpec& spec = parts_[m].spec;
    std::vector<Scalar> asked, resting;
    std::vector<std::uint32_t> columns, resting_columns;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> outputs, inputs;
    for (const InterfaceMap& map : spec.interfaces) {
      const bool is_input = map.shape.causality == core::Causality::input;
      for (const Scalar& scalar : map.values) {
        const std::uint32_t at = column++;
        const std::uint32_t number = is_input ? find(input_numbers_, input_members_, m, scalar)
                                              : find(output_numbers_, output_members_, m, scalar);
        if (number != kNone) {
          (is_input ? inputs : outputs).emplace_back(at, number);
        } else {
          (is_input ? resting : asked).push_back(scalar);
          (is_input ? resting_columns : columns).push_back(at);
        }
      }
    }
    const std::size_t interface_values = asked.size();
    for (const Scalar& scalar : spec.recorded) {
      asked.push_back(scalar);
      columns.push_back(recorded++);
    }
    RowSource source{ValueReader(*spec.description, asked),
                     columns,
                     std::vector<double>(asked.size()),
                     interface_values,
                     asked,
                     outputs,
                     inputs,
                     {}};
    // Nothing sets them after the start: they are read once.
    std::vector<double> values(resting.size());
    ValueReader reader(*spec.description, resting);
    if (auto read = reader.read(members_[m]->instance(), values); !read) return members_[m]->named(read.error());
    for (std::size_t k = 0; k < values.size(); ++k) source.resting.emplace_back(resting_columns[k], values[k]);
    row_sources_.push_back(std::move(source));
  }
  return {};
}

Result<void> CsSystem::read_signal_row(std::vector<double>& row, double t) {
  for (std::size_t m = 0; m < row_sources_.size(); ++m) {
    RowSource& source = row_sources_[m];
    if (auto read = source.reader.read(members_[m]->instance(), source.values); !read) {
      return members_[m]->named(read.error());
    }
    for (std::size_t k = 0; k < source.values.size(); ++k) {
      row[source.columns[k]] = source.values[k];
      // Outputs that nobody reads are looked at here only.
      if (k >= source.interface_values || std::isfinite(source.values[k])) [[likely]]
        continue;
      return members_[m]->named({.code = ErrorCode::not_finite,
                                 .message = fmt::format("the FMU reports {} for '{}'", source.values[k],
                                                        members_[m]->name_of(source.scalars[k])),
                                 .time = t});
    }
    for (const auto& [column, number] : source.outputs) row[column] = outputs_[number];
    for (const auto& [column, number] : source.inputs) row[column] = inputs_[number];
    for (const auto& [column, value] : source.resting) row[column] = value;
  }
  return {};
}

}  // namespace tieline::fmi
