#include "fmi/elf_file.hpp"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace tieline::fmi {
namespace {

// More than any library has: a damaged one ends here.
constexpr std::uint64_t kMostSymbols = 4'000'000;
constexpr std::uint64_t kMostEntries = 100'000;

core::Error unsuitable(std::string what) { return {core::ErrorCode::bad_input, std::move(what)}; }

/// Bytes of a file, of which nothing outside can be read.
class ElfBytes {
 public:
  explicit ElfBytes(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  [[nodiscard]] std::optional<T> at(std::uint64_t offset) const {
    if (offset > bytes_.size() || sizeof(T) > bytes_.size() - offset) return std::nullopt;
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }
  /// A text that ends with a zero, within a table; empty where there is none.
  [[nodiscard]] std::string text(std::uint64_t table, std::uint64_t size, std::uint64_t offset) const {
    if (table > bytes_.size() || offset >= size) return {};
    const std::string_view rest = bytes_.substr(table).substr(0, size);
    if (offset >= rest.size()) return {};
    const std::string_view from = rest.substr(offset);
    const auto end = from.find('\0');
    return end == from.npos ? std::string() : std::string(from.substr(0, end));
  }
  [[nodiscard]] std::uint64_t size() const { return bytes_.size(); }

 private:
  std::string_view bytes_;
};

/// Reads what the dynamic section of a library leads to.
class DynamicReader {
 public:
  explicit DynamicReader(const ElfBytes& bytes) : bytes_(bytes) {}

  /// Nothing if the file is shorter than its headers say.
  [[nodiscard]] std::optional<ElfFile> read(const Elf64_Ehdr& header) {
    ElfFile file{.machine = header.e_machine};
    if (!find_parts(header)) return std::nullopt;
    for (const auto& [tag, value] : entries_) {
      if (tag == DT_NEEDED) file.needed.push_back(string(value));
      if (tag == DT_SONAME) file.soname = string(value);
      if (tag == DT_RPATH) file.rpath = string(value);
      if (tag == DT_RUNPATH) file.runpath = string(value);
    }
    read_versions(file);
    read_symbols(file);
    return file;
  }

  /// Where in the file the names of libraries are: its own, those that it needs, and those whose versions it needs.
  [[nodiscard]] std::vector<std::uint64_t> places_of_names(const Elf64_Ehdr& header) {
    std::vector<std::uint64_t> places;
    if (!find_parts(header)) return places;
    for (const auto& [tag, value] : entries_) {
      if (tag == DT_NEEDED || tag == DT_SONAME) places.push_back(strings_ + value);
    }
    for_each_needed([&](const Elf64_Verneed& need, std::uint64_t) { places.push_back(strings_ + need.vn_file); });
    return places;
  }

 private:
  [[nodiscard]] bool find_parts(const Elf64_Ehdr& header) {
    std::uint64_t dynamic = 0, dynamic_size = 0;
    for (unsigned i = 0; i < header.e_phnum; ++i) {
      const auto part = bytes_.at<Elf64_Phdr>(header.e_phoff + i * std::uint64_t{header.e_phentsize});
      if (!part) return false;
      if (part->p_type == PT_LOAD) {
        if (part->p_offset > bytes_.size() || part->p_filesz > bytes_.size() - part->p_offset) return false;
        parts_.push_back(*part);
      }
      if (part->p_type == PT_DYNAMIC) dynamic = part->p_offset, dynamic_size = part->p_filesz;
    }
    read_entries(dynamic, dynamic_size);
    strings_ = place_of(value_of(DT_STRTAB));
    strings_size_ = value_of(DT_STRSZ);
    return true;
  }
  void read_entries(std::uint64_t begin, std::uint64_t size) {
    for (std::uint64_t at = 0; at + sizeof(Elf64_Dyn) <= size && entries_.size() < kMostEntries;
         at += sizeof(Elf64_Dyn)) {
      const auto entry = bytes_.at<Elf64_Dyn>(begin + at);
      if (!entry || entry->d_tag == DT_NULL) return;
      entries_.emplace_back(entry->d_tag, entry->d_un.d_val);
    }
  }
  [[nodiscard]] std::uint64_t value_of(std::int64_t tag) const {
    const auto found =
        std::find_if(entries_.begin(), entries_.end(), [&](const auto& entry) { return entry.first == tag; });
    return found == entries_.end() ? 0 : found->second;
  }
  /// Where in the file an address is; the file's end where it is nowhere.
  [[nodiscard]] std::uint64_t place_of(std::uint64_t address) const {
    for (const Elf64_Phdr& part : parts_) {
      if (address < part.p_vaddr || address - part.p_vaddr >= part.p_filesz) continue;
      return part.p_offset + (address - part.p_vaddr);
    }
    return bytes_.size();
  }
  [[nodiscard]] std::string string(std::uint64_t offset) const { return bytes_.text(strings_, strings_size_, offset); }

