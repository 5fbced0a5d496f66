#include "document/diagnostics.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

namespace tieline::document {
namespace {

/// As many known names as a reader takes in at a glance.
constexpr std::size_t kMostNamesShown = 12;

constexpr std::string_view kAdvice = "; write ";

std::string_view name_of(Severity severity) {
  switch (severity) {
    case Severity::note:
      return "note";
    case Severity::warning:
      return "warning";
    case Severity::error:
      return "error";
  }
  return "";
}

/// What is said without the advice on it: who knows more gives better advice, and the first one counts.
std::string statement_of(std::string text) {
  const auto advice = text.find(kAdvice);
  if (advice != std::string::npos) text.resize(advice);
  return text;
}

}  // namespace

std::string Diagnostic::describe() const {
  if (place.file.empty()) return fmt::format("{}: {}", name_of(severity), message);
  if (place.line == 0) return fmt::format("{}: {}: {}", place.file, name_of(severity), message);
  return fmt::format("{}:{}:{}: {}: {}", place.file, place.line, place.column, name_of(severity), message);
}

void Diagnostics::add(Severity severity, const Place& place, std::string message) {
  Diagnostic entry{severity, place, std::move(message)};
  if (!said_.insert(statement_of(entry.describe())).second) return;
  if (severity == Severity::error) ++error_count_;
  if (severity == Severity::warning) ++warning_count_;
  entries_.push_back(std::move(entry));
}

void Diagnostics::error(const Place& place, std::string message) { add(Severity::error, place, std::move(message)); }
void Diagnostics::warning(const Place& place, std::string message) {
  add(Severity::warning, place, std::move(message));
}
void Diagnostics::note(const Place& place, std::string message) { add(Severity::note, place, std::move(message)); }

void Diagnostics::take(const Diagnostics& other, bool with_notes) {
  for (const auto& entry : other.entries_) {
    if (with_notes || entry.severity != Severity::note) add(entry.severity, entry.place, entry.message);
  }
  for (const auto& file : other.files_read_) reads(file);
}

void Diagnostics::reads(const std::filesystem::path& file) {
  if (std::find(files_read_.begin(), files_read_.end(), file) == files_read_.end()) files_read_.push_back(file);
}

std::string Diagnostics::describe() const {
  std::vector<const Diagnostic*> sorted;
  for (const auto& entry : entries_) sorted.push_back(&entry);
  std::stable_sort(sorted.begin(), sorted.end(), [](const Diagnostic* a, const Diagnostic* b) {
    const auto key = [](const Diagnostic& d) {
      return std::make_tuple(d.severity == Severity::note, std::cref(d.place.file), d.place.line, d.place.column);
    };
    return key(*a) < key(*b);
  });
  std::string text;
  for (const auto* entry : sorted) text += entry->describe() + "\n";
  return text;
}

std::string suggestion(std::string_view wrong, std::span<const std::string> known) {
  const std::string nearest = nearest_name(wrong, known);
  if (!nearest.empty()) return fmt::format(" (did you mean '{}'?)", nearest);
  if (known.empty()) return "";
  if (known.size() <= kMostNamesShown) return fmt::format(" (known: {})", fmt::join(known, ", "));
  return fmt::format(" (known: {}, and {} more)", fmt::join(known.first(kMostNamesShown), ", "),
                     known.size() - kMostNamesShown);
}

}  // namespace tieline::document
