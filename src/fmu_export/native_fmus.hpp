#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "archive/temporary_folder.hpp"
#include "assembly/checked_model.hpp"
#include "document/diagnostics.hpp"

namespace tieline::fmu_export {

/// A model whose native components are FMUs for co-simulation, for tools that know nothing else. Lines along one axis
/// are two signals: what leaves one end, averaged over a step, is the wave that comes in at the other during the next
/// one. The step is then the delay of the line, and its impedance is such that its stiffness remains.
struct NativeFmus {
  archive::TemporaryFolder folder;  ///< of the FMUs
  assembly::CheckedModel model{};
  std::optional<double> step{};         ///< at which the lines have the delay that they were given [s]
  std::vector<std::string> left_out{};  ///< connections that it does not have
};

/// What cannot be shown so (components whose equations do not stand alone, other couplings, delays of signals) is left
/// as it was or left out, with a note. `library`: folder of the library that goes into FMUs. Nothing after errors.
[[nodiscard]] std::optional<NativeFmus> with_native_fmus(const std::filesystem::path& model,
                                                         const std::filesystem::path& library,
                                                         document::Diagnostics& diagnostics);

}  // namespace tieline::fmu_export
