#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/library_folders.hpp"
#include "document/diagnostics.hpp"
#include "document/xml.hpp"
#include "model/composite_model.hpp"
#include "model/grammar.hpp"

/// Component types: described once in a library file, used in models by `type="library.Type"`.
namespace tieline::model {

using core::library_files;
using core::library_folders;
using core::LibraryFolder;
using core::user_library_folder;

/// Reads a library file by itself and checks it, each of its types included. Null after an error.
[[nodiscard]] std::shared_ptr<const document::Document> read_library(const std::filesystem::path& file,
                                                                     std::span<const ComponentKind> kinds,
                                                                     document::Diagnostics& diagnostics);

/// The libraries of a model while it is read. Each file is read once, by whoever reads the model. One thread.
class Shelf {
 public:
  /// Reads and checks a file whose root is <Library>; null after an error, which it has reported.
  using Load = std::function<std::shared_ptr<const document::Document>(const std::filesystem::path& file)>;
  /// Names of libraries and their files.
  using Index = std::map<std::string, std::filesystem::path, std::less<>>;

  explicit Shelf(Load load) : load_(std::move(load)), folders_(library_folders()) {}

  /// The libraries that a model or a library names itself in its <Libraries>.
  [[nodiscard]] Index used_by(const document::Element& root, const std::filesystem::path& file,
                              document::Diagnostics& diagnostics);

  /// Appends the type that an attribute names, and those that it extends. `used` are the libraries that the file of
  /// the attribute names itself. False, with a report, where one of them is missing or they extend each other in a
  /// circle.
  bool append_type(const document::Element& element, std::string_view attribute, const std::filesystem::path& file,
                   const Index& used, Statements& statements, document::Diagnostics& diagnostics);

 private:
  /// The file of a library by its name; empty, with a report, where there is none.
  std::filesystem::path find_library(const std::string& name, const std::filesystem::path& file, const Index& used,
                                     const document::Place& place, document::Diagnostics& diagnostics);

  Load load_;
  std::vector<LibraryFolder> folders_;
};

}  // namespace tieline::model
