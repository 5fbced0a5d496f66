#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "fmi/fmi1.h"
#include "fmi/fmi2.h"
#include "fmi/fmi3.h"
#include "fmi/own_libraries.hpp"

namespace tieline::fmi {

/// How an FMU is run: its equations are solved by us, or it brings a solver.
enum class InterfaceType { model_exchange, co_simulation };

/// The functions of an FMU. None is null: one that the library lacks answers with Status::missing.
struct Functions1 {
#define TIELINE_FMI_MEMBER(name) name##TYPE* name = nullptr;
  FMI1_ALL_FUNCTIONS(TIELINE_FMI_MEMBER)
};
struct Functions2 {
  FMI2_ALL_FUNCTIONS(TIELINE_FMI_MEMBER)
};
struct Functions3 {
  FMI3_ALL_FUNCTIONS(TIELINE_FMI_MEMBER)
#undef TIELINE_FMI_MEMBER
};

/// The folder in binaries/ that holds the library for this machine, of those that there are. The name that the other
/// version of FMI uses is taken too, with a warning.
struct PlatformChoice {
  std::string folder{};
  std::string warning{};  ///< empty: none
};
[[nodiscard]] core::Result<PlatformChoice> choose_platform(int version, std::span<const std::string> folders);

/// The same sentences wherever a library is looked for: that it is not in its folder, and what there is instead; and
/// that it lacks functions.
[[nodiscard]] std::string no_library(const std::string& file, const std::string& folder,
                                     std::vector<std::string> others);
[[nodiscard]] std::string missing_functions(const std::string& file, InterfaceType type,
                                            std::span<const std::string> names);

/// What is to be loaded.
struct LibraryRequest {
  std::filesystem::path folder{};  ///< binaries/<platform>, unpacked
  std::string model_identifier{};
  int version = 3;  ///< 1, 2 or 3
  InterfaceType type = InterfaceType::co_simulation;
};

/// The machine code of an FMU, loaded into this process with symbols of its own. Shared by the instances made from it,
/// which may be in different threads; unloaded after the last of them, unless one was abandoned in the middle of a
/// call.
class Library {
 public:
  /// All functions that the type of interface cannot do without and that are missing are named in one error.
  [[nodiscard]] static core::Result<std::shared_ptr<const Library>> open(const LibraryRequest& request);
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library();

  [[nodiscard]] int version() const { return version_; }
  [[nodiscard]] InterfaceType type() const { return type_; }
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  /// What users should know about how it was loaded; empty: nothing.
  [[nodiscard]] const std::string& note() const { return note_; }
  /// Null for an FMU of another version. Those of 1.0 have both: their own, and the functions of 2.0 that work on what
  /// instantiate1 returns.
  [[nodiscard]] const Functions1* fmi1() const { return version_ == 1 ? &one_ : nullptr; }
  [[nodiscard]] const Functions2* fmi2() const { return version_ <= 2 ? &two_ : nullptr; }
  [[nodiscard]] const Functions3* fmi3() const { return version_ == 3 ? &three_ : nullptr; }

  /// Something of the FMU may still run, or its memory may be broken: the code stays loaded until the process ends.
  void abandon() const { is_abandoned_ = true; }

 private:
  Library(void* handle, const LibraryRequest& request, std::filesystem::path file);
  /// From copies under other names, if names of its libraries are taken.
  [[nodiscard]] static void* load_separately(const std::filesystem::path& file, int flags,
                                             std::optional<OwnLibraries>& copies, std::string& note);
  /// Fills the tables; the names of functions that are needed and missing.
  [[nodiscard]] std::vector<std::string> bind();
  [[nodiscard]] core::Result<void> check_version() const;

  /// What must be there as long as it is loaded, if it could not be loaded from its own place.
  std::optional<OwnLibraries> copies_;
  std::string note_;
  void* handle_;
  int version_;
  InterfaceType type_;
  std::filesystem::path file_;
  std::string prefix_;  ///< of the names of functions (1.0)
  Functions1 one_{};
  Functions2 two_{};
  Functions3 three_{};
  mutable std::atomic<bool> is_abandoned_{false};
};

}  // namespace tieline::fmi
