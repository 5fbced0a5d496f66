#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/result.hpp"
#include "fmi/archive.hpp"
#include "fmi/description.hpp"
#include "fmi/instance.hpp"
#include "fmi/library.hpp"

namespace tieline::fmi {

/// An FMU that is ready for instances. The archive that it came from must outlive them: their files are in its folder.
struct LoadedFmu {
  std::shared_ptr<const Library> library{};
  std::filesystem::path resources{};  ///< unpacked; need not be there
  std::string warning{};              ///< empty: none
};

/// Unpacks the machine code for this machine and the resources, and loads the code.
[[nodiscard]] core::Result<LoadedFmu> load_fmu(Archive& archive, const Description& description, InterfaceType type);

/// What the description says of instances; names variables in messages. The description must outlive the instance.
[[nodiscard]] InstanceSettings settings_for(const Description& description, const LoadedFmu& fmu, std::string name);

}  // namespace tieline::fmi
