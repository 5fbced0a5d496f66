#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace tieline::fmi {

/// Versions of symbols that a library needs of another one: "GLIBC_2.34" of "libc.so.6".
struct NeededVersion {
  std::string file{};
  std::string name{};
};

/// What the dynamic linker reads of a shared library before it loads it.
struct ElfFile {
  unsigned machine = 0;  ///< EM_X86_64, ...
  std::string soname{};
  std::vector<std::string> needed{};
  std::string rpath{}, runpath{};  ///< folders as they are written, with colons in between
  std::vector<NeededVersion> needed_versions{};
  std::vector<std::string> defined_versions{};
  std::vector<std::string> symbols{};  ///< that it defines for others, sorted
  [[nodiscard]] bool defines(std::string_view symbol) const;
};

/// Names of machines: "x86-64".
[[nodiscard]] std::string machine_name(unsigned machine);
/// The machine that this program is compiled for.
[[nodiscard]] unsigned own_machine();

/// Reads a library from its bytes, which may be anything: nothing outside of them is looked at. An error says what the
/// file is instead, as part of a sentence ("is a library for Windows"): a library for another machine, one that is
/// truncated or damaged, or no library at all.
[[nodiscard]] core::Result<ElfFile> read_elf(std::string_view bytes);

/// Changes the names of libraries, that of this one and those that it needs, in the bytes of one that can be read. New
/// names are as long as the old ones, and differ from them in their first letters. An error if a name is part of
/// another text, which would be changed with it.
[[nodiscard]] core::Result<void> rename_libraries(std::string& bytes, const std::map<std::string, std::string>& names);

}  // namespace tieline::fmi
