#include <fstream>

#include "fuzz/targets.hpp"
#include "results/reader.hpp"
#include "support/temporary_folder.hpp"

namespace tieline::fuzz {

void read_results(std::string_view input) {
  static const support::TemporaryFolder folder;
  const auto file = folder.path() / "results.h5";
  std::ofstream(file, std::ios::binary).write(input.data(), static_cast<std::streamsize>(input.size()));
  const auto reader = results::ResultReader::open(folder.path());
  if (!reader) {
    if (reader.error().message.find("results.h5'") == std::string::npos) __builtin_trap();
    return;
  }
  const bool is_whole = static_cast<bool>(reader->verify());
  for (std::size_t i = 0; i < reader->tables().size(); ++i) {
    const auto rows = reader->rows(i);
    const auto span = reader->span(i);
    if (!rows || !span) continue;
    const auto values = reader->read_rows(i, {0, *rows});
    if (is_whole && (!values || values->size() != *rows * (reader->tables()[i].columns.size() + 1))) __builtin_trap();
    if (*span) (void)reader->rows_between(i, (*span)->first, (*span)->last);
  }
}

}  // namespace tieline::fuzz
