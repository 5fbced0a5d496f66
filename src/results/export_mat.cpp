// Layout, as read by OMEdit and DyMat; with "binTrans" every matrix holds one variable per row, and text one name per
// column:
//   Aclass       4 rows of text: "Atrajectory", "1.1", "", "binTrans"
//   name         names, the first is "time"
//   description  units in brackets
//   dataInfo     per variable: data matrix (0: the time axis), row in it from 1, interpolation (0: linear), what holds
//                outside the stored times (-1: nothing)
//   data_1       constants at the first and the last time; ours has the time only
//   data_2       time and variables over time

#include "results/export_mat.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <matio.h>
#include <memory>
#include <system_error>
#include <vector>

#include "core/atomic_file.hpp"
#include "results/merged_rows.hpp"

namespace tieline::results {
namespace {

/// Sizes in the format are 32-bit.
constexpr std::size_t kMostValues = (std::size_t{1} << 31) / sizeof(double) - 1;

struct CloseFile {
  void operator()(mat_t* file) const { Mat_Close(file); }
};
struct FreeVariable {
  void operator()(matvar_t* variable) const { Mat_VarFree(variable); }
};

/// A MAT v4 file that is being written.
class MatFile {
 public:
  explicit MatFile(const std::filesystem::path& path)
      : file_(Mat_CreateVer(path.c_str(), nullptr, MAT_FT_MAT4)), is_good_(file_ != nullptr) {}

  /// A matrix by columns. matio's signature is not const, but it only reads the data.
  void write(const char* name, matio_classes type, matio_types stored, std::size_t rows, std::size_t columns,
             const void* data) {
    if (!is_good_) return;
    std::array<std::size_t, 2> size{rows, columns};
    const std::unique_ptr<matvar_t, FreeVariable> variable(
        Mat_VarCreate(name, type, stored, 2, size.data(), const_cast<void*>(data), MAT_F_DONT_COPY_DATA));
    is_good_ = variable != nullptr && Mat_VarWrite(file_.get(), variable.get(), MAT_COMPRESSION_NONE) == 0;
    // A head of five 32-bit numbers, the name with its zero, and the values.
    size_ += 5 * sizeof(std::int32_t) + std::strlen(name) + 1 + rows * columns * Mat_SizeOf(stored);
  }

  /// Closes the file; false where anything of it is not there. matio does not report what the disk refuses.
  bool close(const std::filesystem::path& path) {
    file_.reset();
    std::error_code failure;
    return is_good_ && std::filesystem::file_size(path, failure) == size_ && !failure;
  }

  /// Texts of one length, padded with `padding`: one per column, or one per row.
  void write_texts(const char* name, std::span<const std::string> texts, bool is_by_columns, char padding) {
    std::size_t length = 1;
    for (const std::string& text : texts) length = std::max(length, text.size());
    std::string all(length * texts.size(), padding);
    for (std::size_t i = 0; i < texts.size(); ++i)
      for (std::size_t k = 0; k < texts[i].size(); ++k)
        all[is_by_columns ? i * length + k : k * texts.size() + i] = texts[i][k];
    write(name, MAT_C_CHAR, MAT_T_UINT8, is_by_columns ? length : texts.size(), is_by_columns ? texts.size() : length,
          all.data());
  }

 private:
  std::unique_ptr<mat_t, CloseFile> file_;
  bool is_good_;
  std::size_t size_ = 0;  ///< of the complete file [bytes]
};

/// Time and values, one time after another.
core::Result<std::vector<double>> read_all(MergedRows& rows, std::optional<double> step) {
  std::vector<double> values;
  bool is_too_large = false;
  const auto walked = rows.walk(step, [&](double t, std::span<const std::optional<double>> row) {
    is_too_large = values.size() + row.size() + 1 > kMostValues;
    if (is_too_large) return false;
    values.push_back(t);
    for (const auto& value : row) values.push_back(value.value_or(std::numeric_limits<double>::quiet_NaN()));
    return true;
  });
  if (!walked) return walked.error();
  if (is_too_large) {
    return core::Error{.code = core::ErrorCode::bad_input,
                       .message = "a MAT v4 file is limited to 2 GB: choose fewer variables, or a longer step"};
  }
  return values;
}

bool write_file(const std::filesystem::path& path, std::span<const Variable> variables,
                const std::vector<double>& values) {
  const std::size_t width = variables.size() + 1;
  const std::size_t times = values.size() / width;
  std::vector<std::string> names{"time"};
  std::vector<std::string> descriptions{"Simulation time [s]"};
  std::vector<std::int32_t> info{0, 1, 0, -1};
  for (std::size_t i = 0; i < variables.size(); ++i) {
    names.push_back(variables[i].name);
    descriptions.push_back(variables[i].unit.empty() ? "" : fmt::format("[{}]", variables[i].unit));
    info.insert(info.end(), {2, static_cast<std::int32_t>(i) + 2, 0, -1});
  }
  const std::array<double, 2> span{times > 0 ? values.front() : 0.0, times > 0 ? values[(times - 1) * width] : 0.0};
  const std::array<std::string, 4> kind{"Atrajectory", "1.1", "", "binTrans"};
  MatFile file(path);
  file.write_texts("Aclass", kind, false, ' ');
  file.write_texts("name", names, true, '\0');
  file.write_texts("description", descriptions, true, '\0');
  file.write("dataInfo", MAT_C_INT32, MAT_T_INT32, 4, width, info.data());
  file.write("data_1", MAT_C_DOUBLE, MAT_T_DOUBLE, 1, 2, span.data());
  file.write("data_2", MAT_C_DOUBLE, MAT_T_DOUBLE, width, times, values.data());
  return file.close(path);
}

}  // namespace

core::Result<void> export_mat(const ResultReader& reader, std::span<const std::string> patterns,
                              std::optional<double> step, const std::filesystem::path& file) {
  auto rows = MergedRows::open(reader, patterns);
  if (!rows) return rows.error();
  const auto values = read_all(*rows, step);
  if (!values) return values.error();
  return core::replace_file(file, [&](const std::filesystem::path& temporary) -> core::Result<void> {
    if (write_file(temporary, rows->variables(), *values)) return core::sync_to_disk(temporary);
    return core::Error{
        .code = core::ErrorCode::input_output,
        .message = fmt::format("cannot write '{}': {}", file.string(), std::generic_category().message(errno))};
  });
}

}  // namespace tieline::results
