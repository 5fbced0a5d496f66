#include "modelica/instance.hpp"

#include <fstream>
#include <gtest/gtest.h>
#include <numbers>

#include "modelica/evaluation.hpp"
#include "support/temporary_folder.hpp"

namespace tieline::modelica {
namespace instance_test {

/// The last class of a file as an instance.
class Loaded {
 public:
  explicit Loaded(const std::string& text) {
    write("model.mo", text);
    tree.emplace(std::vector<std::filesystem::path>{}, std::filesystem::path(), diagnostics);
    const auto classes = tree->load(folder.path() / "model.mo");
    if (!classes.empty()) model.emplace(*tree, *classes.back(), nullptr, nullptr, "");
  }
  explicit Loaded(const std::vector<std::pair<std::string, std::string>>& files) {
    for (const auto& [name, text] : files) write(name, text);
    tree.emplace(std::vector<std::filesystem::path>{}, std::filesystem::path(), diagnostics);
    const auto classes = tree->load(folder.path() / files.back().first);
    if (!classes.empty()) model.emplace(*tree, *classes.back(), nullptr, nullptr, "");
  }

  [[nodiscard]] double number(std::string_view name, const std::vector<int>& indices = {}) {
    const Member* const member = model->find(name);
    if (member == nullptr || !member->value()) return -999.0;
    Value value = *member->value();
    value.indices = indices;
    const auto constant = evaluate(value, problem);
    return constant && constant->number() != nullptr ? *constant->number() : -999.0;
  }

  support::TemporaryFolder folder{};
  document::Diagnostics diagnostics{};
  std::optional<ClassTree> tree{};
  std::optional<Instance> model{};
  std::string problem{};

 private:
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder.path() / name).parent_path());
    std::ofstream(folder.path() / name) << text;
  }
};

TEST(Instance, InheritsAndModifies) {
  Loaded loaded(R"(
    model Base parameter Real a = 1; parameter Real b = 2*a; end Base;
    model Middle extends Base(a = 3); parameter Real c = a + b; end Middle;
    model M extends Middle(b = 10); end M;)");
  EXPECT_EQ(loaded.number("a"), 3.0);
  EXPECT_EQ(loaded.number("b"), 10.0);
  EXPECT_EQ(loaded.number("c"), 13.0);
  EXPECT_FALSE(loaded.diagnostics.has_errors()) << loaded.diagnostics.describe();
}

TEST(Instance, ModifiersReachNestedObjectsAndTheOutermostCounts) {
  Loaded loaded(R"(
    model Leaf parameter Real x = 1; end Leaf;
    model Branch Leaf leaf(x = 2); end Branch;
    model M parameter Real q = 7; Branch branch(leaf(x = q)); Branch other; parameter Real y = branch.leaf.x + other.leaf.x; end M;)");
  EXPECT_EQ(loaded.number("y"), 9.0);
}

TEST(Instance, ArraysTakeTheirElementsOrEach) {
  Loaded loaded(R"(
    model Leaf parameter Real x; parameter Real z; end Leaf;
    model M
      parameter Integer n = 3;
      parameter Real masses[n] = {10, 20, 30};
      Leaf leaf[n](x = masses, each z = 4);
      Leaf row[n](x = {i^2 for i in 1:n}, z = linspace(0, 1, n));
      parameter Real y = leaf[2].x + leaf[3].z + row[3].x + row[2].z;
    end M;)");
  EXPECT_EQ(loaded.number("y"), 20.0 + 4.0 + 9.0 + 0.5) << loaded.problem;
}

TEST(Instance, PackagesInFoldersAndConstants) {
  Loaded loaded({{"P/package.mo", "package P constant Real g = 9.5; end P;"},
                 {"P/Q/package.mo", "within P; package Q end Q;"},
                 {"P/Q/Base.mo", "within P.Q; model Base parameter Real h = 2*g; end Base;"},
                 {"P/M.mo", "within P; model M extends Q.Base; parameter Real k = P.g + h; end M;"}});
  EXPECT_EQ(loaded.diagnostics.describe(), "");
  EXPECT_EQ(loaded.number("k"), 28.5) << loaded.problem;
}

TEST(Instance, ImportsAndRedeclarations) {
  Loaded loaded(R"(
    package P package Q model A parameter Real x = 1; end A; model B extends A(x = 5); end B; end Q; end P;
    model Whole import R = P.Q; replaceable R.A part; parameter Real y = part.x; end Whole;
    model M extends Whole(redeclare P.Q.B part); end M;)");
  EXPECT_EQ(loaded.number("y"), 5.0) << loaded.problem << loaded.diagnostics.describe();
}

