#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "core/result.hpp"
#include "fmi/fmu_spec.hpp"
#include "fmi/instance.hpp"

namespace tieline::fmi {

/// The reason of a run that an FMU has ended (terminateSimulation).
inline constexpr const char* kAsksToEnd = "the FMU asks to end the simulation";

/// What a run passes to an FMU beside its own settings.
struct RunFacts {
  std::string name{};       ///< of the component
  double stop = 0.0;        ///< [s]
  double tolerance = 1e-6;  ///< of the solver that integrates a model-exchange FMU
  double window = 0.0;      ///< typical stretch between exchanges [s]; 0: unknown
  /// Lines for people: what the FMU writes to its log, with its level.
  std::function<void(const std::string& line)> on_message{};
};

/// Unpacks what an instance needs on this machine, if that has not been done; the folder that it is in.
[[nodiscard]] core::Result<std::filesystem::path> unpack(const FmuSpec& spec);

/// Unpacks and loads the FMU's library for this machine, and makes an instance. What `settings` leaves open (name,
/// token, resources, log, sizes) is filled in. An earlier instance in whose place the new one comes is freed before;
/// its library stays loaded. (To reset it instead is what many exporters have never tried.)
[[nodiscard]] core::Result<std::unique_ptr<Instance>> make_instance(const FmuSpec& spec, const RunFacts& facts,
                                                                    InstanceSettings settings = {},
                                                                    std::unique_ptr<Instance> earlier = nullptr);

/// Sets what the model states of start values, structural parameters first; right after `make_instance`.
core::Result<void> set_starts(Instance& instance, const FmuSpec& spec);

}  // namespace tieline::fmi
