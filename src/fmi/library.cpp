#include "fmi/library.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <system_error>
#include <utility>

#include "core/nearest_name.hpp"
#include "fmi/elf_file.hpp"
#include "fmi/fmi1_model.hpp"
#include "fmi/instance_log.hpp"
#include "fmi/linker_paths.hpp"
#include "fmi/missing_function.hpp"

namespace tieline::fmi {
namespace {

namespace fs = std::filesystem;

core::Error unusable(std::string message) { return {core::ErrorCode::bad_input, std::move(message)}; }

#if defined(__x86_64__)
constexpr const char* kPlatform2 = "linux64";
constexpr const char* kPlatform3 = "x86_64-linux";
#elif defined(__aarch64__)
constexpr const char* kPlatform2 = "aarch64-linux";
constexpr const char* kPlatform3 = "aarch64-linux";
#else
#error "FMUs have no name for this machine"
#endif

/// Why a file cannot be loaded here, by its headers; empty if nothing speaks against it. (The system kills a process
/// that loads a library that is cut off.)
std::string wrong_file(const fs::path& file) {
  const auto elf = read_elf(file_content(file));
  return elf ? std::string() : elf.error().message;
}

/// Why the file is not there: other libraries in the folder may show a misspelt modelIdentifier.
core::Error not_there(const fs::path& file) {
  std::vector<std::string> others;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(file.parent_path(), ignored)) {
    if (entry.path().extension() == ".so") others.push_back(entry.path().filename().string());
  }
  return unusable(no_library(file.filename().string(), file.parent_path().filename().string(), std::move(others)));
}

/// A symbol of a library that is loaded already; null: none.
void* symbol_of_loaded(const char* library, const char* symbol) {
  void* const handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return nullptr;
  void* const found = dlsym(handle, symbol);
  dlclose(handle);
  return found;
}

/// Whether this process uses other memory functions than the C library's: a sanitizer's, or those of LD_PRELOAD. What
/// one of them has allocated the other cannot free, so that everybody must use the same.
bool has_other_memory_functions() {
  void* const own = symbol_of_loaded("libc.so.6", "free");
  return own != nullptr && dlsym(RTLD_DEFAULT, "free") != own;
}

/// Whether the program that this is part of has its own copies of C++'s streams, as programs do that were compiled
/// without position-independent access to them: those of the standard library are dead then.
bool has_copied_streams() {
  void* const original = symbol_of_loaded("libstdc++.so.6", "_ZSt4cout");
  return original != nullptr && dlsym(RTLD_DEFAULT, "_ZSt4cout") != original;
}

/// Whether a library of the folder writes to the streams of C++.
bool uses_streams(const fs::path& folder) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().filename().string().find(".so") == std::string::npos || !entry.is_regular_file(ignored)) continue;
    const std::string content = file_content(entry.path());
    for (const char* name : {"_ZSt4cout", "_ZSt4cerr", "_ZSt4clog", "_ZSt3cin"}) {
      if (content.find(name) != std::string::npos) return true;
    }
  }
  return false;
}

/// FMUs bring solvers or readers that this process may have in another version: their own come first, and nobody else
/// sees them (docs/decisions/0034-symbols-of-fmus.md).
int load_flags(const fs::path& folder) {
  constexpr int kPlain = RTLD_NOW | RTLD_LOCAL;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  static_cast<void>(folder);
  static_cast<void>(&has_other_memory_functions), static_cast<void>(&has_copied_streams);
  static_cast<void>(&uses_streams);
  return kPlain;  // the sanitizers must come first
#else
  if (has_other_memory_functions() || (has_copied_streams() && uses_streams(folder))) return kPlain;
  return kPlain | RTLD_DEEPBIND;
#endif
}

// Libraries that are loaded before one that does not find them.
constexpr int kMostAttempts = 600;

