#include "fmi/library.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "core/nearest_name.hpp"
#include "fmi/fmi1_model.hpp"
#include "fmi/missing_function.hpp"

namespace tieline::fmi {
namespace {

namespace fs = std::filesystem;

core::Error unusable(std::string message) { return {core::ErrorCode::bad_input, std::move(message)}; }

#if defined(__x86_64__)
constexpr const char* kPlatform2 = "linux64";
constexpr const char* kPlatform3 = "x86_64-linux";
constexpr unsigned kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr const char* kPlatform2 = "aarch64-linux";
constexpr const char* kPlatform3 = "aarch64-linux";
constexpr unsigned kMachine = EM_AARCH64;
#else
#error "FMUs have no name for this machine"
#endif

std::string machine_name(unsigned machine) {
  switch (machine) {
    case EM_X86_64:
      return "x86-64";
    case EM_386:
      return "32-bit x86";
    case EM_AARCH64:
      return "64-bit ARM";
    case EM_ARM:
      return "32-bit ARM";
    case EM_RISCV:
      return "RISC-V";
    default:
      return fmt::format("the machine with ELF number {}", machine);
  }
}

/// Whether an ELF file holds all that it asks to be mapped; the system kills a process that loads one that does not.
bool is_whole(const fs::path& file) {
  std::error_code unknown;
  const std::uintmax_t size = fs::file_size(file, unknown);
  std::ifstream in(file, std::ios::binary);
  Elf64_Ehdr header{};
  if (unknown || !in.read(reinterpret_cast<char*>(&header), sizeof header)) return false;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr part{};
    in.seekg(static_cast<std::streamoff>(header.e_phoff + i * std::uint64_t{header.e_phentsize}));
    if (!in.read(reinterpret_cast<char*>(&part), sizeof part)) return false;
    if (part.p_type == PT_LOAD && (part.p_offset > size || part.p_filesz > size - part.p_offset)) return false;
  }
  return true;
}

/// Why a file cannot be a library for this machine, by its first bytes; empty if nothing speaks against it.
std::string wrong_file(const fs::path& file) {
  std::array<unsigned char, 64> head{};
  std::ifstream in(file, std::ios::binary);
  in.read(reinterpret_cast<char*>(head.data()), head.size());
  if (in.gcount() < 20 || std::memcmp(head.data(), ELFMAG, SELFMAG) != 0) {
    if (head[0] == 'M' && head[1] == 'Z') return "is a library for Windows";
    if (head[0] == 0xcf && head[1] == 0xfa) return "is a library for macOS";
    return "is not a library (it is not an ELF file)";
  }
  const unsigned machine = head[18] + (head[19] << 8U);
  if (machine != kMachine)
    return fmt::format("is for {}, this machine is {}", machine_name(machine), machine_name(kMachine));
  if (head[EI_CLASS] != ELFCLASS64) return "is a 32-bit library, this program has 64 bits";
  return is_whole(file) ? std::string() : "is truncated: it is shorter than its header states";
}

/// Why the file is not there: other libraries in the folder may show a misspelt modelIdentifier.
core::Error not_there(const fs::path& file) {
  std::vector<std::string> others;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(file.parent_path(), ignored)) {
    if (entry.path().extension() == ".so") others.push_back(entry.path().filename().string());
  }
  std::sort(others.begin(), others.end());
  return unusable(fmt::format("the FMU has no '{}' in '{}'{}", file.filename().string(),
                              file.parent_path().filename().string(),
                              others.empty() ? std::string("; there is no library at all")
                                             : fmt::format("; there is '{}'", fmt::join(others, "', '"))));
}

/// Whether a library of the folder writes to the streams of C++ (by the names in its table of symbols).
bool uses_streams(const fs::path& folder) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().extension() != ".so" || !entry.is_regular_file(ignored)) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(in), {}};
    for (const char* name : {"_ZSt4cout", "_ZSt4cerr", "_ZSt4clog"}) {
      if (content.find(name) != std::string::npos) return true;
    }
  }
  return false;
}

/// FMUs often bring solvers or readers that this process has in another version: their own come first. Not where they
/// use C++'s streams, of which a program may hold the only living copy.
int load_flags(const fs::path& folder) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  static_cast<void>(folder);
  static_cast<void>(&uses_streams);
  return RTLD_NOW | RTLD_LOCAL;  // the sanitizers must come first
#else
  return RTLD_NOW | RTLD_LOCAL | (uses_streams(folder) ? 0 : RTLD_DEEPBIND);
#endif
}

/// Loads a library; others that it needs and that lie beside it without being found from there are loaded before.
void* load(const fs::path& file, std::string& problem) {
  constexpr int kMostHelpers = 100;
  const int flags = load_flags(file.parent_path());
  std::string last;
  for (int i = 0; i < kMostHelpers; ++i) {
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
    // Stays loaded: the FMU's library holds on to it by its name.
    if (dlopen(helper.c_str(), flags) == nullptr) return nullptr;
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

core::Result<std::shared_ptr<const Library>> Library::open(const LibraryRequest& request) {
  // An absolute path: dlopen searches for others.
  std::error_code ignored;
  const fs::path file = fs::absolute(request.folder / (request.model_identifier + ".so"), ignored);
  if (!fs::is_regular_file(file, ignored)) return not_there(file);
  if (const std::string why = wrong_file(file); !why.empty()) {
    return unusable(fmt::format("'{}' {}", file.filename().string(), why));
  }
  std::string problem;
  void* const handle = load(file, problem);
  if (handle == nullptr) return unusable("the FMU's library cannot be loaded: " + problem);
  std::shared_ptr<Library> library(new Library(handle, request, file));
  if (const std::vector<std::string> missing = library->bind(); !missing.empty()) {
    return unusable(fmt::format("'{}' does not contain {} of {}: {}", file.filename().string(),
                                missing.size() == 1 ? "a function" : "functions",
                                request.type == InterfaceType::model_exchange ? "model exchange" : "co-simulation",
                                fmt::join(missing, ", ")));
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
