#pragma once

#include <filesystem>

#include "archive/temporary_folder.hpp"

namespace tieline::support {

/// A new folder for a test, removed with everything in it. A test without one cannot continue.
class TemporaryFolder {
 public:
  [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }

 private:
  archive::TemporaryFolder folder_ = archive::TemporaryFolder::make("tieline-test").value();
};

}  // namespace tieline::support