  /// Libraries of which versions of symbols are needed, and where each is in the file.
  template <class Take>
  void for_each_needed(Take&& take) const {
    std::uint64_t at = place_of(value_of(DT_VERNEED));
    const std::uint64_t needed = std::min(value_of(DT_VERNEEDNUM), kMostEntries);
    for (std::uint64_t i = 0; i < needed; ++i) {
      const auto need = bytes_.at<Elf64_Verneed>(at);
      if (!need) break;
      take(*need, at);
      if (need->vn_next == 0) break;
      at += need->vn_next;
    }
  }

  void read_versions(ElfFile& file) const {
    for_each_needed([&](const Elf64_Verneed& need, std::uint64_t place) {
      std::uint64_t own = place + need.vn_aux;
      for (unsigned k = 0; k < need.vn_cnt && file.needed_versions.size() < kMostEntries; ++k) {
        const auto version = bytes_.at<Elf64_Vernaux>(own);
        if (!version) break;
        if ((version->vna_flags & VER_FLG_WEAK) == 0) {
          file.needed_versions.push_back({string(need.vn_file), string(version->vna_name)});
        }
        if (version->vna_next == 0) break;
        own += version->vna_next;
      }
    });
    std::uint64_t at = place_of(value_of(DT_VERDEF));
    const std::uint64_t defined = std::min(value_of(DT_VERDEFNUM), kMostEntries);
    for (std::uint64_t i = 0; i < defined; ++i) {
      const auto definition = bytes_.at<Elf64_Verdef>(at);
      if (!definition) break;
      if (const auto name = bytes_.at<Elf64_Verdaux>(at + definition->vd_aux)) {
        file.defined_versions.push_back(string(name->vda_name));
      }
      if (definition->vd_next == 0) break;
      at += definition->vd_next;
    }
  }

  /// How many symbols there are follows from the tables by which they are found.
  [[nodiscard]] std::uint64_t symbol_count() const {
    if (const std::uint64_t table = value_of(DT_HASH); table != 0) {
      const auto count = bytes_.at<std::uint32_t>(place_of(table) + sizeof(std::uint32_t));
      if (count) return std::min<std::uint64_t>(*count, kMostSymbols);
    }
    const std::uint64_t table = place_of(value_of(DT_GNU_HASH));
    const auto buckets = bytes_.at<std::uint32_t>(table), first = bytes_.at<std::uint32_t>(table + 4),
               filters = bytes_.at<std::uint32_t>(table + 8);
    if (!buckets || !first || !filters) return 0;
    const std::uint64_t chains = table + 16 + std::uint64_t{8} * *filters;
    std::uint64_t last = 0;
    for (std::uint64_t i = 0; i < *buckets; ++i) {
      const auto bucket = bytes_.at<std::uint32_t>(chains + 4 * i);
      if (!bucket) return 0;
      last = std::max<std::uint64_t>(last, *bucket);
    }
    if (last < *first) return *first;
    // The chain of the last bucket ends with the last symbol.
    for (; last < kMostSymbols; ++last) {
      const auto hash = bytes_.at<std::uint32_t>(chains + 4 * (std::uint64_t{*buckets} + last - *first));
      if (!hash) return 0;
      if ((*hash & 1U) != 0) return last + 1;
    }
    return 0;
  }

