#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "fmi/fmi1_model.hpp"

namespace tieline::fmi {

[[nodiscard]] inline fmi2Status as2(fmiStatus status) { return static_cast<fmi2Status>(static_cast<int>(status)); }
[[nodiscard]] inline bool is_bad(fmi2Status status) { return status != fmi2OK && status != fmi2Warning; }

/// Values that were set, by the FMU's reference.
struct GivenValues {
  std::map<std::uint32_t, double> reals{};
  std::map<std::uint32_t, int> integers{};
  std::map<std::uint32_t, char> booleans{};
  std::map<std::uint32_t, std::string> strings{};

  [[nodiscard]] bool operator==(const GivenValues&) const = default;
};

/// An instance of FMI 1.0 and what FMI 2.0 would know of it; see fmi1_model.hpp. Made, used and freed by the functions
/// of functions2_of_1, from one thread at a time.
class Instance1 {
 public:
  explicit Instance1(Request1 request);
  Instance1(const Instance1&) = delete;
  Instance1& operator=(const Instance1&) = delete;
  ~Instance1();

  [[nodiscard]] static Instance1& of(fmi2Component component) { return *static_cast<Instance1*>(component); }
  [[nodiscard]] bool is_exchange() const { return request.type == InterfaceType::model_exchange; }

  /// False if the FMU refuses.
  [[nodiscard]] bool make();
  fmi2Status initialize();
  fmi2Status leave_initialization();
  /// A fresh instance of the FMU in place of this one.
  fmi2Status make_again();
  /// Values are not known before the FMU is initialized.
  fmi2Status require_values() { return is_starting && !is_initialized ? initialize() : fmi2OK; }

  const Functions1& functions;
  Request1 request;
  std::atomic<fmiComponent> handle{nullptr};  ///< read by callbacks of other instances, too
  bool is_starting = true;                    ///< until initialization mode is left: what is set is kept
  bool is_initialized = false;
  const char* failed_call = nullptr;  ///< that was made for another one
  double start = 0.0, stop = 0.0;     ///< [s]
  double tolerance = 0.0;
  bool has_stop = false, has_tolerance = false;
  GivenValues given{}, given_before{};  ///< now, and when it was initialized
  fmiEventInfo first_event{};           ///< that fmiInitialize has answered
  bool has_first_event = false;
  double step_begin = 0.0;  ///< of the last step [s]
  bool was_discarded = false;

 private:
  void free();
  fmi2Status set_given();
};

}  // namespace tieline::fmi