/// Loads a library; others that it needs and that lie beside it without being found from there are loaded before, and
/// stay loaded: it holds on to them by their names. `attempts` are left for all of them.
void* load(const fs::path& file, int flags, int& attempts, std::string& problem) {
  std::string last;
  while (attempts-- > 0) {
    dlerror();
    void* const handle = dlopen(file.c_str(), flags);
    if (handle != nullptr) return handle;
    const char* const text = dlerror();
    problem = text != nullptr ? text : "for an unknown reason";
    // "name: cannot open shared object file: ..." names what is missing.
    const std::string missing = problem.substr(0, problem.find(':'));
    std::error_code ignored;
    const fs::path helper = file.parent_path() / fs::path(missing).filename();
    if (missing == last || helper == file || !fs::is_regular_file(helper, ignored)) return nullptr;
    last = missing;
    if (load(helper, flags, attempts, problem) == nullptr) return nullptr;
  }
  return nullptr;
}

/// `prefix` is in front of the names that a library exports; those without it are taken as well.
template <class Function>
bool bind_function(void* handle, const std::string& prefix, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(handle, (prefix + name).c_str()));
  if (function == nullptr && !prefix.empty()) function = reinterpret_cast<Function*>(dlsym(handle, name));
  if (function != nullptr) return true;
  function = &Missing<Function>::call;
  return false;
}

}  // namespace

std::string no_library(const std::string& file, const std::string& folder, std::vector<std::string> others) {
  std::sort(others.begin(), others.end());
  return fmt::format("the FMU has no '{}' in '{}'{}", file, folder,
                     others.empty() ? std::string("; there is no library at all")
                                    : fmt::format("; there is '{}'", fmt::join(others, "', '")));
}

std::string missing_functions(const std::string& file, InterfaceType type, std::span<const std::string> names) {
  return fmt::format("'{}' does not contain {} of {}: {}", file, names.size() == 1 ? "a function" : "functions",
                     type == InterfaceType::model_exchange ? "model exchange" : "co-simulation",
                     fmt::join(names, ", "));
}

core::Result<PlatformChoice> choose_platform(int version, std::span<const std::string> folders) {
  const auto has = [&](const std::string& name) {
    return std::find(folders.begin(), folders.end(), name) != folders.end();
  };
  const std::string own = version == 3 ? kPlatform3 : kPlatform2;
  const std::string other = version == 3 ? kPlatform2 : kPlatform3;
  if (has(own)) return PlatformChoice{own, {}};
  if (has(other)) {
    return PlatformChoice{other, fmt::format("binaries/{} is the name of FMI {}.0; FMI {}.0 requires binaries/{}",
                                             other, version == 3 ? 2 : 3, version, own)};
  }
  if (folders.empty())
    return unusable("the FMU has no machine code ('binaries' is empty); it may contain only sources");
  return unusable(
      fmt::format("the FMU has no machine code for this machine ('{}'); it has '{}'", own, fmt::join(folders, "', '")));
}

void* Library::load_separately(const fs::path& file, int flags, std::optional<OwnLibraries>& copies,
                               std::string& note) {
  // Where symbols of the program come first, a library of its own would not help.
  if ((flags & RTLD_DEEPBIND) == 0) return nullptr;
  auto separated = OwnLibraries::separate(file);
  if (separated && !*separated) return nullptr;
  std::string problem = separated ? "" : separated.error().message;
  void* handle = nullptr;
  if (separated) {
    // The FMU's library finds them by their names, and keeps them.
    std::vector<void*> helpers;
    int attempts = kMostAttempts;
    for (const fs::path& helper : (*separated)->helpers()) helpers.push_back(load(helper, flags, attempts, problem));
    handle = load((*separated)->file(), flags, attempts, problem);
    for (void* const helper : helpers) {
      if (helper != nullptr) dlclose(helper);
    }
  }
  if (handle != nullptr) {
    copies = std::move(*separated);
  } else {
    note = fmt::format("libraries of the FMU have the names of others that are loaded already, and those are used: {}",
                       problem);
  }
  return handle;
}