  void read_symbols(ElfFile& file) const {
    const std::uint64_t table = place_of(value_of(DT_SYMTAB)), count = symbol_count();
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto symbol = bytes_.at<Elf64_Sym>(table + i * sizeof(Elf64_Sym));
      if (!symbol) break;
      const unsigned binding = ELF64_ST_BIND(symbol->st_info);
      const unsigned visibility = ELF64_ST_VISIBILITY(symbol->st_other);
      if (symbol->st_shndx == SHN_UNDEF || binding == STB_LOCAL) continue;
      if (visibility == STV_HIDDEN || visibility == STV_INTERNAL) continue;
      if (std::string name = string(symbol->st_name); !name.empty()) file.symbols.push_back(std::move(name));
    }
    std::sort(file.symbols.begin(), file.symbols.end());
  }

  const ElfBytes& bytes_;
  std::vector<Elf64_Phdr> parts_;  ///< that are loaded
  std::vector<std::pair<std::int64_t, std::uint64_t>> entries_;
  std::uint64_t strings_ = 0, strings_size_ = 0;
};

}  // namespace

bool ElfFile::defines(std::string_view symbol) const {
  return std::binary_search(symbols.begin(), symbols.end(), symbol, std::less<>());
}

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

unsigned own_machine() {
#if defined(__x86_64__)
  return EM_X86_64;
#elif defined(__aarch64__)
  return EM_AARCH64;
#else
#error "FMUs have no name for this machine"
#endif
}

core::Result<ElfFile> read_elf(std::string_view bytes) {
  const auto starts_with = [&](std::string_view head) { return bytes.substr(0, head.size()) == head; };
  if (bytes.size() < 20 || !starts_with(ELFMAG)) {
    if (starts_with("MZ")) return unsuitable("is a library for Windows");
    if (starts_with("\xcf\xfa")) return unsuitable("is a library for macOS");
    return unsuitable("is not a library (it is not an ELF file)");
  }
  const unsigned machine =
      static_cast<unsigned char>(bytes[18]) + (static_cast<unsigned>(static_cast<unsigned char>(bytes[19])) << 8U);
  if (machine != own_machine()) {
    return unsuitable(fmt::format("is for {}, this machine is {}", machine_name(machine), machine_name(own_machine())));
  }
  if (bytes[EI_CLASS] != ELFCLASS64) return unsuitable("is a 32-bit library, this program has 64 bits");
  const ElfBytes content(bytes);
  const auto header = content.at<Elf64_Ehdr>(0);
  auto file = header ? DynamicReader(content).read(*header) : std::nullopt;
  if (!file) return unsuitable("is truncated: it is shorter than its header states");
  if (header->e_type != ET_DYN) return unsuitable("is not a shared library (it is another kind of ELF file)");
  return std::move(*file);
}

core::Result<void> rename_libraries(std::string& bytes, const std::map<std::string, std::string>& names) {
  const auto header = ElfBytes(bytes).at<Elf64_Ehdr>(0);
  if (!header) return unsuitable("it is truncated");
  const ElfBytes content(bytes);
  for (const std::uint64_t place : DynamicReader(content).places_of_names(*header)) {
    if (place >= bytes.size()) continue;
    const std::string name(bytes.c_str() + place);
    const auto found = names.find(name);
    if (found == names.end()) continue;
    if (found->second.size() != name.size()) return unsuitable(fmt::format("'{}' has another length", found->second));
    if (place == 0 || bytes[place - 1] != '\0') {
      return unsuitable(fmt::format("the name '{}' is part of another text", name));
    }
    // A name that stands there once is used by several.
    bytes.replace(place, name.size(), found->second);
  }
  return {};
}

}  // namespace tieline::fmi