TEST(Instance, RecordsAreWhatTheyAreSetTo) {
  Loaded loaded(R"(
    package P
      record Material parameter Real k = 1; parameter Real d = k/10; parameter Integer n; end Material;
      constant Material steel(k = 200, n = 3);
      constant Material alias = steel;
      constant Material list[2] = {Material(k = 7, n = 1), Material(8, 0.5, 2)};
      model Part parameter Material mat = steel; parameter Real x = mat.k; end Part;
    end P;
    model M
      parameter Boolean strong = false;
      parameter P.Material own(n = 4);
      parameter P.Material made = P.Material(k = 50, n = 5);
      parameter P.Material chosen = if strong then P.steel else made;
      P.Part a, b(mat = own), c(mat(k = 9));
      parameter Real y1 = P.steel.k + P.alias.n;
      parameter Real y2 = P.list[2].k + P.list[1].d + P.list[2].d;
      parameter Real y3 = chosen.k + chosen.n;
      parameter Real y4 = a.x + b.x + c.x + c.mat.n;
    end M;)");
  EXPECT_EQ(loaded.diagnostics.describe(), "");
  EXPECT_EQ(loaded.number("y1"), 203.0) << loaded.problem;
  EXPECT_EQ(loaded.number("y2"), 8.0 + 0.7 + 0.5) << loaded.problem;
  EXPECT_EQ(loaded.number("y3"), 55.0) << loaded.problem;
  EXPECT_EQ(loaded.number("y4"), 200.0 + 1.0 + 9.0 + 3.0) << loaded.problem;
}

TEST(Instance, RecordsThatAreSetToThemselvesHaveNoValue) {
  Loaded loaded(R"(record R parameter Real k = 1; end R;
    model M parameter R a = b; parameter R b = a; parameter Real y = a.k; end M;)");
  EXPECT_EQ(loaded.number("y"), -999.0);
  EXPECT_NE(loaded.problem, "");
}

TEST(Instance, ArraysOfArraysAreBoundedAsAWhole) {
  Loaded loaded(R"(
    model M
      parameter Real a = sum(zeros(1000000, 1000000));
      parameter Real b = sum({sum({i*j for i in 1:1000000}) for j in 1:1000000});
    end M;)");
  EXPECT_EQ(loaded.number("a"), -999.0);
  EXPECT_EQ(loaded.problem, "the sizes in 'zeros(1000000, 1000000)' are not valid");
  loaded.problem.clear();
  EXPECT_EQ(loaded.number("b"), -999.0);
  EXPECT_EQ(loaded.problem, "the arrays in it are too large");
}

TEST(Instance, EnumerationsAndStandardConstants) {
  Loaded loaded(R"(
    package P
      type Grade = enumeration(soft "s", hard "h");
      constant Grade usual = Grade.hard;
    end P;
    model M
      import Modelica.Constants.pi;
      import C = Modelica.Constants;
      import Modelica.Units.Conversions.{from_rpm, from_deg};
      import G = P.Grade;
      parameter P.Grade grade = P.Grade.hard;
      parameter Real y1 = if grade == G.hard and grade <> P.Grade.soft and grade == P.usual then 1 else 2;
      parameter Real y2 = 2*pi + C.g_n + Modelica.Constants.D2R;
      parameter Real y3 = from_rpm(30) + Modelica.Units.Conversions.from_degC(20);
      parameter Integer y4 = Integer(grade);
    end M;)");
  EXPECT_EQ(loaded.number("y1"), 1.0) << loaded.problem;
  EXPECT_DOUBLE_EQ(loaded.number("y2"), 2 * std::numbers::pi + 9.80665 + std::numbers::pi / 180.0) << loaded.problem;
  EXPECT_DOUBLE_EQ(loaded.number("y3"), std::numbers::pi + 293.15) << loaded.problem;
  EXPECT_EQ(loaded.number("y4"), 2.0) << loaded.problem;
}

TEST(Instance, MistakesAreNamed) {
  const auto said = [](const std::string& text) {
    Loaded loaded(text);
    std::string all;
    for (const auto& each : loaded.diagnostics.all()) all += each.message + "\n";
    return all;
  };
  EXPECT_EQ(said("model Motor Real mass; end Motor; model M extends Moter; end M;"),
            "there is no class 'Moter' (did you mean 'Motor'?)\n");
  EXPECT_NE(said("model A extends B; end A; model B extends A; end B;").find("extends itself"), std::string::npos);
  EXPECT_EQ(said("model A parameter Real mass; end A; model M extends A(mas = 1); end M;"),
            "'A' has no 'mas' (did you mean 'mass'?)\n");
  EXPECT_EQ(said("model M Real x; Real x; end M;"), "'x' is declared twice, here and in line 1\n");
}

TEST(Instance, ParametersThatDependOnThemselvesHaveNoValue) {
  Loaded loaded("model M parameter Real a = b; parameter Real b = a + 1; end M;");
  EXPECT_EQ(loaded.number("a"), -999.0);
  EXPECT_EQ(loaded.problem, "it depends on itself");
}

}  // namespace instance_test
}  // namespace tieline::modelica
