#include "cli/console.hpp"

#include <cstdio>
#include <fmt/format.h>

namespace tieline::cli {

int complain(std::string_view message, ExitCode code) {
  fmt::print(stderr, "tieline: {}\n", message);
  return code;
}

int complain_of_model(std::string_view problems) {
  fmt::print(stderr, "{}{}", problems, problems.ends_with('\n') ? "" : "\n");
  return kBadInput;
}

std::string count(std::size_t number, std::string_view thing) {
  if (number == 0) return fmt::format("no {}s", thing);
  return fmt::format("{} {}{}", number, thing, number == 1 ? "" : "s");
}

std::string describe(const std::vector<Problem>& problems) {
  std::string text;
  for (const Problem& problem : problems) text += problem.describe() + "\n";
  return text;
}

int complain_of_files(const FileError& error, std::string_view option) {
  constexpr std::string_view kReplace = "replace";  // "replace it", "replace them"
  std::string text;
  for (const Problem& problem : error.problems()) {
    if (!text.empty()) text += "\n";
    if (problem.line > 0) text += fmt::format("{}:{}: ", problem.file.string(), problem.line);
    text += problem.text;
    if (problem.advice.starts_with(kReplace)) {
      text += fmt::format("; {} replaces{}", option, problem.advice.substr(kReplace.size()));
    }
  }
  return complain(text.empty() ? error.what() : text);
}

}  // namespace tieline::cli
