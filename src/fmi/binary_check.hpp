#pragma once

#include <string>
#include <vector>

#include "archive/archive.hpp"
#include "core/result.hpp"
#include "fmi/description.hpp"
#include "fmi/library.hpp"

namespace tieline::fmi {

/// The folder of an FMU with the library for this machine.
struct BinaryChoice {
  std::string folder{};   ///< inside the FMU: "binaries/linux64"
  std::string warning{};  ///< where the standard wants another one; empty: none
};

/// Finds the library of a model identifier: in the folder of this machine, by the names of all versions of FMI, or else
/// in any other folder below binaries/ if exactly one there is for this machine.
[[nodiscard]] core::Result<BinaryChoice> choose_binary(const archive::Archive& fmu, int version,
                                                       const std::string& model_identifier);

/// What loading an FMU would find, without loading it.
struct BinaryReport {
  std::string file{};                   ///< inside the FMU; empty: there is none
  std::vector<std::string> problems{};  ///< why it cannot be loaded, a sentence each
  std::vector<std::string> warnings{};
  std::vector<std::string> libraries{};  ///< that it needs and that were found
};

/// Reads the headers of the FMU's library and looks for the libraries that it needs as the dynamic linker does, in the
/// FMU and on this machine: folders that they state, LD_LIBRARY_PATH, the linker's cache and its standard folders.
[[nodiscard]] BinaryReport check_binary(const archive::Archive& fmu, const Description& description,
                                        InterfaceType type);

}  // namespace tieline::fmi
