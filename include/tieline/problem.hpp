#pragma once

#include <filesystem>
#include <string>

#include "tieline/export.hpp"

namespace tieline {

enum class Severity { note, warning, error };

/// A problem of a model or of another file, with its place.
struct Problem {
  std::filesystem::path file{};  ///< empty: no file is concerned
  int line = 0, column = 0;      ///< counted from 1; 0: the file as a whole
  Severity severity = Severity::error;
  std::string text{};    ///< what is wrong
  std::string advice{};  ///< what to do about it; may be empty

  /// One line: "file:line:column: error: text (advice)".
  [[nodiscard]] TIELINE_PUBLIC std::string describe() const;
};

}  // namespace tieline
