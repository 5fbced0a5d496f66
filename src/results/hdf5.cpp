#include "results/hdf5.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tieline::results {
namespace {

/// The entry of HDF5's error stack that says most: the innermost one.
herr_t keep_innermost(unsigned index, const H5E_error2_t* entry, void* data) {
  if (index == 0 && entry->desc != nullptr) *static_cast<std::string*>(data) = entry->desc;
  return 0;
}

/// Texts of one length, filled up with zeros: HDF5 keeps texts of any length in a heap that no checksum protects.
Hdf5Handle text_type(std::size_t size) {
  Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.id(), size);
  H5Tset_strpad(type.id(), H5T_STR_NULLPAD);
  H5Tset_cset(type.id(), H5T_CSET_UTF8);
  return type;
}

/// Longer texts, or more of them, are not ours [bytes].
constexpr std::size_t kLongestText = std::size_t{1} << 20;
constexpr std::size_t kMostText = std::size_t{1} << 28;

}  // namespace

std::recursive_mutex& Hdf5Turn::mutex() {
  static std::recursive_mutex turns;
  return turns;
}

core::Error hdf5_error(std::string_view what) {
  std::string reason;
  // Upward: from the place where the error arose.
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_innermost, &reason);
  return {.code = core::ErrorCode::input_output,
          .message = reason.empty() ? std::string(what) : fmt::format("{}: {}", what, reason)};
}

bool write_texts(hid_t object, const char* name, const std::vector<std::string>& texts) {
  std::size_t size = 1;
  for (const auto& text : texts) size = std::max(size, text.size());
  const Hdf5Handle type = text_type(size);
  const hsize_t count = texts.size();
  const Hdf5Handle space(count > 0 ? H5Screate_simple(1, &count, nullptr) : H5Screate(H5S_NULL), H5Sclose);
  const Hdf5Handle attribute(H5Acreate2(object, name, type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  if (!attribute.is_valid()) return false;
  if (count == 0) return true;
  std::string all(size * texts.size(), '\0');
  for (std::size_t i = 0; i < texts.size(); ++i) all.replace(i * size, texts[i].size(), texts[i]);
  return H5Awrite(attribute.id(), type.id(), all.data()) >= 0;
}

core::Result<std::vector<std::string>> read_texts(hid_t object, const char* name) {
  const Hdf5Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
  if (!attribute.is_valid()) return hdf5_error(fmt::format("attribute '{}' is missing", name));
  const Hdf5Handle stored(H5Aget_type(attribute.id()), H5Tclose);
  const Hdf5Handle space(H5Aget_space(attribute.id()), H5Sclose);
  const auto count = H5Sget_simple_extent_npoints(space.id());
  const std::size_t size = H5Tget_size(stored.id());
  if (H5Tget_class(stored.id()) != H5T_STRING || H5Tis_variable_str(stored.id()) != 0 || size == 0 ||
      size > kLongestText || count < 0 || static_cast<std::size_t>(count) > kMostText / size)
    return core::Error{.code = core::ErrorCode::bad_input,
                       .message = fmt::format("attribute '{}' is not a list of texts", name)};
  std::vector<std::string> texts;
  if (count == 0) return texts;
  std::string all(size * static_cast<std::size_t>(count), '\0');
  if (H5Aread(attribute.id(), text_type(size).id(), all.data()) < 0)
    return hdf5_error(fmt::format("attribute '{}' cannot be read", name));
  for (std::size_t at = 0; at < all.size(); at += size) {
    texts.push_back(all.substr(at, size));
    texts.back().resize(std::min(size, texts.back().find('\0')));
  }
  return texts;
}

}  // namespace tieline::results
