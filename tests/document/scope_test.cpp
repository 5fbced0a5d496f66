#include "document/scope.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <rapidcheck/gtest.h>

namespace tieline::document {
namespace scope_test {

const Place kHere{"a.xml", 1, 1};

double value(const Scope& scope, std::string_view text) {
  Diagnostics diagnostics;
  const auto result = scope.evaluate(text, kHere, diagnostics);
  EXPECT_TRUE(result.has_value()) << diagnostics.describe();
  return result.value_or(std::nan(""));
}

std::string error_of(const Scope& scope, std::string_view text) {
  Diagnostics diagnostics;
  EXPECT_FALSE(scope.evaluate(text, kHere, diagnostics).has_value()) << text;
  EXPECT_EQ(diagnostics.error_count(), 1U) << diagnostics.describe();
  return diagnostics.all().empty() ? "" : diagnostics.all()[0].message;
}

TEST(Scope, ReadsNumbersAndExpressions) {
  Scope scope;
  scope.set("k", 2.0);
  EXPECT_EQ(value(scope, "1e-5"), 1e-5);
  EXPECT_EQ(value(scope, " +3. "), 3.0);
  EXPECT_EQ(value(scope, "-.5"), -0.5);
  EXPECT_EQ(value(scope, "1e-400"), 0.0);
  EXPECT_EQ(value(scope, "{k^2*3 + -1}"), 11.0);
  EXPECT_EQ(value(scope, " { 2*k } "), 4.0);
  EXPECT_DOUBLE_EQ(value(scope, "{sin(pi/2) + max(1, 2, 3)}"), 4.0);
  EXPECT_EQ(value(scope, "{k > 1 ? 10 : 20}"), 10.0);
}

TEST(Scope, OrderOfDefinitionsDoesNotMatter) {
  Scope scope;
  scope.define("Z", "{k*T}", kHere);
  scope.define("k", "1e10", kHere);
  scope.define("T", "{1/c}", kHere);
  scope.define("c", "1e5", kHere);
  EXPECT_DOUBLE_EQ(value(scope, "{Z}"), 1e5);
}

TEST(Scope, LooksOutwards) {
  Scope outer;
  outer.set("m", 1.0);
  outer.define("twice", "{2*m}", kHere);
  Scope inner = outer.nested();
  inner.set("m", 10.0);
  EXPECT_EQ(value(inner, "{m}"), 10.0);
  EXPECT_EQ(value(inner, "{twice}"), 2.0);  // an outer expression sees outer names
  EXPECT_TRUE(inner.defines("m"));
  EXPECT_FALSE(inner.defines("twice"));
  EXPECT_EQ(inner.visible_names(), (std::vector<std::string>{"m", "twice"}));
}

TEST(Scope, TheSameTextInNestedScopesKeepsItsOwnValues) {
  Scope outermost;
  outermost.set("a", 1.0);
  Scope middle = outermost.nested();
  middle.define("b", "{2*a}", kHere);
  Scope inner = middle.nested();
  inner.define("a", "{b}", kHere);
  EXPECT_EQ(value(inner, "{2*a}"), 4.0);
}

TEST(Scope, PiCanBeShadowed) {
  Scope scope;
  EXPECT_EQ(value(scope, "{pi}"), std::numbers::pi);
  scope.set("pi", 3.0);
  EXPECT_EQ(value(scope, "{pi}"), 3.0);
}

TEST(Scope, ReportsACycleOnceWithItsNames) {
  Scope scope;
  scope.define("a", "{b+1}", {"a.xml", 2, 3});
  scope.define("b", "{c}", {"a.xml", 3, 3});
  scope.define("c", "{2*a}", {"a.xml", 4, 3});
  Diagnostics diagnostics;
  for (const auto* name : {"a", "b", "c"}) EXPECT_FALSE(scope.value_of(name, kHere, diagnostics).has_value());
  ASSERT_EQ(diagnostics.error_count(), 1U);
  EXPECT_EQ(diagnostics.all()[0].describe(), "a.xml:2:3: error: 'a' depends on itself: a -> b -> c -> a");
}

TEST(Scope, ALongChainIsRefusedNotCrashed) {
  Scope scope;
  constexpr int kCount = 100'000;
  for (int i = 0; i < kCount; ++i) scope.define("p" + std::to_string(i), "{p" + std::to_string(i + 1) + "}", kHere);
  scope.set("p" + std::to_string(kCount), 1.0);
  EXPECT_NE(error_of(scope, "{p0}").find("depend on one another"), std::string::npos);
}

TEST(Scope, NamesWhatIsWrongWithAnExpression) {
  Scope scope;
  scope.set("stiffness", 1.0);
  EXPECT_EQ(error_of(scope, "{2*stifness}"), "unknown name 'stifness' (did you mean 'stiffness'?)");
  EXPECT_EQ(error_of(scope, "stiffness"),
            "'stiffness' is neither a finite number nor an {expression} (a parameter is written '{stiffness}')");
  EXPECT_EQ(error_of(scope, "{sqr(1)}"), "in '{sqr(1)}': unknown function 'sqr' (did you mean 'sqrt'?)");
  EXPECT_EQ(error_of(scope, "{1/0}"), "'{1/0}' is inf, not a finite number");
  EXPECT_EQ(error_of(scope, "{1,2}"), "in '{1,2}': a comma outside a function's brackets");
  EXPECT_EQ(error_of(scope, "{}"), "in '{}': the expression is empty");
  for (const auto* text : {"nan", "inf", "1e999", "1e5x", "", "{stiffness = 3}", "{(1}", "{1 +}", "{\"a\"}", "{1 2}",
                           "{2}{3}", "0x10", "{log(0)}", "{sqrt(-1)}", "{;}"}) {
    EXPECT_FALSE(error_of(scope, text).empty()) << text;
  }
}

TEST(Scope, RefusesAbsurdExpressions) {
  const Scope scope;
  EXPECT_NE(error_of(scope, "{" + std::string(20'000, '1') + "}").find("characters"), std::string::npos);
  // As deep as the length allows: an answer or a report, but no crash.
  Diagnostics diagnostics;
  (void)scope.evaluate("{" + std::string(4'900, '(') + "1" + std::string(4'900, ')') + "}", kHere, diagnostics);
}

TEST(Scope, InterpolatesNames) {
  Scope scope;
  scope.set("i", 3.0);
  Diagnostics diagnostics;
  EXPECT_EQ(scope.interpolate("mass{i+1}.left{i}", kHere, diagnostics), "mass4.left3");
  EXPECT_EQ(scope.interpolate("plain", kHere, diagnostics), "plain");
  EXPECT_EQ(scope.interpolate("x{i/2}", kHere, diagnostics), "x1.5");
  EXPECT_EQ(scope.interpolate("x{-0*i}", kHere, diagnostics), "x0");
  EXPECT_FALSE(diagnostics.has_errors());
  for (const auto* text : {"a{i", "a}", "a{{i}}", "a{j}"}) {
    const auto before = diagnostics.error_count();
    EXPECT_FALSE(scope.interpolate(text, kHere, diagnostics).has_value());
    EXPECT_EQ(diagnostics.error_count(), before + 1) << text;
  }
}

TEST(Scope, ReadNumberChecksItsLimits) {
  Diagnostics diagnostics;
  const auto document = Document::parse("<a low=\"-1\" zero=\"0\" high=\"2\" text=\"x\"/>", "a.xml", diagnostics);
  const Element element = document->root();
  const Scope scope;
  EXPECT_EQ(read_number(element, "high", scope, {.least = 0.0, .most = 2.0}, diagnostics), 2.0);
  EXPECT_EQ(read_number(element, "none", scope, {.absent = 7.0}, diagnostics), 7.0);
  EXPECT_FALSE(diagnostics.has_errors());
  (void)read_number(element, "none", scope, {}, diagnostics);
  (void)read_number(element, "low", scope, {.least = 0.0, .unit = "kg"}, diagnostics);
  (void)read_number(element, "zero", scope, {.least = 0.0, .exclusive_least = true}, diagnostics);
  (void)read_number(element, "high", scope, {.most = 1.0}, diagnostics);
  (void)read_number(element, "text", scope, {}, diagnostics);
  EXPECT_EQ(diagnostics.describe(),
            "a.xml:1:1: error: <a> needs the attribute 'none'\n"
            "a.xml:1:4: error: low = -1 kg must be at least 0 kg\n"
            "a.xml:1:13: error: zero = 0 must be greater than 0\n"
            "a.xml:1:22: error: high = 2 must be at most 1\n"
            "a.xml:1:31: error: 'x' is neither a finite number nor an {expression} (a parameter is written '{x}')\n");
}

RC_GTEST_PROP(Scope, EveryFiniteNumberIsReadBackExactly, ()) {
  const auto number = *rc::gen::arbitrary<double>();
  RC_PRE(std::isfinite(number));
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", number);
  Diagnostics diagnostics;
  RC_ASSERT(Scope().evaluate(text, kHere, diagnostics) == number);
}

RC_GTEST_PROP(Scope, AnyTextGivesAValueOrAReport, (const std::string& text)) {
  Scope scope;
  scope.set("a", 1.0);
  Diagnostics diagnostics;
  const auto result = scope.evaluate("{" + text + "}", kHere, diagnostics);
  RC_ASSERT(result.has_value() != diagnostics.has_errors());
}

}  // namespace scope_test
}  // namespace tieline::document
