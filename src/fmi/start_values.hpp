#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "document/diagnostics.hpp"
#include "fmi/description.hpp"
#include "fmi/fmu_spec.hpp"

namespace tieline::fmi {

/// A start value that a model or the command line states.
struct StartRequest {
  std::string variable{};  ///< its name, that of an element of an array, or of an array that was taken apart
  /// Numbers with blanks or commas between them: one for each element, or one for all. Booleans are `true` and `false`,
  /// enumerations the names of their items, binaries hexadecimal digits; a string is taken as it is.
  std::string text{};
  std::optional<double> number{};  ///< where the text was an expression
  document::Place place{};
};

/// The values that an FMU is to start with, each variable once, with what is stated of its elements put together; in
/// the order of the requests. Structural parameters change the sizes of arrays in `description`. What is not valid is
/// an error at its place.
[[nodiscard]] std::vector<StartValue> read_start_values(std::span<const StartRequest> requests,
                                                        Description& description, document::Diagnostics& diagnostics);

}  // namespace tieline::fmi
