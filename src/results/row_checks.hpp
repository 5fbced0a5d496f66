#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "results/hdf5.hpp"

namespace tieline::results {

// HDF5 protects its own structures by checksums, but not rows. Their checksums are in one dataset for all tables, a
// line for each block of rows that was appended to a table. Where tables share datasets (shared_rows.hpp), a line also
// contains where the block is; its checksum then includes the numbers of the line, which alone tell whose rows they are.

/// A block of rows: those from the end of the block before it in the same table.
struct RowCheck {
  std::uint64_t table = 0;  ///< its place among the names of all tables, sorted
  std::uint64_t end = 0;    ///< the row after its last
  std::uint64_t checksum = 0;
  std::uint64_t place = 0;  ///< of its first row in a shared dataset; not in files where each table has its own
};

/// Name of the dataset; no component can have it.
inline constexpr const char* kChecksName = "#checksums";

/// FNV-1a on words of 64 bits. Each step is one-to-one, so that a change of any one value is always seen.
[[nodiscard]] inline std::uint64_t checksum_of(std::span<const double> rows,
                                               std::uint64_t hash = 0xcbf29ce484222325ULL) {
  for (const double value : rows) hash = (hash ^ std::bit_cast<std::uint64_t>(value)) * 0x100000001b3ULL;
  return hash;
}

/// The same of shared rows, with the numbers of their line.
[[nodiscard]] inline std::uint64_t checksum_of(std::span<const double> rows, const RowCheck& line) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const std::uint64_t word : {line.table, line.end, line.place}) hash = (hash ^ word) * 0x100000001b3ULL;
  return checksum_of(rows, hash);
}

/// The dataset, for the writer.
class RowCheckWriter {
 public:
  /// False where HDF5 refuses.
  [[nodiscard]] bool create(hid_t file, bool is_shared);
  void note(const RowCheck& check) { waiting_.push_back(check); }
  /// Appends what was noted since the last call.
  [[nodiscard]] bool write();
  [[nodiscard]] bool close() { return dataset_.close(); }

 private:
  Hdf5Handle dataset_{};
  hsize_t width_ = 0;  ///< numbers in a line
  hsize_t count_ = 0;
  std::vector<RowCheck> waiting_{};
};

/// The checks of each table, for a reader. Blocks that have been verified once are not verified again.
class RowCheckReader {
 public:
  struct Block {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::uint64_t checksum = 0;
    std::size_t place = 0;  ///< of its first row in a shared dataset
    bool is_verified = false;
  };

  /// Opens the dataset of a file with so many tables.
  [[nodiscard]] core::Result<void> open(hid_t file, std::size_t tables, bool is_shared);
  /// Takes what a writer has appended in the meantime.
  [[nodiscard]] core::Result<void> refresh();
  /// Blocks of a table, one behind the other.
  [[nodiscard]] std::span<Block> of(std::size_t table) { return blocks_[table]; }

  /// How many blocks of each table are verified from the first on, as bytes; and what another reader of the file, in a
  /// copy of this process, has returned by it.
  [[nodiscard]] std::string verified() const;
  void set_verified(std::string_view bytes);

 private:
  Hdf5Handle dataset_{};
  hsize_t width_ = 0;  ///< numbers in a line
  std::size_t read_ = 0;
  std::vector<std::vector<Block>> blocks_{};
};

}  // namespace tieline::results
