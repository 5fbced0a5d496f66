#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "support/temporary_folder.hpp"

namespace tieline::support {

/// The whole content of a file; empty if it cannot be read.
inline std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// A file or folder among the examples.
inline std::string example(const std::string& name) { return std::string(TIELINE_SOURCE_DIR "/examples/") + name; }

/// A folder for the files of a test, which goes away with it.
class WorkFolder {
 public:
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }
  [[nodiscard]] std::filesystem::path path(const std::string& name) const { return folder_.path() / name; }

  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace tieline::support
