#include "modelica/parser.hpp"

#include <gtest/gtest.h>

#include "modelica/token.hpp"

namespace tieline::modelica {
namespace parser_test {

struct Parsed {
  document::Diagnostics diagnostics{};
  std::unique_ptr<StoredDefinition> file{};

  explicit Parsed(const std::string& text) { file = parse("a.mo", text, diagnostics); }
  [[nodiscard]] std::string said() const { return diagnostics.describe(); }
};

/// Every construct of appendix A of the specification, once.
constexpr const char* kWhole = R"(within A.B;
encapsulated package P "text" + " more"
  import Modelica.Constants.pi;
  import C = Modelica.Constants;
  import Modelica.Math.*;
  import Modelica.Math.{sin, cos} "two";
  extends Base(redeclare replaceable package Medium = Water constrainedby Fluid "m", each final x(start=1) = 2,
    redeclare final Real k = 3, replaceable model M = N, y = break, break connect(a, b.c[2]), break z) annotation(Evaluate=true);
  type Kind = enumeration(one "1", two) "kinds";
  type Any = enumeration(:);
  type Volts = Real[3](each unit="V");
  function d = der(f, x, y);
  connector In = input Real;
  partial model Empty end Empty;
  expandable connector Bus end Bus;
  operator record Complex "numbers"
    encapsulated operator function 'constructor' input Real re; output Complex z; algorithm z.re := re; end 'constructor';
  end Complex;
  pure function f input Real x; output Real y;
    protected Real w;
    external "C" y = f_in_c(x, 2) annotation(Library="m");
  end f;
  redeclare model extends Frame(r = 1) "more" end Frame;
  model 'strange name: {}'
    parameter Real a[:, size(x, 1)] = [1, 2; 3, 4], b = -1.5e-3 "b" annotation(Dialog(group="g"));
    constant Integer n(min=0) = 3;
    flow Real q; stream Real h; discrete input Integer u; inner outer Real g;
    replaceable A.B part if n > 2 constrainedby C.D(x=1) annotation(choices(choice(redeclare A.B part "x")));
    final Real s = sum(i*j for i in 1:n, j in {1, 2, 3}) + (if a[1, end] > 0 then 1 elseif true then 2 else 3);
  public
    .Top.Level t(p = {k^2 for k in 0:0.5:2});
  protected
    Real hidden = 2 .* 3 ./ 4 .^ 5 .+ 6 .- 7;
  initial equation
    x = h(function g(x = 1), 2);
  equation
    connect(a.b[1].c, d[2:end, :]) annotation(Line(points={{0,0},{1,1}}));
    for i in 1:n, j loop connect(a[i], b[j]); end for;
    if n > 1 and not (n == 3 or n <> 4) then connect(a, b); elseif initial() then x = 1; else x = 2; end if;
    when {x > 1, sample(0, 1)} then reinit(x, -pre(x)); elsewhen x < 0 then terminate("end"); end when;
    der(x) = -x "decay";
    (a, , b) = f(x);
    assert(x >= 0, "negative");
  initial algorithm
    x := 1;
  algorithm
    while x < 3 loop x := x + 1; if x == 2 then break; end if; end while;
    for k in {1, 2} loop y[k] := k; end for;
    (a, b) := f(x, y = 2);
    return;
    annotation(experiment(StopTime=1), Icon(graphics={Line(points={{-1,0},{1,0}})}));
  end 'strange name: {}';
  annotation(version="1");
end P;
final model Second end Second;
)";

TEST(Parser, ReadsEveryConstructOfTheLanguage) {
  const Parsed parsed(kWhole);
  EXPECT_EQ(parsed.said(), "");
  ASSERT_EQ(parsed.file->classes.size(), 2u);
  EXPECT_EQ(parsed.file->within.text(), "A.B");
  const ClassDefinition& package = parsed.file->classes[0];
  EXPECT_EQ(package.comment.text, "text more");
  const auto& elements = package.elements;
  EXPECT_EQ(elements[1].alias, "C");
  EXPECT_TRUE(elements[2].imports_all);
  EXPECT_EQ(elements[3].imported.size(), 2u);
  EXPECT_EQ(elements[4].removed.size(), 1u);
  const ClassDefinition& model = *elements.back().definition;
  EXPECT_EQ(name_of(model.name), "strange name: {}");
  EXPECT_EQ(model.sections.size(), 4u);
  EXPECT_EQ(model.sections[1].equations.size(), 7u);
  EXPECT_EQ(model.sections[1].equations[0].kind, Equation::Kind::connect);
  EXPECT_NE(model.comment.annotation.find("experiment"), nullptr);
  EXPECT_TRUE(parsed.file->classes[1].is_final);
}

TEST(Parser, NamesEveryErrorWithItsPlaceAndWhatWasExpected) {
  const Parsed parsed(
      "model M\n  Real x = ;\n  Real y\n  Real z;\nequation\n  connect(a, );\n  x + 1;\n  connect(a, b);\nend N;\n");
  EXPECT_EQ(parsed.said(),
            "a.mo:2:12: error: expected an expression, found ';'\n"
            "a.mo:4:3: error: expected ';' after a declaration, found 'Real'\n"
            "a.mo:6:14: error: expected a name in a reference, found ')'\n"
            "a.mo:7:8: error: expected '=' in an equation, found ';'\n"
            "a.mo:9:5: error: model 'M' ends with 'end N'; expected 'end M'\n");
  EXPECT_EQ(parsed.file->classes[0].sections[0].equations.size(), 1u) << "what follows an error is read";
}

TEST(Parser, KeywordsAreNoNames) {
  EXPECT_EQ(Parsed("model M Real end; end M;").said().substr(0, 61),
            "a.mo:1:14: error: expected a name of a component, found 'end'");
}

TEST(Parser, LimitsWhatIsNested) {
  EXPECT_NE(Parsed("model M Real x = " + std::string(1000, '(') + "1;\nend M;").said().find("nested too deeply"),
            std::string::npos);
  std::string sum = "1";
  for (int i = 0; i < 5000; ++i) sum += "+1";
  EXPECT_NE(Parsed("model M Real x = " + sum + ";\nend M;").said().find("too many operators"), std::string::npos);
}

TEST(Parser, UnfinishedTextsAreErrors) {
  for (const char* text :
       {"model M \"text", "model 'M", "model M /* comment", "model M", "package P model M end M;", "42"}) {
    EXPECT_TRUE(Parsed(text).diagnostics.has_errors()) << text;
  }
}

TEST(Names, AreQuotedWhereTheyMust) {
  EXPECT_EQ(quoted_identifier("body1"), "body1");
  EXPECT_EQ(quoted_identifier("two-bodies"), "'two-bodies'");
  EXPECT_EQ(quoted_identifier("end"), "'end'");
  EXPECT_EQ(quoted_identifier("1st"), "'1st'");
  EXPECT_EQ(name_of(quoted_identifier("it's \\ {i}")), "it's \\ {i}");
  EXPECT_EQ(text_of(as_string("a \"b\"\n\\c")), "a \"b\"\n\\c");
  EXPECT_EQ(text_of("\"tab\\t, quote\\\"\""), "tab\t, quote\"");
  EXPECT_FALSE(can_be_identifier("\xc3\xa4"));
}

}  // namespace parser_test
}  // namespace tieline::modelica
