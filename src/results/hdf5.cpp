#include "results/hdf5.hpp"

#include <fmt/format.h>

namespace tieline::results {
namespace {

/// The entry of HDF5's error stack that says most: the innermost one.
herr_t keep_innermost(unsigned index, const H5E_error2_t* entry, void* data) {
  if (index == 0 && entry->desc != nullptr) *static_cast<std::string*>(data) = entry->desc;
  return 0;
}

Hdf5Handle text_type() {
  Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.id(), H5T_VARIABLE);
  H5Tset_cset(type.id(), H5T_CSET_UTF8);
  return type;
}

}  // namespace

core::Error hdf5_error(std::string_view what) {
  std::string reason;
  // Upward: from the place where the error arose.
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_innermost, &reason);
  return {.code = core::ErrorCode::input_output,
          .message = reason.empty() ? std::string(what) : fmt::format("{}: {}", what, reason)};
}

bool write_texts(hid_t object, const char* name, const std::vector<std::string>& texts) {
  const Hdf5Handle type = text_type();
  const hsize_t count = texts.size();
  const Hdf5Handle space(count > 0 ? H5Screate_simple(1, &count, nullptr) : H5Screate(H5S_NULL), H5Sclose);
  const Hdf5Handle attribute(H5Acreate2(object, name, type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  if (!attribute.is_valid()) return false;
  if (count == 0) return true;
  std::vector<const char*> pointers;
  pointers.reserve(texts.size());
  for (const auto& text : texts) pointers.push_back(text.c_str());
  return H5Awrite(attribute.id(), type.id(), pointers.data()) >= 0;
}

core::Result<std::vector<std::string>> read_texts(hid_t object, const char* name) {
  const Hdf5Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
  if (!attribute.is_valid()) return hdf5_error(fmt::format("attribute '{}' is missing", name));
  const Hdf5Handle stored(H5Aget_type(attribute.id()), H5Tclose);
  if (H5Tget_class(stored.id()) != H5T_STRING || H5Tis_variable_str(stored.id()) <= 0)
    return core::Error{.code = core::ErrorCode::input_output,
                       .message = fmt::format("attribute '{}' is not a text", name)};
  const Hdf5Handle space(H5Aget_space(attribute.id()), H5Sclose);
  const auto count = H5Sget_simple_extent_npoints(space.id());
  std::vector<std::string> texts;
  if (count <= 0) return texts;
  const Hdf5Handle type = text_type();
  std::vector<char*> pointers(static_cast<std::size_t>(count), nullptr);
  if (H5Aread(attribute.id(), type.id(), pointers.data()) < 0)
    return hdf5_error(fmt::format("attribute '{}' cannot be read", name));
  texts.reserve(pointers.size());
  for (const char* pointer : pointers) texts.emplace_back(pointer != nullptr ? pointer : "");
  H5Dvlen_reclaim(type.id(), space.id(), H5P_DEFAULT, pointers.data());
  return texts;
}

}  // namespace tieline::results
