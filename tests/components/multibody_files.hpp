#pragma once

#include <fstream>
#include <gtest/gtest.h>
#include <string>

#include "components/multibody/grammar.hpp"
#include "components/multibody/reader.hpp"
#include "document/grammar.hpp"
#include "document/xml.hpp"
#include "support/temporary_folder.hpp"

namespace tieline::components {

/// A multibody system in files of a folder of its own, checked against the grammar and read.
class MultibodyFiles : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((folder_.path() / name).parent_path());
    std::ofstream(folder_.path() / name, std::ios::binary) << text;
  }
  MultibodySpec read(const std::string& content, const std::string& attributes = "") {
    write("system.xml", "<Multibody " + attributes + ">\n" + content + "\n</Multibody>");
    const auto document = document::Document::load(folder_.path() / "system.xml", diagnostics_);
    if (!document) return {};
    document::check_against(multibody_grammar(), document->root(), diagnostics_);
    return read_multibody(document->root(), document::Scope(), diagnostics_);
  }
  /// What was said, with the folder left out.
  [[nodiscard]] std::string said() const {
    std::string text = diagnostics_.describe();
    const std::string folder = folder_.path().string() + "/";
    for (std::size_t at; (at = text.find(folder)) != text.npos;) text.erase(at, folder.size());
    return text;
  }

  support::TemporaryFolder folder_;
  document::Diagnostics diagnostics_;
};

}  // namespace tieline::components
