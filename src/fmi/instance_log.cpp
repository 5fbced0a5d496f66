#include "fmi/instance_log.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <utility>

#include "core/clean_text.hpp"

namespace tieline::fmi {
namespace {

/// The end of the conversion that begins at the percent sign, or null if printf does not know it.
const char* end_of_conversion(const char* percent) {
  const char* at = percent + 1;
  at += std::strspn(at, "-+#0'");  // not the blank: "100% of" is text
  at += std::strspn(at, "0123456789*");
  if (*at == '.') at += 1 + std::strspn(at + 1, "0123456789*");
  const char* const length = at;
  at += std::strspn(at, "hlLqjzt");
  if (at - length > 2 || *at == '\0') return nullptr;
  return std::strchr("diouxXcsfFeEgGaAp%", *at) != nullptr ? at + 1 : nullptr;
}

std::string bounded(const char* text) {
  return text == nullptr ? std::string() : std::string(text, strnlen(text, kLongestMessage));
}

bool is_format(const char* text) {
  for (const char* percent = std::strchr(text, '%'); percent != nullptr; percent = std::strchr(percent, '%')) {
    percent = end_of_conversion(percent);
    if (percent == nullptr) return false;
  }
  return true;
}

}  // namespace

std::string name_of(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::warning:
      return "warning";
    case Status::discard:
      return "discard";
    case Status::error:
      return "error";
    case Status::fatal:
      return "fatal";
    case Status::pending:
      return "pending";
    case Status::missing:
      return "missing";
  }
  return fmt::format("status {}", static_cast<int>(status));
}

std::string expand_message(const char* format, std::va_list arguments) {
  if (format == nullptr || std::strchr(format, '%') == nullptr || !is_format(format)) return bounded(format);
  std::string text(kLongestMessage + 1, '\0');
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  const int length = std::vsnprintf(text.data(), text.size(), format, arguments);
#pragma GCC diagnostic pop
  text.resize(length < 0 ? 0 : std::min(static_cast<std::size_t>(length), kLongestMessage));
  return text;
}

std::string name_variables(std::string text, const VariableNames& names) {
  std::string out;
  std::size_t done = 0;
  for (std::size_t hash = text.find('#'); hash != std::string::npos; hash = text.find('#', done)) {
    out.append(text, done, hash - done);
    const std::size_t end = text.find('#', hash + 1);
    if (end == std::string::npos) {
      done = hash;
      break;
    }
    done = end + 1;
    const std::string inside = text.substr(hash + 1, end - hash - 1);
    const bool is_reference = inside.size() >= 2 && inside.size() <= 11 && std::strchr("ribs", inside[0]) != nullptr &&
                              inside.find_first_not_of("0123456789", 1) == std::string::npos;
    std::string name;
    if (is_reference && names) name = names(inside[0], static_cast<std::uint32_t>(std::stoull(inside.substr(1))));
    if (inside.empty()) {
      out += '#';
    } else if (!name.empty()) {
      out += name;
    } else {
      // Not a reference: the second sign may begin one.
      out += '#';
      out += inside;
      done = end;
      if (is_reference) {
        out += '#';
        ++done;
      }
    }
  }
  out.append(text, done, std::string::npos);
  return out;
}

InstanceLog::InstanceLog(LogSink sink, VariableNames names) : sink_(std::move(sink)), names_(std::move(names)) {}

void InstanceLog::keep(int status, const char* category, std::string text) {
  LogMessage message{core::clean_line(bounded(category), kLongestMessage), static_cast<Status>(status),
                     core::clean_lines(text, kLongestMessage)};
  const std::lock_guard lock(mutex_);
  last_[count_ % kKept] = message.text;
  ++count_;
  if (sink_) sink_(message);
}

// Nothing may leave into the FMU's code, which calls these; a message that finds no memory is lost.

void InstanceLog::write_text(int status, const char* category, const char* text) noexcept {
  try {
    keep(status, category, bounded(text));
  } catch (...) {
  }
}

void InstanceLog::write_expanded(int status, const char* category, const char* format,
                                 std::va_list arguments) noexcept {
  try {
    keep(status, category, name_variables(expand_message(format, arguments), names_));
  } catch (...) {
  }
}

std::string InstanceLog::last_messages() const {
  const std::lock_guard lock(mutex_);
  std::string out;
  for (std::size_t i = count_ > kKept ? count_ - kKept : 0; i < count_; ++i) {
    // A message that says nothing, or the same as the one before, is no help.
    const std::string& text = last_[i % kKept];
    if (text.empty() || out.ends_with('\'' + text + '\'')) continue;
    out += fmt::format("{}'{}'", out.empty() ? "" : ", ", text);
  }
  return out;
}

std::size_t InstanceLog::count() const {
  const std::lock_guard lock(mutex_);
  return count_;
}

}  // namespace tieline::fmi
