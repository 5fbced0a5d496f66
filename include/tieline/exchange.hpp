#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tieline/export.hpp"
#include "tieline/file_error.hpp"
#include "tieline/problem.hpp"
#include "tieline/setting.hpp"
#include "tieline/simulation.hpp"

/// Models of other formats, and libraries of component types. Functions throw ModelError, with every problem, if a
/// model or library is wrong, and FileError if a file cannot be written. If a file exists and the options do not allow
/// to replace it, the FileError lists it in `problems()` with advice.
namespace tieline {

struct ConversionOptions {
  bool replaces = false;        ///< replaces a file that exists
  bool only_reports = false;    ///< reads and translates the model, but writes nothing
  bool native_as_fmus = false;  ///< in an SSP, native components are FMUs as well, which other tools can run
  std::string format{};         ///< to write, one of `writable_formats`; empty: that of the extension
};

/// What became of one sort of thing in a model, such as its components.
struct ConvertedPart {
  bool is_written = false;           ///< false: reading the model; true: writing it
  std::string what{};                ///< "components"
  std::size_t translated = 0;        ///< has the same meaning in the new format
  std::size_t kept = 0;              ///< kept in annotations or properties, without effect, and restored from there
  std::size_t lost = 0;              ///< cannot be expressed in the new format
  std::vector<std::string> names{};  ///< the first of those that are kept or lost
};

struct Conversion {
  std::string format{};                ///< of the model that was read
  std::vector<Problem> problems{};     ///< warnings and notes on what the new format cannot express
  std::size_t warnings = 0;            ///< number of warnings among the problems
  std::vector<ConvertedPart> parts{};  ///< of the model that was read, then of the one that was written
};

/// Lists for messages: the formats that can be read besides our own, and those that can be written, by file extension.
[[nodiscard]] TIELINE_PUBLIC std::string readable_formats();
[[nodiscard]] TIELINE_PUBLIC std::string writable_formats();

/// Reads a model, whose format is recognised by its content, and writes it in the format that the extension of `file`
/// names.
TIELINE_PUBLIC Conversion convert_model(const std::filesystem::path& in, const std::filesystem::path& file,
                                        const ConversionOptions& options = {});

/// How a model looks as an FMU.
struct FmuExportOptions {
  int fmi_version = 2;                    ///< 2 or 3
  bool model_exchange = false;            ///< the equations of `component` for the importer's solver
  std::vector<Setting> settings{};        ///< fixed in the FMU
  std::string component{};                ///< exports this component alone; empty: the whole model
  std::optional<double> stop{};           ///< of the default experiment [s]; none: the model's
  bool has_parameters = true;             ///< false: the FMU has no parameters
  std::vector<std::string> parameters{};  ///< names or patterns of its parameters; empty: all of the model
  std::vector<std::string> outputs{};     ///< names or patterns of further outputs among the recorded variables
  std::vector<std::string> waves{};       ///< names or patterns of interfaces that are ends of lines
  bool replaces = false;                  ///< replaces a file that exists
};

/// What an exported FMU shows to others, in the order of its description.
struct FmuExport {
  std::vector<std::string> parameters{}, inputs{}, outputs{};
  bool can_save = true;    ///< its state can be saved and restored
  std::size_t states = 0;  ///< continuous states, in model exchange
  std::size_t event_indicators = 0;
  std::vector<Problem> problems{};  ///< warnings and notes
};

/// Writes a composite model, or one component of it, as an FMU for co-simulation, or a component for model exchange, on
/// 64-bit Linux. It contains all that it needs. Open signals are inputs and outputs; open physical interfaces have a
/// motion as output and a force as input, or a wave and an impedance as inputs if they fit `waves`.
TIELINE_PUBLIC FmuExport export_fmu(const std::filesystem::path& model, const std::filesystem::path& file,
                                    const FmuExportOptions& options = {});

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

/// A folder in which libraries are searched for.
struct LibraryFolder {
  std::string whose{};  ///< "model", "environment", "user" or "installed"
  std::filesystem::path path{};
  bool exists = false;
  std::vector<LibraryInfo> libraries{};
};

struct LibraryListing {
  std::vector<LibraryFolder> folders{};  ///< in the order of search
  std::vector<Problem> problems{};       ///< of libraries that cannot be read and are not listed
};

/// Lists all libraries; those in the folder of `model`, if it is not empty, come first.
[[nodiscard]] TIELINE_PUBLIC LibraryListing list_libraries(const std::filesystem::path& model = {});

/// The declarations of a component type, including those of the types that it extends.
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
  std::string kind{};     ///< of components; empty: not stated
  std::string tool{};     ///< empty: not stated
  std::string version{};  ///< empty: not stated
  std::string command{};  ///< empty: not stated
  std::vector<Base> bases{};
  std::vector<File> files{};
  std::vector<Parameter> parameters{};
  std::vector<Interface> interfaces{};
};

/// Describes "library.Type". Throws ModelError, with the nearest name, if there is no such type.
[[nodiscard]] TIELINE_PUBLIC TypeDescription describe_type(const std::string& type,
                                                           const std::filesystem::path& model = {});

struct LibraryOptions {
  bool replaces = false;          ///< replaces files that exist
  std::filesystem::path model{};  ///< searches libraries in the folder of this model first; empty: none
};

/// Checks a library file and copies it, with the files that it names, to the user's folder. Returns its new path.
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
