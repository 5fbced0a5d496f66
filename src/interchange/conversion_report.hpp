#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tieline::interchange {

/// What became of a model in another format: one row for each sort of thing ("components", "lines"), in the order in
/// which they are first named. An importer fills that of its ImportedModel, an exporter that of its ExportRequest; each
/// counts what it reads, so that nothing of the model is missing in its table. One thread at a time.
class ConversionReport {
 public:
  static constexpr std::size_t kMostNames = 8;  ///< that a row lists

  struct Row {
    std::string what{};
    std::size_t translated = 0;        ///< it has the same meaning in the new format
    std::size_t kept = 0;              ///< in annotations or properties, from where it comes back, but without effect
    std::size_t lost = 0;              ///< it could not be expressed
    std::vector<std::string> names{};  ///< of the first of those that were kept or lost

    bool operator==(const Row&) const = default;
  };

  void translated(std::string_view what, std::size_t count = 1) { row(what).translated += count; }
  /// `name`: which one, for the row's list; empty: it has no name.
  void kept(std::string_view what, std::string_view name = "");
  void lost(std::string_view what, std::string_view name = "");

  [[nodiscard]] std::span<const Row> rows() const { return rows_; }

 private:
  [[nodiscard]] Row& row(std::string_view what);
  static void add_name(Row& row, std::string_view name);

  std::vector<Row> rows_;
};

}  // namespace tieline::interchange
