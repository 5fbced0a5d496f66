#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace tieline::core {

/// The words of a command that is written on one line, as a shell would see them: blanks separate; 'single quotes' take
/// everything as it stands; in "double quotes" a backslash stands before `"` or a backslash; elsewhere it takes the
/// next character as it stands.
///
/// Nothing else has a meaning, since no shell runs the command: no variables, no patterns, no pipes. A word that would
/// steer a shell (`&&`, `|`, `>`) is refused unless it is quoted, so that nobody hands it to a program unknowingly.
[[nodiscard]] Result<std::vector<std::string>> split_command(std::string_view line);

/// Words as one line, quoted where they must be: `split_command` gives the same words back.
[[nodiscard]] std::string join_command(const std::vector<std::string>& words);

}  // namespace tieline::core
