#include "plugin/release.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace tieline::plugin {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

constexpr std::string_view kBlanks = " \t\r";

/// The next word of a line, which it is taken off.
std::string_view take_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(kBlanks));
  line.remove_prefix(word.size());
  return word;
}

/// Not by streams, which would bring half of the standard library into the plug-in.
Result<std::string> text_of(const std::string& file) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> opened(std::fopen(file.c_str(), "re"), &std::fclose);
  std::string text;
  if (opened != nullptr) {
    char chunk[4096];
    for (std::size_t count = 1; count > 0;) {
      count = std::fread(chunk, 1, sizeof chunk, opened.get());
      text.append(chunk, count);
    }
    if (std::ferror(opened.get()) == 0) return text;
  }
  return Error{.code = ErrorCode::input_output,
               .message = "cannot read the release list '" + file + "': " + std::strerror(errno)};
}

}  // namespace

bool is_of_pattern(std::string_view name, std::string_view pattern) {
  std::size_t n = 0, p = 0, star = std::string_view::npos, resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || (pattern[p] != '*' && pattern[p] == name[n]))) {
      ++n, ++p;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

bool ReleaseList::matches(const std::vector<std::string>& patterns, std::string_view name) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const auto& each) { return is_of_pattern(name, each); });
}

Result<ReleaseList> ReleaseList::read(const std::string& file) {
  auto text = text_of(file);
  if (!text) return text.error();
  ReleaseList list;
  list.is_restricted_ = true;
  std::string problems;
  int number = 0;
  for (std::string_view rest = *text; !rest.empty();) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    ++number;
    line = line.substr(0, line.find('#'));
    const std::string_view what = take_word(line), which = take_word(line), more = take_word(line);
    const auto wrong = [&](const char* expected) {
      problems += (problems.empty() ? "" : "; ") + file + ":" + std::to_string(number) + ": expected " + expected;
    };
    if (what.empty()) continue;
    if (!more.empty() || (which.empty() != (what == "snapshot"))) {
      wrong("'result GLOB', 'parameter GLOB', 'log LEVEL' or 'snapshot'");
    } else if (what == "result") {
      list.results_.emplace_back(which);
    } else if (what == "parameter") {
      list.parameters_.emplace_back(which);
    } else if (what == "snapshot") {
      list.has_snapshot_ = true;
    } else if (what == "log") {
      constexpr std::string_view kLevels[] = {"note", "warning", "serious", "none"};
      const auto* const found = std::find(std::begin(kLevels), std::end(kLevels), which);
      if (found == std::end(kLevels)) wrong("note, warning, serious or none after 'log'");
      list.least_level_ = static_cast<int>(found - std::begin(kLevels));
    } else {
      wrong("'result', 'parameter', 'log' or 'snapshot'");
    }
  }
  if (!problems.empty()) return Error{.code = ErrorCode::bad_input, .message = problems};
  return list;
}

}  // namespace tieline::plugin
