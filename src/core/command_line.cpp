#include "core/command_line.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace tieline::core {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
/// What a shell would take as more than a word.
constexpr std::array<std::string_view, 11> kOperators{"|", "||", "&", "&&", ";", "<", ">", ">>", "2>", "2>&1", "&>"};

bool is_blank(char character) { return kBlanks.find(character) != std::string_view::npos; }

bool steers_a_shell(std::string_view word) {
  return std::find(kOperators.begin(), kOperators.end(), word) != kOperators.end();
}

Error bad_command(std::string message) { return {.code = ErrorCode::bad_input, .message = std::move(message)}; }

/// Takes words off the front of a line.
class Splitter {
 public:
  explicit Splitter(std::string_view line) : line_(line) {}

  Result<std::vector<std::string>> run() {
    std::vector<std::string> words;
    while (skip_blanks()) {
      word_.clear();
      is_quoted_ = false;
      while (at_ < line_.size() && !is_blank(line_[at_])) {
        if (auto taken = take(); !taken) return taken.error();
      }
      if (!is_quoted_ && steers_a_shell(word_)) {
        return bad_command(
            fmt::format("no shell runs this command, so '{}' is not valid in it: write a start script, or quote it to "
                        "pass it to the program",
                        word_));
      }
      words.push_back(word_);
    }
    return words;
  }

 private:
  bool skip_blanks() {
    while (at_ < line_.size() && is_blank(line_[at_])) ++at_;
    return at_ < line_.size();
  }

  /// One character, or all that stands between quotes.
  Result<void> take() {
    const char first = line_[at_];
    if (first == '\'' || first == '"') return take_quoted(first);
    if (first == '\\') {
      is_quoted_ = true;
      if (++at_ == line_.size()) return bad_command("the command ends with a backslash");
    }
    word_ += line_[at_++];
    return {};
  }

  Result<void> take_quoted(char quote) {
    is_quoted_ = true;
    const std::size_t begin = at_++;
    for (; at_ < line_.size() && line_[at_] != quote; ++at_) {
      const bool escapes = quote == '"' && line_[at_] == '\\' && at_ + 1 < line_.size() &&
                           (line_[at_ + 1] == '"' || line_[at_ + 1] == '\\');
      if (escapes) ++at_;
      word_ += line_[at_];
    }
    if (at_ == line_.size()) {
      return bad_command(fmt::format("the quote {} at character {} of the command is not closed", quote, begin + 1));
    }
    ++at_;
    return {};
  }

  std::string_view line_;
  std::size_t at_ = 0;
  std::string word_{};
  bool is_quoted_ = false;
};

}  // namespace

Result<std::vector<std::string>> split_command(std::string_view line) { return Splitter(line).run(); }

std::string join_command(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    const bool is_plain = !word.empty() && word.find_first_of(" \t\r\n'\"\\") == std::string::npos;
    if (is_plain && !steers_a_shell(word)) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char character : word) {
      if (character == '\'')
        line += "'\\''";
      else
        line += character;
    }
    line += '\'';
  }
  return line;
}

}  // namespace tieline::core
