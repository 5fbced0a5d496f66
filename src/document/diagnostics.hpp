#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/nearest_name.hpp"

namespace tieline::document {

/// A place in a file, counted from 1; line 0 means the file as a whole.
struct Place {
  std::string file{};
  int line = 0;
  int column = 0;
};

enum class Severity { note, warning, error };

struct Diagnostic {
  Severity severity = Severity::error;
  Place place{};
  std::string message{};

  /// "file:line:column: error: message"
  [[nodiscard]] std::string describe() const;
};

/// Collects every problem of a model, so that all are reported at once, and the files that were read. What was reported
/// about a place is not said again.
class Diagnostics {
 public:
  void error(const Place& place, std::string message);
  void warning(const Place& place, std::string message);
  void note(const Place& place, std::string message);

  [[nodiscard]] bool has_errors() const { return error_count_ > 0; }
  [[nodiscard]] std::size_t error_count() const { return error_count_; }
  [[nodiscard]] std::size_t warning_count() const { return warning_count_; }
  [[nodiscard]] std::span<const Diagnostic> all() const { return entries_; }
  /// Takes what others have collected apart; notes only on request.
  void take(const Diagnostics& other, bool with_notes);

  /// Every reader of a model notes here which files it opens, so that a user can be shown them.
  void reads(const std::filesystem::path& file);
  /// In the order of reading, each once.
  [[nodiscard]] std::span<const std::filesystem::path> files_read() const { return files_read_; }

  /// Sorted by file, line and column; one line each; notes last.
  [[nodiscard]] std::string describe() const;

 private:
  void add(Severity severity, const Place& place, std::string message);

  std::vector<Diagnostic> entries_;
  std::unordered_set<std::string> said_;
  std::vector<std::filesystem::path> files_read_;
  std::size_t error_count_ = 0;
  std::size_t warning_count_ = 0;
};

using core::nearest_name;
/// " (did you mean 'x'?)" or " (known: a, b, c)" or "".
[[nodiscard]] std::string suggestion(std::string_view wrong, std::span<const std::string> known);

}  // namespace tieline::document
