#include "results/export_mat.hpp"

#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <matio.h>

#include "results/sample_results.hpp"

namespace tieline::results {
namespace export_mat_test {

/// A matrix of a MAT file, by columns, with texts as their character codes.
struct Matrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<double> values{};

  [[nodiscard]] double at(std::size_t row, std::size_t column) const { return values.at(column * rows + row); }
  [[nodiscard]] std::string column(std::size_t index) const {
    std::string text;
    for (std::size_t row = 0; row < rows; ++row) text += static_cast<char>(at(row, index));
    return text.substr(0, text.find('\0'));
  }
  [[nodiscard]] std::string row(std::size_t index) const {
    std::string text;
    for (std::size_t i = 0; i < columns; ++i) text += static_cast<char>(at(index, i));
    return text.substr(0, text.find_last_not_of(' ') + 1);
  }
};

double element(const matvar_t& variable, std::size_t index) {
  const std::size_t size = static_cast<std::size_t>(variable.data_size);
  const char* at = static_cast<const char*>(variable.data) + index * size;
  if (variable.data_type == MAT_T_DOUBLE) return *reinterpret_cast<const double*>(at);
  if (variable.data_type == MAT_T_INT32) return *reinterpret_cast<const std::int32_t*>(at);
  return static_cast<unsigned char>(*at);
}

std::map<std::string, Matrix> read_mat(const std::filesystem::path& path) {
  std::map<std::string, Matrix> matrices;
  mat_t* file = Mat_Open(path.c_str(), MAT_ACC_RDONLY);
  if (file == nullptr) return matrices;
  EXPECT_EQ(Mat_GetVersion(file), MAT_FT_MAT4);
  while (matvar_t* variable = Mat_VarReadNext(file)) {
    Matrix matrix{variable->dims[0], variable->dims[1], {}};
    for (std::size_t i = 0; i < matrix.rows * matrix.columns; ++i) matrix.values.push_back(element(*variable, i));
    matrices.emplace(variable->name, std::move(matrix));
    Mat_VarFree(variable);
  }
  Mat_Close(file);
  return matrices;
}

SampleResults two_tables() {
  return SampleResults(Tables{{{"a", {{"x", "m"}}}, {{0, {0}}, {1, {10}}, {1, {20}}, {3, {40}}}},
                              {{"b", {{"y", ""}}}, {{1, {1}}, {2, {2}}}}});
}

TEST(ExportMat, WritesTheTrajectoryLayout) {
  const auto results = two_tables();
  const auto path = results.folder() / "out.mat";
  const auto exported = export_mat(results.open(), {}, {}, path);
  ASSERT_TRUE(exported) << exported.error().describe();
  const auto mat = read_mat(path);
  ASSERT_EQ(mat.size(), 6u);

  const Matrix& kind = mat.at("Aclass");
  EXPECT_EQ(kind.row(0), "Atrajectory");
  EXPECT_EQ(kind.row(1), "1.1");
  EXPECT_EQ(kind.row(2), "");
  EXPECT_EQ(kind.row(3), "binTrans");

  const Matrix& names = mat.at("name");
  ASSERT_EQ(names.columns, 3u);
  EXPECT_EQ(names.column(0), "time");
  EXPECT_EQ(names.column(1), "a.x");
  EXPECT_EQ(names.column(2), "b.y");
  EXPECT_EQ(mat.at("description").column(1), "[m]");

  // Every variable is found where dataInfo says.
  const Matrix& info = mat.at("dataInfo");
  EXPECT_EQ(info.rows, 4u);
  EXPECT_EQ(info.values, (std::vector<double>{0, 1, 0, -1, 2, 2, 0, -1, 2, 3, 0, -1}));
  const Matrix& data = mat.at("data_2");
  ASSERT_EQ(data.rows, 3u);
  ASSERT_EQ(data.columns, 5u);
  const std::vector<double> times{0, 1, 1, 2, 3};
  const std::vector<double> x{0, 10, 20, 30, 40};
  for (std::size_t i = 0; i < times.size(); ++i) {
    EXPECT_EQ(data.at(0, i), times[i]);
    EXPECT_EQ(data.at(1, i), x[i]);
  }
  EXPECT_TRUE(std::isnan(data.at(2, 0)));
  EXPECT_EQ(data.at(2, 3), 2.0);
  EXPECT_TRUE(std::isnan(data.at(2, 4)));
  EXPECT_EQ(mat.at("data_1").values, (std::vector<double>{0, 3}));
}

TEST(ExportMat, ResamplesAndSelects) {
  const auto results = two_tables();
  const auto path = results.folder() / "out.mat";
  const std::vector<std::string> patterns{"a.*"};
  ASSERT_TRUE(export_mat(results.open(), patterns, 1.5, path));
  const Matrix data = read_mat(path).at("data_2");
  EXPECT_EQ(data.rows, 2u);
  EXPECT_EQ(data.values, (std::vector<double>{0, 0, 1.5, 25, 3, 40}));
}

TEST(ExportMat, SaysWhatItCannotDo) {
  const auto results = two_tables();
  const std::vector<std::string> unknown{"c.z"};
  EXPECT_FALSE(export_mat(results.open(), unknown, {}, results.folder() / "out.mat"));
  const auto nowhere = export_mat(results.open(), {}, {}, results.folder() / "missing" / "out.mat");
  ASSERT_FALSE(nowhere);
  EXPECT_NE(nowhere.error().describe().find("missing"), std::string::npos);
}

}  // namespace export_mat_test
}  // namespace tieline::results
