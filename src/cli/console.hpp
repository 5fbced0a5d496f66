#pragma once

#include <cstddef>
#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "tieline/file_error.hpp"

#include "cli/commands.hpp"

namespace tieline::cli {

/// Writes to the error stream as far as somebody reads it. Where it takes nothing for a moment the rest is dropped, and
/// so is all that follows until it does again: a run never waits for its reader. Any thread.
void write_error(std::string_view text);

/// Formats, and writes to the error stream.
template <class... Values>
void print_error(fmt::format_string<Values...> format, Values&&... values) {
  write_error(fmt::format(format, std::forward<Values>(values)...));
}

/// At the start of the program. Standard streams that are closed are given a file that takes nothing, so that no file
/// of ours gets their number. A file that reaches the limit of its size is an error of writing, not the end of the
/// program.
void prepare_streams();
/// The exit code of a command that returned `code`: an error, and a message, where its output could not be written.
int after_output(int code);
int complain_of_output(const std::error_code& reason);

/// Says on the error stream what is wrong, and returns the exit code.
int complain(std::string_view message, ExitCode code = kBadInput);
/// The same for the problems of a model, each of which names its own place.
int complain_of_model(std::string_view problems);

/// "no errors", "1 error", "3 errors"
[[nodiscard]] std::string count(std::size_t number, std::string_view thing);

/// Problems of a model or a library, one line each.
[[nodiscard]] std::string describe(const std::vector<Problem>& problems);

/// Says which files cannot be written, and which option replaces those that exist; returns the exit code.
int complain_of_files(const FileError& error, std::string_view option);

}  // namespace tieline::cli
