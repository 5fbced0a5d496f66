#include "results/table_list.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "results/json_numbers.hpp"

namespace tieline::results {
namespace {

using ListJson = nlohmann::json;

constexpr const char* kTextChecksum = "checksum";
/// A longer list is not ours [bytes].
constexpr hsize_t kLongestList = hsize_t{1} << 32;

/// FNV-1a on bytes.
std::uint64_t checksum_of_text(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3ULL;
  return hash;
}

core::Error damaged_list() {
  return {.code = core::ErrorCode::bad_input, .message = "the list of its tables is damaged"};
}

std::string text_of(std::span<const TableInfo> tables) {
  ListJson list{{"columns", ListJson::array()}, {"tables", ListJson::array()}};
  std::map<std::string, std::size_t> known;
  for (const TableInfo& table : tables) {
    ListJson columns = ListJson::array();
    for (const core::Column& column : table.columns) columns.push_back({column.name, column.unit});
    // Bytes that are no text cannot come from a model; if they do, the list stays readable.
    const auto [place, is_new] =
        known.emplace(columns.dump(-1, ' ', false, ListJson::error_handler_t::replace), known.size());
    if (is_new) list["columns"].push_back(std::move(columns));
    list["tables"].push_back({table.owner, place->second});
  }
  return list.dump(-1, ' ', false, ListJson::error_handler_t::replace);
}

/// Throws an exception of the library, or std::out_of_range, where the text is not such a list.
std::vector<TableInfo> tables_of(const ListJson& list) {
  std::vector<std::vector<core::Column>> columns;
  for (const ListJson& each : list.at("columns")) {
    columns.emplace_back();
    for (const ListJson& column : each) {
      columns.back().push_back({column.at(0).get<std::string>(), column.at(1).get<std::string>()});
    }
  }
  std::vector<TableInfo> tables;
  for (const ListJson& table : list.at("tables")) {
    tables.push_back({table.at(0).get<std::string>(), columns.at(whole_number<std::size_t>(table.at(1)))});
  }
  return tables;
}

}  // namespace

bool write_table_list(hid_t file, std::span<const TableInfo> tables) {
  const std::string text = text_of(tables);
  const hsize_t length = text.size();
  const Hdf5Handle space(H5Screate_simple(1, &length, nullptr), H5Sclose);
  const Hdf5Handle dataset(
      H5Dcreate2(file, kTableListName, H5T_NATIVE_UINT8, space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
  const Hdf5Handle scalar(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Handle attribute(
      H5Acreate2(dataset.id(), kTextChecksum, H5T_NATIVE_UINT64, scalar.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  const std::uint64_t checksum = checksum_of_text(text);
  return dataset.is_valid() && attribute.is_valid() &&
         H5Dwrite(dataset.id(), H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()) >= 0 &&
         H5Awrite(attribute.id(), H5T_NATIVE_UINT64, &checksum) >= 0;
}

core::Result<std::vector<TableInfo>> read_table_list(hid_t file) {
  const Hdf5Handle dataset(H5Dopen2(file, kTableListName, H5P_DEFAULT), H5Dclose);
  const Hdf5Handle attribute(H5Aopen(dataset.id(), kTextChecksum, H5P_DEFAULT), H5Aclose);
  if (!dataset.is_valid() || !attribute.is_valid()) return damaged_list();
  const Hdf5Handle space(H5Dget_space(dataset.id()), H5Sclose);
  const Hdf5Handle type(H5Dget_type(dataset.id()), H5Tclose);
  const Hdf5Handle one(H5Aget_space(attribute.id()), H5Sclose);
  hsize_t length = 0;
  if (H5Sget_simple_extent_ndims(space.id()) != 1 || H5Sget_simple_extent_dims(space.id(), &length, nullptr) < 0 ||
      H5Tget_size(type.id()) != 1 || length > kLongestList || H5Sget_simple_extent_npoints(one.id()) != 1)
    return damaged_list();
  std::string text(length, '\0');
  std::uint64_t checksum = 0;
  if (H5Dread(dataset.id(), H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()) < 0 ||
      H5Aread(attribute.id(), H5T_NATIVE_UINT64, &checksum) < 0 || checksum != checksum_of_text(text))
    return damaged_list();
  try {
    std::vector<TableInfo> tables = tables_of(ListJson::parse(text));
    const auto is_not_before = [](const TableInfo& a, const TableInfo& b) { return a.owner >= b.owner; };
    if (std::adjacent_find(tables.begin(), tables.end(), is_not_before) != tables.end()) return damaged_list();
    return tables;
  } catch (const std::exception&) {
    return damaged_list();
  }
}

}  // namespace tieline::results
