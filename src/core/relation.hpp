#pragma once

#include <span>

namespace tieline::core {

/// What a connection makes of a signal on its way: factor times the output, plus an offset, is the input.
struct Relation {
  double factor = 1.0;
  double offset = 0.0;  ///< in the unit of the input

  [[nodiscard]] bool is_identity() const { return factor == 1.0 && offset == 0.0; }
  /// Without a relation a value stays the same bits, zeros with a sign included.
  [[nodiscard]] double value(double output) const { return is_identity() ? output : factor * output + offset; }
  [[nodiscard]] double rate(double output_rate) const { return factor * output_rate; }
};

/// The relation of a number of a signal, of which there may be none.
[[nodiscard]] inline Relation relation_of(std::span<const Relation> relations, std::size_t number) {
  return number < relations.size() ? relations[number] : Relation{};
}

}  // namespace tieline::core