core::Result<std::shared_ptr<const Library>> Library::open(const LibraryRequest& request) {
  // An absolute path: dlopen searches for others.
  std::error_code ignored;
  const fs::path file = fs::absolute(request.folder / (request.model_identifier + ".so"), ignored);
  if (!fs::is_regular_file(file, ignored)) return not_there(file);
  if (const std::string why = wrong_file(file); !why.empty()) {
    return unusable(fmt::format("'{}' {}", file.filename().string(), why));
  }
  std::string problem, note;
  const int flags = load_flags(file.parent_path());
  std::optional<OwnLibraries> copies;
  void* handle = load_separately(file, flags, copies, note);
  int attempts = kMostAttempts;
  if (handle == nullptr) handle = load(file, flags, attempts, problem);
  if (handle == nullptr) return unusable("the FMU's library cannot be loaded: " + problem);
  std::shared_ptr<Library> library(new Library(handle, request, file));
  library->copies_ = std::move(copies);
  library->note_ = std::move(note);
  if (const std::vector<std::string> missing = library->bind(); !missing.empty()) {
    return unusable(missing_functions(file.filename().string(), request.type, missing));
  }
  if (auto checked = library->check_version(); !checked) return std::move(checked.error());
  return std::shared_ptr<const Library>(std::move(library));
}

Library::Library(void* handle, const LibraryRequest& request, fs::path file)
    : handle_(handle),
      version_(request.version),
      type_(request.type),
      file_(std::move(file)),
      prefix_(version_ == 1 ? request.model_identifier + "_" : "") {}

Library::~Library() {
  if (!is_abandoned_) dlclose(handle_);
}

std::vector<std::string> Library::bind() {
  std::vector<std::string> missing;
  const bool is_exchange = type_ == InterfaceType::model_exchange;
#define TIELINE_FMI_NEED(name) \
  if (!bind_function(handle_, prefix_, #name, functions.name)) missing.push_back(prefix_ + #name);
#define TIELINE_FMI_TAKE(name) bind_function(handle_, prefix_, #name, functions.name);
  if (version_ == 1) {
    two_ = functions2_of_1();
    Functions1& functions = one_;
    FMI1_ALL_FUNCTIONS(TIELINE_FMI_TAKE)
    FMI1_BASIC_FUNCTIONS(TIELINE_FMI_NEED)
    if (is_exchange) {
      FMI1_MODEL_EXCHANGE_FUNCTIONS(TIELINE_FMI_NEED)
    } else {
      FMI1_CO_SIMULATION_FUNCTIONS(TIELINE_FMI_NEED)
    }
  } else if (version_ == 2) {
    Functions2& functions = two_;
    FMI2_ALL_FUNCTIONS(TIELINE_FMI_TAKE)
    FMI2_BASIC_FUNCTIONS(TIELINE_FMI_NEED)
    if (is_exchange) {
      FMI2_MODEL_EXCHANGE_FUNCTIONS(TIELINE_FMI_NEED)
    } else {
      FMI2_CO_SIMULATION_FUNCTIONS(TIELINE_FMI_NEED)
    }
  } else {
    Functions3& functions = three_;
    FMI3_ALL_FUNCTIONS(TIELINE_FMI_TAKE)
    FMI3_BASIC_FUNCTIONS(TIELINE_FMI_NEED)
    if (is_exchange) {
      FMI3_MODEL_EXCHANGE_FUNCTIONS(TIELINE_FMI_NEED)
    } else {
      FMI3_CO_SIMULATION_FUNCTIONS(TIELINE_FMI_NEED)
    }
  }
#undef TIELINE_FMI_NEED
#undef TIELINE_FMI_TAKE
  return missing;
}

core::Result<void> Library::check_version() const {
  const char* const reported = version_ == 1   ? one_.fmiGetVersion()
                               : version_ == 2 ? two_.fmi2GetVersion()
                                               : three_.fmi3GetVersion();
  if (reported == nullptr || reported[0] != '0' + version_) {
    return unusable(fmt::format("'{}' is of FMI version '{}', its description of {}.0", file_.filename().string(),
                                reported == nullptr ? "" : reported, version_));
  }
  // FMI 1.0 knows one platform of types, whose name exporters do not always get right.
  if (version_ == 2) {
    const char* const platform = two_.fmi2GetTypesPlatform();
    if (platform == nullptr || std::strcmp(platform, fmi2TypesPlatform) != 0) {
      return unusable(fmt::format("'{}' is built for the types '{}'; only '{}' is known", file_.filename().string(),
                                  platform == nullptr ? "" : platform, fmi2TypesPlatform));
    }
  }
  return {};
}

}  // namespace tieline::fmi
