#pragma once

#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tieline/file_error.hpp"
#include "tieline/problem.hpp"
#include "tieline/simulation.hpp"

#include "core/result.hpp"
#include "document/diagnostics.hpp"
#include "simulation/problems.hpp"

/// From what the rooms below return to what the public functions throw.
namespace tieline::api {

using simulation::problems_of;

[[noreturn]] void throw_model_error(const document::Diagnostics& diagnostics);
/// RunError, which says whether the user stopped it.
[[noreturn]] void throw_run_error(const core::Error& error);

/// std::out_of_range with all problems of what a caller has stated, one a line.
[[noreturn]] void throw_problems(const std::vector<std::string>& problems);

/// The value; FileError in place of an error.
template <class T>
requires(!std::is_void_v<T>) [[nodiscard]] T or_file_error(core::Result<T>&& result) {
  if (!result) throw FileError(result.error().describe());
  return std::move(result).value();
}
inline void or_file_error(const core::Result<void>& result) {
  if (!result) throw FileError(result.error().describe());
}

/// The value; std::out_of_range where a name was not found, and FileError in place of any other error.
template <class T>
[[nodiscard]] T or_unknown(core::Result<T>&& result) {
  if (!result && result.error().code == core::ErrorCode::bad_input) throw std::out_of_range(result.error().describe());
  return or_file_error(std::move(result));
}

}  // namespace tieline::api
