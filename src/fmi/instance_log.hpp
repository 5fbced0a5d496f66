#pragma once

#include <array>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace tieline::fmi {

/// What an FMU answers to a call; the numbers are those of the standard. `missing` is our own: the FMU's library lacks
/// the function.
enum class Status : int { ok, warning, discard, error, fatal, pending, missing = 100 };

/// "warning", or "status 42" for a number that the standard does not know.
[[nodiscard]] std::string name_of(Status status);

/// One message of an FMU.
struct LogMessage {
  std::string category{};
  Status status = Status::ok;
  std::string text{};
};

using LogSink = std::function<void(const LogMessage&)>;
/// Name of a variable of FMI 2.0 by the letter of its type ('r', 'i', 'b', 's') and its reference; empty: unknown.
using VariableNames = std::function<std::string(char, std::uint32_t)>;

/// A message of FMI 2.0 with its arguments put in, at most kLongestMessage long. A format that is none of printf's (a
/// bare percent sign, an unknown conversion), or that would write to memory (%n), is taken as it is: FMUs often hand on
/// texts of users.
[[nodiscard]] std::string expand_message(const char* format, std::va_list arguments);
/// "#r12#" becomes the variable's name and "##" becomes "#".
[[nodiscard]] std::string name_variables(std::string text, const VariableNames& names);

inline constexpr std::size_t kLongestMessage = 4096;  ///< [bytes]; longer ones are cut

/// What an instance says: hands each message to a sink and keeps the last ones for errors. FMUs may write from any
/// thread; the sink is called by one at a time.
class InstanceLog {
 public:
  InstanceLog(LogSink sink, VariableNames names);

  // Null texts are empty ones: FMUs send them.
  void write_text(int status, const char* category, const char* text) noexcept;
  void write_expanded(int status, const char* category, const char* format, std::va_list arguments) noexcept;

  /// The last messages, oldest first, as part of a sentence; empty if there were none.
  [[nodiscard]] std::string last_messages() const;
  [[nodiscard]] std::size_t count() const;

 private:
  static constexpr std::size_t kKept = 5;

  void keep(int status, const char* category, std::string text);

  LogSink sink_;
  VariableNames names_;
  mutable std::mutex mutex_;
  std::array<std::string, kKept> last_;
  std::size_t count_ = 0;
};

}  // namespace tieline::fmi
