#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "tieline/export.hpp"
#include "tieline/file_error.hpp"
#include "tieline/problem.hpp"
#include "tieline/simulation.hpp"

/// Models of other formats, and libraries of component types. Functions throw ModelError, with every problem, where a
/// model or library is wrong, and FileError where a file cannot be written. Where a file exists that only an option
/// allows to be replaced, the FileError lists it in `problems()` with advice.
namespace tieline {

struct ConversionOptions {
  bool replaces = false;  ///< a file that exists is replaced
};

struct Conversion {
  std::string format{};             ///< what the model was
  std::vector<Problem> problems{};  ///< warnings and notes on what has no place in our format
  std::size_t warnings = 0;         ///< how many of the problems
};

/// The formats that are recognised beside our own, and those that can be written, by their endings: lists for people.
[[nodiscard]] TIELINE_PUBLIC std::string readable_formats();
[[nodiscard]] TIELINE_PUBLIC std::string writable_formats();

/// Reads a model of another format, by its content, and writes it in the format that the ending of `file` names.
TIELINE_PUBLIC Conversion convert_model(const std::filesystem::path& in, const std::filesystem::path& file,
                                        const ConversionOptions& options = {});

/// A component type in a library.
struct TypeInfo {
  std::string name{};     ///< "library.Type"
  std::string summary{};  ///< the first line of its description
};

struct LibraryInfo {
  std::string name{};
  std::string version{};
  std::string summary{};  ///< the first line of its description
  std::filesystem::path file{};
  std::vector<TypeInfo> types{};
};

/// A folder in which libraries are looked for.
struct LibraryFolder {
  std::string whose{};  ///< "model", "environment", "user" or "installed"
  std::filesystem::path path{};
  bool exists = false;
  std::vector<LibraryInfo> libraries{};
};

struct LibraryListing {
  std::vector<LibraryFolder> folders{};  ///< in the order of search
  std::vector<Problem> problems{};       ///< of libraries that cannot be read, which are left out
};

/// All libraries that are found; `model`: those beside this model come first.
[[nodiscard]] TIELINE_PUBLIC LibraryListing list_libraries(const std::filesystem::path& model = {});

/// What a component type declares, with what it takes from the types that it extends.
struct TypeDescription {
  struct Parameter {
    std::string name{};
    std::string value{};  ///< a number or an {expression} [unit]
    std::string unit{};
    std::string description{};
  };
  struct Interface {
    std::string name{};
    std::string domain{};
    std::string causality{};
    std::string size{};  ///< a number or an {expression}; empty: 1
  };
  struct Base {
    std::string name{};  ///< of a type that it extends
    std::filesystem::path file{};
  };
  struct File {
    std::string role{};  ///< "file", "icon", "geometry" or "input file"
    std::filesystem::path path{};
  };
  std::string name{};  ///< "library.Type"
  std::filesystem::path file{};
  std::string description{};
  std::string kind{};     ///< of components; empty where it is not stated
  std::string tool{};     ///< empty where it is not stated
  std::string version{};  ///< empty where it is not stated
  std::string command{};  ///< empty where it is not stated
  std::vector<Base> bases{};
  std::vector<File> files{};
  std::vector<Parameter> parameters{};
  std::vector<Interface> interfaces{};
};

/// Describes "library.Type". Throws ModelError, with the nearest name, where there is none.
[[nodiscard]] TIELINE_PUBLIC TypeDescription describe_type(const std::string& type,
                                                           const std::filesystem::path& model = {});

struct LibraryOptions {
  bool replaces = false;          ///< files that exist are replaced
  std::filesystem::path model{};  ///< libraries beside this model are looked at first; empty: none
};

/// Checks a library file and copies it, with the files that it names, to the user's folder. Returns where it is now.
TIELINE_PUBLIC std::filesystem::path add_library(const std::filesystem::path& library,
                                                 const LibraryOptions& options = {});

struct LibraryExport {
  std::size_t types = 0;  ///< written
  std::size_t files = 0;  ///< written beside the library
};

/// Writes types ("library.Type"), with those that they extend or use, as one library, and the files that they name
/// beside it.
TIELINE_PUBLIC LibraryExport export_types(const std::vector<std::string>& types, const std::filesystem::path& library,
                                          const LibraryOptions& options = {});

}  // namespace tieline
