#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "document/diagnostics.hpp"
#include "model/composite_model.hpp"
#include "model/grammar.hpp"
#include "model/library.hpp"

namespace tieline::model {

/// A library that stands alone, ready to be written: all its files into one folder, from which it names them.
struct LibraryExport {
  std::string text{};  ///< of the library itself
  std::size_t type_count = 0;
  std::map<std::string, std::string> documents{};         ///< models and contents that types name: file name and text
  std::map<std::string, std::filesystem::path> copies{};  ///< other files, or folders: name and where they are
};

/// A file that a library names, in a type, its content or a model within it.
struct NamedFile {
  document::Place place{};
  std::filesystem::path name{};    ///< as seen from the library's folder
  std::filesystem::path source{};  ///< where it is
};

/// All files that a library names.
[[nodiscard]] std::vector<NamedFile> files_named_in(const document::Element& library, const std::filesystem::path& file,
                                                    std::span<const ComponentKind> kinds);

/// Makes a library of types, each with the file that contains it. Types that these extend, or use in models within
/// them, come along under their plain names; content in files of its own is copied into the type. Nothing, with reports
/// of all problems, where two types have one name, or a file is missing or named by an expression.
[[nodiscard]] std::optional<LibraryExport> export_library(const std::string& name, const Statements& types,
                                                          std::span<const ComponentKind> kinds, const Shelf::Load& load,
                                                          document::Diagnostics& diagnostics);

}  // namespace tieline::model
