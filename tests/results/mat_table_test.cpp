#include "results/mat_table.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <matio.h>
#include <unistd.h>

// MAT files as MATLAB, Simulink and tools for Modelica write them.

namespace tieline::results {
namespace mat_table_test {

/// A file that is removed with its test.
class MatFileOfTest {
 public:
  explicit MatFileOfTest(mat_ft version)
      : path_(std::filesystem::temp_directory_path() / ("mat-table-" + std::to_string(getpid()) + ".mat")),
        file_(Mat_CreateVer(path_.c_str(), nullptr, version)) {}
  ~MatFileOfTest() {
    close();
    std::filesystem::remove(path_);
  }
  MatFileOfTest(const MatFileOfTest&) = delete;
  MatFileOfTest& operator=(const MatFileOfTest&) = delete;

  static matvar_t* numbers(const char* name, std::size_t rows, std::size_t columns, const std::vector<double>& values) {
    std::array<std::size_t, 2> size{rows, columns};
    return Mat_VarCreate(name, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, size.data(), const_cast<double*>(values.data()), 0);
  }
  static matvar_t* text(const char* name, const std::string& content) {
    std::array<std::size_t, 2> size{1, content.size()};
    return Mat_VarCreate(name, MAT_C_CHAR, MAT_T_UINT8, 2, size.data(), const_cast<char*>(content.data()), 0);
  }
  void add(matvar_t* variable) {
    EXPECT_EQ(Mat_VarWrite(file_, variable, MAT_COMPRESSION_NONE), 0);
    Mat_VarFree(variable);
  }
  void close() {
    if (file_ != nullptr) Mat_Close(file_);
    file_ = nullptr;
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  mat_t* file_;
};

MatTable read(MatFileOfTest& file) {
  file.close();
  auto table = MatTable::read(file.path());
  EXPECT_TRUE(table) << (table ? "" : table.error().message);
  return table ? std::move(*table) : MatTable{};
}

std::string problem(const std::filesystem::path& path) {
  const auto table = MatTable::read(path);
  return table ? "" : table.error().message;
}

const std::vector<double> kTimes{0.0, 0.5, 0.5, 2.0};

TEST(MatTable, ReadsVectorsByName) {
  for (const mat_ft version : {MAT_FT_MAT4, MAT_FT_MAT5, MAT_FT_MAT73}) {
    MatFileOfTest file(version);
    file.add(MatFileOfTest::numbers("time", 4, 1, kTimes));
    file.add(MatFileOfTest::numbers("u", 1, 4, {1, 2, 3, 4}));
    file.add(MatFileOfTest::numbers("both", 4, 2, {1, 2, 3, 4, 5, 6, 7, 8}));
    file.add(MatFileOfTest::numbers("other", 1, 3, {1, 2, 3}));
    const MatTable table = read(file);
    ASSERT_EQ(table.columns.size(), 3U) << version;
    EXPECT_EQ(table.axes.at(0), kTimes);
    // Version 7.3 sorts them.
    const auto values = [&](const std::string& name) {
      const auto found = std::find_if(table.columns.begin(), table.columns.end(),
                                      [&](const MatColumn& column) { return column.name == name; });
      return found == table.columns.end() ? std::vector<double>() : found->values;
    };
    EXPECT_EQ(values("u"), (std::vector<double>{1, 2, 3, 4}));
    EXPECT_EQ(values("both[2]"), (std::vector<double>{5, 6, 7, 8}));
  }
}

TEST(MatTable, ReadsStructuresWithTime) {
  MatFileOfTest file(MAT_FT_MAT5);
  std::array<const char*, 2> outer{"time", "signals"}, inner{"values", "label"};
  std::array<std::size_t, 2> one{1, 1}, two{1, 2};
  matvar_t* const signals = Mat_VarCreateStruct("signals", 2, two.data(), inner.data(), 2);
  Mat_VarSetStructFieldByName(signals, "values", 0, MatFileOfTest::numbers(nullptr, 4, 1, {1, 2, 3, 4}));
  Mat_VarSetStructFieldByName(signals, "label", 0, MatFileOfTest::text(nullptr, "speed"));
  Mat_VarSetStructFieldByName(signals, "values", 1, MatFileOfTest::numbers(nullptr, 4, 1, {5, 6, 7, 8}));
  Mat_VarSetStructFieldByName(signals, "label", 1, MatFileOfTest::text(nullptr, "torque"));
  matvar_t* const all = Mat_VarCreateStruct("out", 2, one.data(), outer.data(), 2);
  Mat_VarSetStructFieldByName(all, "time", 0, MatFileOfTest::numbers(nullptr, 4, 1, kTimes));
  Mat_VarSetStructFieldByName(all, "signals", 0, signals);
  file.add(all);
  const MatTable table = read(file);
  ASSERT_EQ(table.columns.size(), 2U);
  EXPECT_EQ(table.columns[0].name, "speed");
  EXPECT_EQ(table.columns[1].name, "torque");
  EXPECT_EQ(table.columns[1].values, (std::vector<double>{5, 6, 7, 8}));
}

TEST(MatTable, ReadsOneMatrixWithoutNames) {
  for (const bool is_by_rows : {true, false}) {
    MatFileOfTest file(MAT_FT_MAT5);
    // By columns: times and values one after the other, or alternating.
    file.add(is_by_rows ? MatFileOfTest::numbers("ans", 4, 2, {0, 0.5, 0.5, 2, 9, 8, 7, 6})
                        : MatFileOfTest::numbers("ans", 2, 4, {0, 9, 0.5, 8, 0.5, 7, 2, 6}));
    const MatTable table = read(file);
    ASSERT_EQ(table.columns.size(), 1U);
    EXPECT_EQ(table.axes.at(0), kTimes);
    EXPECT_EQ(table.columns[0].name, "");
    EXPECT_EQ(table.columns[0].values, (std::vector<double>{9, 8, 7, 6}));
  }
}

TEST(MatTable, NamesWhatIsWrong) {
  EXPECT_NE(problem("/nowhere.mat").find("does not exist"), std::string::npos);
  {
    MatFileOfTest file(MAT_FT_MAT5);
    file.add(MatFileOfTest::numbers("time", 4, 1, {0, 1, 0.5, 2}));
    file.add(MatFileOfTest::numbers("u", 4, 1, {0, 1, 0.5, 2}));
    file.close();
    EXPECT_NE(problem(file.path()).find("has the time 0.5 s after 1 s; expected ascending times"), std::string::npos);
  }
  {
    MatFileOfTest file(MAT_FT_MAT5);
    file.add(MatFileOfTest::numbers("u", 4, 1, kTimes));
    file.close();
    EXPECT_NE(problem(file.path()).find("contains no values over time"), std::string::npos);
  }
  MatFileOfTest file(MAT_FT_MAT5);
  file.close();
  std::ofstream(file.path()) << "this is a text, and no MAT file at all\n";
  EXPECT_NE(problem(file.path()).find("is not a MAT file, or is damaged"), std::string::npos) << problem(file.path());
}

TEST(MatTable, FilesThatAreCutOffOrChangedDoNoHarm) {
  for (const mat_ft version : {MAT_FT_MAT4, MAT_FT_MAT5}) {
    MatFileOfTest file(version);
    file.add(MatFileOfTest::numbers("time", 4, 1, kTimes));
    file.add(MatFileOfTest::numbers("u", 1, 4, {1, 2, 3, 4}));
    file.close();
    std::ifstream in(file.path(), std::ios::binary);
    const std::string whole{std::istreambuf_iterator<char>(in), {}};
    // Whatever it makes of it, there is a reason, or rows.
    const auto expect_answer = [&](const std::string& content) {
      std::ofstream(file.path(), std::ios::binary | std::ios::trunc) << content;
      const auto table = MatTable::read(file.path());
      if (table) {
        EXPECT_FALSE(table->columns.empty());
      } else {
        EXPECT_NE(table.error().message.find(file.path().string()), std::string::npos);
      }
    };
    for (std::size_t size = 0; size < whole.size(); size += 3) {
      expect_answer(whole.substr(0, size));
      std::string changed = whole;
      changed[size] = static_cast<char>(~changed[size]);
      expect_answer(changed);
    }
  }
}

}  // namespace mat_table_test
}  // namespace tieline::results
