#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "fmi/instance_log.hpp"
#include "fmi/library.hpp"
#include "fmi/negated_aliases.hpp"

namespace tieline::fmi {

// FMUs of FMI 1.0 behind the functions of FMI 2.0, so that whoever runs instances knows two versions only. What
// differs:
//
//  - There is no initialization mode. Values that are set before the FMU is initialized are its start values; reading
//    one in initialization mode initializes it. Inputs that change after that, while initialization mode lasts, are
//    set as well, and where they have another value at its end, a fresh instance is made and initialized with them.
//  - There is no event mode: entering and leaving it does nothing, and an update of the discrete states is one call of
//    fmiEventUpdate. What fmiInitialize has answered about events is the answer to the first update.
//  - Callbacks know the FMU's handle only, and not always that: a message belongs to the instance with this handle, or
//    else with this name, or else to the last one made.
//  - States cannot be saved, nor sensitivities asked for: these functions answer with Status::missing.

struct Request1 {
  const Functions1* functions = nullptr;
  InterfaceType type = InterfaceType::co_simulation;
  std::string name{};
  std::string token{};      ///< the GUID
  std::string location{};   ///< URI of the folder into which the FMU was unpacked
  std::string mime_type{};  ///< of co-simulation; empty: that of a library
  bool is_visible = false;
  bool is_logging = false;
  bool may_be_remade = true;  ///< a fresh instance may be made during initialization
  NegatedAliases negated{};
  InstanceLog* log = nullptr;  ///< stays valid until the instance is freed or abandoned
  fmi2StepFinished finish_step = nullptr;
  void* environment = nullptr;  ///< of finish_step
};

/// What the functions of functions2_of_1 work on; null if the FMU refuses to make an instance.
[[nodiscard]] fmi2Component instantiate1(Request1 request);
[[nodiscard]] const Functions2& functions2_of_1();

/// The value references of the continuous states, in the order of the state vector; kNone for those that have none.
[[nodiscard]] fmi2Status state_references1(fmi2Component component, std::span<std::uint32_t> references);
/// The function of FMI 1.0 that was called for one of 2.0, or for it before: "fmiInitialize" for "GetReal" where
/// reading a value has initialized the instance and that failed. The name is without "fmi2".
[[nodiscard]] std::string name_in_1(fmi2Component component, const char* name);
/// The instance is lost: none of its messages are passed on any more.
void abandon1(fmi2Component component);

}  // namespace tieline::fmi
