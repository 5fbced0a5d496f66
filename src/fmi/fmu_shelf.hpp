#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

#include "document/diagnostics.hpp"
#include "fmi/binary_check.hpp"
#include "fmi/description.hpp"

namespace tieline::fmi {

/// What was found in the files of FMUs, so that those of which a model has many instances are read once. It belongs to
/// the reading of one model: files that change later are read anew by the next. From one thread.
class FmuShelf {
 public:
  struct Fmu {
    bool is_read = false;
    std::shared_ptr<const Description> description{};       ///< null: it cannot be used
    document::Diagnostics found{};                          ///< about the description
    std::array<std::optional<BinaryReport>, 2> binaries{};  ///< for co-simulation, for model exchange
  };

  [[nodiscard]] Fmu& at(const std::filesystem::path& file) { return fmus_[file]; }

 private:
  std::map<std::filesystem::path, Fmu> fmus_;
};

}  // namespace tieline::fmi
