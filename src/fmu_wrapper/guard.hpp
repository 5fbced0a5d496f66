#pragma once

#include <exception>
#include <string>

#include "fmu_wrapper/instance.hpp"

namespace tieline::fmu_wrapper {

/// Runs a function of the interface. What it throws becomes a message of the instance and `failed`: no exception leaves
/// the library.
template <class Status, class Function>
Status guarded(Instance& instance, const char* function, Status failed, Function&& run) noexcept {
  try {
    try {
      return run();
    } catch (const std::exception& failure) {
      instance.log(Severity::error, std::string(function) + ": " + failure.what());
    } catch (...) {
      instance.log(Severity::error, std::string(function) + ": unknown failure");
    }
  } catch (...) {
    // There is no memory for the message.
  }
  return failed;
}

/// Log messages by category: errors and warnings always, the rest where the host has asked for it.
class LogFilter {
 public:
  static constexpr const char* kAll = "logAll";
  static constexpr const char* kError = "logStatusError";
  static constexpr const char* kWarning = "logStatusWarning";
  static constexpr const char* kEvents = "logEvents";
  static constexpr const char* kInfo = "logInfo";

  void set(bool is_on, std::set<std::string> categories) {
    is_on_ = is_on;
    categories_ = std::move(categories);
  }
  /// The category of a message that is to be passed on; null: it is not.
  [[nodiscard]] const char* category_of(Severity severity) const {
    if (severity == Severity::error) return kError;
    if (severity == Severity::warning) return kWarning;
    const char* const category = severity == Severity::event ? kEvents : kInfo;
    const bool is_chosen = categories_.empty() || categories_.contains(kAll) || categories_.contains(category);
    return is_on_ && is_chosen ? category : nullptr;
  }

 private:
  bool is_on_ = false;
  std::set<std::string> categories_;  ///< empty: all
};

/// Reads what the FMU contains, and makes an instance; null with a message to the log if that fails, or if the host
/// expects another FMU.
[[nodiscard]] std::unique_ptr<Instance> make_instance(const char* name, const char* token, const char* resources,
                                                      int fmi_version, bool is_exchange, const Log& log) noexcept;

}  // namespace tieline::fmu_wrapper
