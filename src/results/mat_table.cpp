#include "results/mat_table.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <matio.h>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>

#include "results/trial_copy.hpp"

namespace tieline::results {
namespace {

// More than a memory is likely to have room for [bytes].
constexpr std::size_t kLargestMatrix = std::size_t{4} << 30;
constexpr std::size_t kMostMatVariables = 1'000'000;
constexpr int kDeepestStructure = 8;
// As which a file may become in memory, in multiples of its size.
constexpr std::uintmax_t kMostExpansion = 32;

struct CloseMat {
  void operator()(mat_t* file) const { Mat_Close(file); }
};
struct FreeMatVariable {
  void operator()(matvar_t* variable) const { Mat_VarFree(variable); }
};
using MatVariable = std::unique_ptr<matvar_t, FreeMatVariable>;

core::Error bad_mat(const std::filesystem::path& file, const std::string& why) {
  return {.code = core::ErrorCode::bad_input, .message = fmt::format("'{}' {}", file.string(), why)};
}

/// Numbers or characters by columns.
struct Matrix {
  std::size_t rows = 0, columns = 0;
  std::vector<double> values{};

  [[nodiscard]] double at(std::size_t row, std::size_t column) const { return values[column * rows + row]; }
  [[nodiscard]] bool is_vector() const { return rows == 1 || columns == 1; }
};

template <class T>
void take_values(const matvar_t& variable, std::size_t count, Matrix& matrix) {
  const auto* const values = static_cast<const T*>(variable.data);
  for (std::size_t i = 0; i < count; ++i) matrix.values.push_back(static_cast<double>(values[i]));
}

/// Nothing for what is not a matrix of real numbers or characters.
std::optional<Matrix> matrix_of(const matvar_t& variable) {
  if (variable.rank != 2 || variable.data == nullptr || variable.isComplex != 0) return std::nullopt;
  Matrix matrix{variable.dims[0], variable.dims[1], {}};
  const std::size_t count = matrix.rows * matrix.columns;
  if (variable.data_size <= 0 || variable.nbytes / static_cast<std::size_t>(variable.data_size) < count) {
    return std::nullopt;
  }
  matrix.values.reserve(count);
  switch (variable.data_type) {
    case MAT_T_DOUBLE:
      take_values<double>(variable, count, matrix);
      break;
    case MAT_T_SINGLE:
      take_values<float>(variable, count, matrix);
      break;
    case MAT_T_INT8:
      take_values<std::int8_t>(variable, count, matrix);
      break;
    case MAT_T_UINT8:
    case MAT_T_UTF8:
      take_values<std::uint8_t>(variable, count, matrix);
      break;
    case MAT_T_INT16:
      take_values<std::int16_t>(variable, count, matrix);
      break;
    case MAT_T_UINT16:
    case MAT_T_UTF16:
      take_values<std::uint16_t>(variable, count, matrix);
      break;
    case MAT_T_INT32:
      take_values<std::int32_t>(variable, count, matrix);
      break;
    case MAT_T_UINT32:
    case MAT_T_UTF32:
      take_values<std::uint32_t>(variable, count, matrix);
      break;
    case MAT_T_INT64:
      take_values<std::int64_t>(variable, count, matrix);
      break;
    case MAT_T_UINT64:
      take_values<std::uint64_t>(variable, count, matrix);
      break;
    default:
      return std::nullopt;
  }
  return matrix;
}

bool is_number_class(matio_classes type) {
  return type == MAT_C_DOUBLE || type == MAT_C_SINGLE || (type >= MAT_C_INT8 && type <= MAT_C_UINT64);
}

/// A line of characters, without what pads it.
std::string text_of(const Matrix& matrix, std::size_t line, bool is_by_columns) {
  std::string text;
  const std::size_t length = is_by_columns ? matrix.rows : matrix.columns;
  for (std::size_t k = 0; k < length; ++k) {
    text += static_cast<char>(is_by_columns ? matrix.at(k, line) : matrix.at(line, k));
  }
  text.erase(std::min(text.find('\0'), text.size()));
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

bool is_time_name(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower == "time" || lower == "t";
}

/// "[m/s]" at the end of a description; "[rad/s|rpm]" has a second one for display.
std::string unit_in(std::string_view description) {
  if (!description.ends_with(']')) return {};
  const auto open = description.rfind('[');
  if (open == description.npos) return {};
  std::string_view unit = description.substr(open + 1, description.size() - open - 2);
  unit = unit.substr(0, unit.find('|'));
  return std::string(unit);
}

class MatReader {
 public:
  MatReader(const std::filesystem::path& path, MatTable& table) : path_(path), table_(table) {}

  core::Result<void> read() {
    if (auto loaded = load(); !loaded) return loaded;
    const auto kind = text_matrices_.find("Aclass");
    if (kind != text_matrices_.end()) return read_trajectory(kind->second);
    for (const MatVariable& variable : structures_) read_structure(*variable, "", 0);
    read_vectors(numbers_, "");
    if (table_.columns.empty()) read_bare_matrix();
    if (!table_.columns.empty()) return {};
    return bad_mat(path_,
                   "contains no values over time; expected a vector 'time' and vectors of its length, results "
                   "of a simulation, or one matrix with the times in its first column");
  }

 private:
  using Named = std::vector<std::pair<std::string, Matrix>>;

  core::Result<void> load() {
    const std::unique_ptr<mat_t, CloseMat> file(Mat_Open(path_.c_str(), MAT_ACC_RDONLY));
    if (!file) return bad_mat(path_, "is not a MAT file, or is damaged");
    for (std::size_t count = 0; count < kMostMatVariables; ++count) {
      const MatVariable head(Mat_VarReadNextInfo(file.get()));
      if (!head) break;
      const std::string name = head->name == nullptr ? "" : head->name;
      std::size_t size = static_cast<std::size_t>(std::max(head->data_size, 1));
      for (int k = 0; k < head->rank; ++k) {
        if (head->dims[k] != 0 && size > kLargestMatrix / head->dims[k]) {
          return bad_mat(path_,
                         fmt::format("is damaged: '{}' would take more than {} GiB", name, kLargestMatrix >> 30));
        }
        size *= head->dims[k];
      }
      const bool is_structure = head->class_type == MAT_C_STRUCT;
      const bool is_text = head->class_type == MAT_C_CHAR;
      if (!is_structure && !is_text && !is_number_class(head->class_type)) continue;
      if (!is_structure && head->isComplex != 0) continue;
      MatVariable variable(Mat_VarRead(file.get(), name.c_str()));
      if (!variable) return bad_mat(path_, fmt::format("is damaged: '{}' cannot be read", name));
      if (is_structure) {
        structures_.push_back(std::move(variable));
        continue;
      }
      auto matrix = matrix_of(*variable);
      if (!matrix) {
        if (variable->rank != 2) continue;
        return bad_mat(path_, fmt::format("is damaged: '{}' is not complete", name));
      }
      if (is_text) {
        text_matrices_.emplace(name, std::move(*matrix));
      } else {
        numbers_.emplace_back(name, std::move(*matrix));
      }
    }
    if (structures_.empty() && text_matrices_.empty() && numbers_.empty()) {
      return bad_mat(path_, "is not a MAT file, or is damaged: it contains no matrices");
    }
    return {};
  }

  [[nodiscard]] const Matrix* number_matrix(std::string_view name) const {
    for (const auto& [own, matrix] : numbers_) {
      if (own == name) return &matrix;
    }
    return nullptr;
  }

  // ---- results of Modelica tools

  core::Result<void> read_trajectory(const Matrix& kind) {
    const bool is_transposed = kind.rows >= 4 && text_of(kind, 3, false) == "binTrans";
    const auto names = text_matrices_.find("name"), descriptions = text_matrices_.find("description");
    const Matrix* const info = number_matrix("dataInfo");
    if (names == text_matrices_.end() || info == nullptr) {
      return bad_mat(path_, "is damaged: it has the head of results, and no 'name' or 'dataInfo'");
    }
    const std::size_t count = is_transposed ? names->second.columns : names->second.rows;
    if ((is_transposed ? info->columns : info->rows) < count || (is_transposed ? info->rows : info->columns) < 2) {
      return bad_mat(path_, "is damaged: 'dataInfo' has fewer entries than there are names");
    }
    std::map<int, std::size_t> axes;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string name = text_of(names->second, i, is_transposed);
      const int table = static_cast<int>(is_transposed ? info->at(0, i) : info->at(i, 0));
      const double place = is_transposed ? info->at(1, i) : info->at(i, 1);
      if (i == 0 || table == 0) continue;  // the times
      const Matrix* const data = number_matrix(fmt::format("data_{}", table));
      const std::size_t row = std::abs(place) >= 1.0 ? static_cast<std::size_t>(std::abs(place)) - 1 : 0;
      if (data == nullptr || row >= (is_transposed ? data->rows : data->columns)) {
        return bad_mat(path_, fmt::format("is damaged: the values of '{}' are missing", name));
      }
      const auto values_in = [&](std::size_t which) {
        std::vector<double> values;
        const std::size_t length = is_transposed ? data->columns : data->rows;
        for (std::size_t k = 0; k < length; ++k)
          values.push_back(is_transposed ? data->at(which, k) : data->at(k, which));
        return values;
      };
      if (!axes.contains(table)) {
        axes[table] = table_.axes.size();
        table_.axes.push_back(values_in(0));
      }
      MatColumn column{name, "", axes[table], values_in(row)};
      // A variable with the opposite sign of another one is not stored again.
      if (place < 0.0)
        std::transform(column.values.begin(), column.values.end(), column.values.begin(), std::negate<>());
      const bool is_described = descriptions != text_matrices_.end() &&
                                i < (is_transposed ? descriptions->second.columns : descriptions->second.rows);
      if (is_described) column.unit = unit_in(text_of(descriptions->second, i, is_transposed));
      table_.columns.push_back(std::move(column));
    }
    if (!table_.columns.empty()) return {};
    return bad_mat(path_, "contains no variables");
  }

  // ---- vectors by name

  /// Adds the columns of a matrix that has a row or a column for each time.
  void add_matrix(const std::string& name, const Matrix& matrix, std::size_t axis) {
    const std::size_t length = table_.axes[axis].size();
    const bool is_by_rows = matrix.rows == length && (matrix.columns != length || !matrix.is_vector());
    if (!is_by_rows && matrix.columns != length) return;
    const std::size_t width = is_by_rows ? matrix.columns : matrix.rows;
    for (std::size_t i = 0; i < width; ++i) {
      MatColumn column{width == 1 ? name : fmt::format("{}[{}]", name, i + 1), "", axis, {}};
      for (std::size_t k = 0; k < length; ++k) column.values.push_back(is_by_rows ? matrix.at(k, i) : matrix.at(i, k));
      table_.columns.push_back(std::move(column));
    }
  }

  void read_vectors(const Named& matrices, const std::string& prefix) {
    const auto time = std::find_if(matrices.begin(), matrices.end(), [](const auto& each) {
      return is_time_name(each.first) && each.second.is_vector() && !each.second.values.empty();
    });
    if (time == matrices.end()) return;
    const std::size_t axis = table_.axes.size();
    table_.axes.push_back(time->second.values);
    for (const auto& [name, matrix] : matrices) {
      if (&matrix != &time->second) add_matrix(prefix + name, matrix, axis);
    }
  }

  [[nodiscard]] static const matvar_t* field_of(const matvar_t& structure, const char* name, std::size_t index) {
    return Mat_VarGetStructFieldByName(const_cast<matvar_t*>(&structure), name, index);
  }

  /// Fields as vectors by name; names of fields within structures have dots. The outermost name is left out, since it
  /// is that of the whole.
  void read_structure(const matvar_t& structure, const std::string& prefix, int depth) {
    char* const* const names = Mat_VarGetStructFieldnames(&structure);
    const std::size_t fields = Mat_VarGetNumberOfFields(const_cast<matvar_t*>(&structure));
    if (names == nullptr || depth > kDeepestStructure || structure.rank != 2 ||
        structure.dims[0] * structure.dims[1] != 1) {
      return;
    }
    Named own;
    const matvar_t* signals = nullptr;
    for (std::size_t k = 0; k < fields; ++k) {
      const matvar_t* const field = field_of(structure, names[k], 0);
      if (field == nullptr) continue;
      if (field->class_type == MAT_C_STRUCT && std::string_view(names[k]) == "signals") {
        signals = field;
      } else if (field->class_type == MAT_C_STRUCT) {
        read_structure(*field, prefix + names[k] + ".", depth + 1);
      } else if (auto matrix = is_number_class(field->class_type) ? matrix_of(*field) : std::nullopt) {
        own.emplace_back(names[k], std::move(*matrix));
      }
    }
    read_vectors(own, prefix);
    const auto time = std::find_if(own.begin(), own.end(), [](const auto& each) { return each.first == "time"; });
    if (signals == nullptr || time == own.end() || table_.axes.empty()) return;
    const std::size_t axis = table_.axes.size() - 1;
    const std::size_t count = signals->rank == 2 ? signals->dims[0] * signals->dims[1] : 0;
    for (std::size_t k = 0; k < count; ++k) {
      const matvar_t* const values = field_of(*signals, "values", k);
      const matvar_t* const label = field_of(*signals, "label", k);
      const auto matrix = values == nullptr ? std::nullopt : matrix_of(*values);
      const auto text = label == nullptr ? std::nullopt : matrix_of(*label);
      if (!matrix) continue;
      const std::string name = text && text->rows > 0 ? text_of(*text, 0, false) : "";
      add_matrix(name.empty() ? fmt::format("signals[{}]", k + 1) : name, *matrix, axis);
    }
  }

  /// The only matrix, with the times in its first column, or in its first row as Simulink writes them.
  void read_bare_matrix() {
    if (numbers_.size() != 1) return;
    const Matrix& matrix = numbers_.front().second;
    const auto ascends = [&](bool is_by_rows) {
      const std::size_t length = is_by_rows ? matrix.rows : matrix.columns;
      for (std::size_t k = 1; k < length; ++k) {
        const double before = is_by_rows ? matrix.at(k - 1, 0) : matrix.at(0, k - 1);
        if (!((is_by_rows ? matrix.at(k, 0) : matrix.at(0, k)) >= before)) return false;
      }
      return length > 0;
    };
    if (matrix.is_vector()) return;
    const bool prefers_rows = matrix.rows >= matrix.columns;
    if (!ascends(prefers_rows) && !ascends(!prefers_rows)) return;
    const bool is_by_rows = ascends(prefers_rows) ? prefers_rows : !prefers_rows;
    const std::size_t length = is_by_rows ? matrix.rows : matrix.columns;
    const std::size_t width = is_by_rows ? matrix.columns : matrix.rows;
    const auto line = [&](std::size_t i) {
      std::vector<double> values;
      for (std::size_t k = 0; k < length; ++k) values.push_back(is_by_rows ? matrix.at(k, i) : matrix.at(i, k));
      return values;
    };
    table_.axes.push_back(line(0));
    for (std::size_t i = 1; i < width; ++i) table_.columns.push_back({"", "", 0, line(i)});
  }

  const std::filesystem::path& path_;
  MatTable& table_;
  Named numbers_;
  std::map<std::string, Matrix, std::less<>> text_matrices_;
  std::vector<MatVariable> structures_;
};

}  // namespace

core::Result<MatTable> MatTable::read(const std::filesystem::path& file) {
  std::error_code failure;
  if (!std::filesystem::is_regular_file(file, failure)) {
    return bad_mat(file,
                   std::filesystem::exists(file, failure) ? "cannot be read" : "cannot be read: it does not exist");
  }
  // Its library trusts what it reads. Files may be compressed.
  const auto size = std::filesystem::file_size(file, failure);
  const auto trial = try_in_copy(failure ? 0 : kMostExpansion * size, [&]() -> core::Result<std::string> {
    MatTable tried;
    if (auto read = MatReader(file, tried).read(); !read) return read.error();
    return std::string();
  });
  if (!trial) {
    if (trial.error().code != core::ErrorCode::step_failed) return trial.error();
    return bad_mat(file, "is damaged: " + trial.error().message);
  }
  MatTable table;
  if (auto read = MatReader(file, table).read(); !read) return read.error();
  for (const auto& axis : table.axes) {
    for (std::size_t k = 0; k < axis.size(); ++k) {
      if (std::isfinite(axis[k]) && (k == 0 || axis[k] >= axis[k - 1])) continue;
      return bad_mat(file, fmt::format("has the time {:g} s{}; expected ascending times", axis[k],
                                       k == 0 ? "" : fmt::format(" after {:g} s", axis[k - 1])));
    }
  }
  return table;
}

}  // namespace tieline::results
