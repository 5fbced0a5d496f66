#include <algorithm>

#include "fmi/elf_file.hpp"
#include "fmi/linker_paths.hpp"
#include "fuzz/targets.hpp"

namespace tieline::fuzz {

void read_elf_file(std::string_view input) {
  if (const auto elf = fmi::read_elf(input)) {
    if (!std::is_sorted(elf->symbols.begin(), elf->symbols.end())) __builtin_trap();
    if (!elf->symbols.empty() && !elf->defines(elf->symbols.back())) __builtin_trap();
    for (const std::string& name : elf->needed) (void)fmi::advice_on_library(name);
  }
  (void)fmi::read_linker_cache(input);
}

}  // namespace tieline::fuzz
