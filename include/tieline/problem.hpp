#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "tieline/export.hpp"

namespace tieline {

enum class Severity { note, warning, error };

/// An error, a warning or a note on a model, a run or a file.
struct Problem {
  std::filesystem::path file{};  ///< empty: not about a file
  int line = 0;                  ///< counted from 1; 0: the file as a whole
  int column = 0;                ///< counted from 1
  Severity severity = Severity::error;
  std::string text{};    ///< what is wrong, without the advice
  std::string advice{};  ///< what to do: "expected ...", "did you mean ...?", "known: ..."; empty: none

  /// Text and advice as one sentence.
  [[nodiscard]] TIELINE_PUBLIC std::string message() const;
  /// One line: "file:line:column: error: message".
  [[nodiscard]] TIELINE_PUBLIC std::string describe() const;
};

/// Makes a problem without a file. Advice at the end of the message becomes `advice`.
[[nodiscard]] TIELINE_PUBLIC Problem problem_of(std::string_view message, Severity severity = Severity::error);

}  // namespace tieline
