#include "fmi/element_reader.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace tieline::fmi {
namespace {

constexpr std::size_t kMostOfAKind = 3;
constexpr std::size_t kMostErrors = 50;
constexpr std::size_t kLongestQuote = 60;  ///< of a value in a message [bytes]

}  // namespace

std::string shown(std::string_view text) {
  if (text.size() <= kLongestQuote) return fmt::format("'{}'", text);
  std::size_t end = kLongestQuote;
  // A character is not cut in two.
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return fmt::format("'{}...'", text.substr(0, end));
}

std::string described(pugi::xml_node node) {
  const auto name = node.attribute("name") ? node.attribute("name") : node.parent().attribute("name");
  return name ? fmt::format("<{}> of {}", node.name(), shown(name.value())) : fmt::format("<{}>", node.name());
}

Findings::~Findings() {
  for (const auto& [name, kind] : kinds_) {
    if (kind.count <= kMostOfAKind) continue;
    std::string message = fmt::format("and {} more: {}", kind.count - kMostOfAKind, name);
    if (kind.severity == document::Severity::error) {
      diagnostics_.error(kind.last, std::move(message));
    } else {
      diagnostics_.warning(kind.last, std::move(message));
    }
  }
  if (error_count_ > kMostErrors) {
    diagnostics_.error(source_.place_of(source_.root()), fmt::format("and {} more errors", error_count_ - kMostErrors));
  }
}

bool Findings::is_shown(std::string_view kind) const {
  const auto found = kinds_.find(kind);
  return found == kinds_.end() || found->second.count < kMostOfAKind;
}

Findings::Kind& Findings::count(std::string_view kind, document::Severity severity) {
  Kind& known = kinds_[kind];
  known.severity = severity;
  ++known.count;
  return known;
}

void Findings::warn(pugi::xml_node node, std::string_view kind, std::string message) {
  Kind& known = count(kind, document::Severity::warning);
  if (known.count > kMostOfAKind) return;
  known.last = source_.place_of(node);
  diagnostics_.warning(known.last, std::move(message));
}

void Findings::violation(pugi::xml_node node, std::string_view attribute, std::string_view kind, bool is_error,
                         std::string message) {
  Kind& known = count(kind, is_error ? document::Severity::error : document::Severity::warning);
  if (known.count > kMostOfAKind) return;
  known.last = source_.place_of(node, attribute);
  if (is_error) {
    diagnostics_.error(known.last, std::move(message));
  } else {
    diagnostics_.warning(known.last, std::move(message));
  }
}

void Findings::error(pugi::xml_node node, std::string message) {
  if (++error_count_ <= kMostErrors) diagnostics_.error(source_.place_of(node), std::move(message));
}

template <class Read>
auto ElementReader::value(const char* attribute, const char* expected, Read&& read) const {
  using Value = decltype(read(std::string_view(), std::declval<bool&>()));
  const auto found = find(attribute);
  if (!found) return Value{};
  bool is_odd = false;
  const Value value = read(std::string_view(found.value()), is_odd);
  if (!value) {
    findings_.warn(
        node_, "values that are not understood",
        fmt::format("{}: {}={} is not {}; it is ignored", described(node_), attribute, shown(found.value()), expected));
  } else if (is_odd) {
    findings_.warn(node_, "values in an unusual format",
                   fmt::format("{}: {}={} is an unusual way to write {}", described(node_), attribute,
                               shown(found.value()), expected));
  }
  return value;
}

bool ElementReader::flag(const char* attribute, bool otherwise) const {
  return value(attribute, "true or false", read_boolean).value_or(otherwise);
}

std::optional<double> ElementReader::number(const char* attribute) const {
  return value(attribute, "a number", read_number);
}

std::optional<double> ElementReader::finite(const char* attribute) const {
  return value(attribute, "a finite number", [](std::string_view text, bool& is_odd) {
    const auto number = read_number(text, is_odd);
    return number && std::isfinite(*number) ? number : std::nullopt;
  });
}

std::optional<std::int64_t> ElementReader::integer(const char* attribute) const {
  return value(attribute, "a whole number", read_signed);
}

std::optional<std::uint64_t> ElementReader::count(const char* attribute) const {
  return value(attribute, "a whole number of at least 0", read_unsigned);
}

std::optional<std::uint32_t> ElementReader::reference(const char* attribute) const {
  return value(attribute, "a whole number of 32 bits",
               [](std::string_view text, bool& is_odd) -> std::optional<std::uint32_t> {
                 const auto number = read_unsigned(text, is_odd);
                 if (!number || *number > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
                 return static_cast<std::uint32_t>(*number);
               });
}

void ElementReader::check_attributes(std::span<const std::string_view> known) const {
  for (const auto attribute : node_.attributes()) {
    const std::string_view name = attribute.name();
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    if (name.find(':') != name.npos || name == "xmlns") continue;
    constexpr std::string_view kKind = "unknown attributes";
    std::string nearest;
    if (findings_.is_shown(kKind)) {
      nearest = document::nearest_name(name, std::vector<std::string>(known.begin(), known.end()));
    }
    findings_.warn(node_, kKind,
                   fmt::format("{}: attribute {} is not known{}; it is ignored", described(node_), shown(name),
                               nearest.empty() ? "" : fmt::format(" (is '{}' meant?)", nearest)));
  }
}

void ElementReader::check_children(std::span<const std::string_view> known) const {
  for (const auto child : node_.children()) {
    if (child.type() != pugi::node_element) continue;
    const std::string_view name = child.name();
    if (std::find(known.begin(), known.end(), name) != known.end() || name.find(':') != name.npos) continue;
    findings_.warn(child, "unknown elements",
                   fmt::format("<{}> is not known in <{}>; it is ignored", name, node_.name()));
  }
}

}  // namespace tieline::fmi
