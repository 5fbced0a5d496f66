#include "document/time_function.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <rapidcheck/gtest.h>

namespace tieline::document {
namespace time_function_test {

const Place kHere{"a.xml", 1, 1};
constexpr double kNever = std::numeric_limits<double>::infinity();

struct Setting {
  Scope scope{};
  std::vector<std::string> inputs{"u", "w"};
  std::map<std::string, Table> tables{
      {"ramp", {{0.0, 1.0, 2.0}, {0.0, 10.0, 0.0}, Table::Join::linear}},
      {"stairs", {{0.0, 1.0, 2.0}, {5.0, 6.0, 8.0}, Table::Join::hold}},
      {"bell", {{0.0, 1.0, 2.0}, {0.0, 1.0, 0.0}, Table::Join::smooth}},
  };
  Setting() {
    scope.set("F0", 100.0);
    scope.define("t0", "{1/4}", kHere);
  }
  TimeFunction compile(std::string_view text) const {
    Diagnostics diagnostics;
    auto function = TimeFunction::compile(text, kHere, scope, inputs, tables, diagnostics);
    EXPECT_TRUE(function.has_value()) << text << ": " << diagnostics.describe();
    return function.value_or(TimeFunction());
  }
  std::string error_of(std::string_view text) const {
    Diagnostics diagnostics;
    EXPECT_FALSE(TimeFunction::compile(text, kHere, scope, inputs, tables, diagnostics).has_value()) << text;
    EXPECT_EQ(diagnostics.error_count(), 1U) << diagnostics.describe();
    return diagnostics.all().empty() ? "" : diagnostics.all()[0].message;
  }
};

constexpr double kZeros[2] = {0.0, 0.0};

double settled_value(TimeFunction& function, double t, std::span<const double> inputs = kZeros) {
  function.update_switches(t, inputs);
  return function.value(t, inputs);
}

TEST(TimeFunction, ConstantsAreFolded) {
  const Setting setting;
  for (const auto* text :
       {"100", "{F0}", "{F0*cos(0)}", "{100*step(1)}", "{ramp(1)*10}", "{stairs(0.5)*20}", "{F0 > 1 ? 100 : 2}"}) {
    const auto function = setting.compile(text);
    EXPECT_TRUE(function.is_constant()) << text;
    EXPECT_EQ(function.value(3.0, kZeros), 100.0) << text;
    EXPECT_EQ(function.switch_count(), 0) << text;
    EXPECT_EQ(function.next_break(0.0), kNever) << text;
  }
  EXPECT_EQ(TimeFunction().value(1.0, {}), 0.0);
  EXPECT_TRUE(TimeFunction().is_constant());
}

TEST(TimeFunction, FollowsTimeAndInputs) {
  const Setting setting;
  const double inputs[2] = {3.0, 5.0};
  EXPECT_DOUBLE_EQ(setting.compile("{F0*sin(2*pi*t)}").value(0.125, inputs), 100.0 * std::sqrt(0.5));
  EXPECT_DOUBLE_EQ(setting.compile("{u^2 - -w*t}").value(2.0, inputs), 19.0);
  EXPECT_DOUBLE_EQ(setting.compile("{-t^2}").value(3.0, inputs), -9.0);
  EXPECT_DOUBLE_EQ(setting.compile("{2^3^(t-t)*t/4}").value(3.0, inputs), 1.5);
  EXPECT_DOUBLE_EQ(setting.compile("{3*(t-0.5)/2 + t}").value(1.5, inputs), 3.0);
  EXPECT_DOUBLE_EQ(setting.compile("{smoothstep(t, 1, 3)}").value(2.0, inputs), 0.5);
  EXPECT_EQ(setting.compile("{smoothstep(t, 1, 3)}").value(0.5, inputs), 0.0);
  EXPECT_EQ(setting.compile("{smoothstep(t, 1, 3)}").value(3.5, inputs), 1.0);
}

TEST(TimeFunction, AStepIsFrozenUntilItIsFlipped) {
  const Setting setting;
  auto function = setting.compile("{F0*step(t+u-0.5)}");
  ASSERT_EQ(function.switch_count(), 1);
  EXPECT_EQ(settled_value(function, 0.0), 0.0);
  EXPECT_EQ(function.value(0.7, kZeros), 0.0);  // a stage beyond the jump stays smooth
  double guard = 0.0;
  function.guards(0.4, kZeros, {&guard, 1});
  EXPECT_DOUBLE_EQ(guard, 0.1);
  function.guards(0.6, kZeros, {&guard, 1});
  EXPECT_LT(guard, 0.0);
  function.flip(0);
  EXPECT_EQ(function.value(0.5, kZeros), 100.0);
  function.guards(0.6, kZeros, {&guard, 1});
  EXPECT_GT(guard, 0.0);
}

TEST(TimeFunction, AStepOfTimeAloneIsFrozenUntilItsBreak) {
  const Setting setting;
  auto function = setting.compile("{F0*step(t-0.5)}");
  EXPECT_EQ(function.switch_count(), 0);  // no guard is needed
  EXPECT_EQ(settled_value(function, 0.0), 0.0);
  EXPECT_EQ(function.value(0.7, kZeros), 0.0);  // a stage beyond the jump stays smooth
  EXPECT_EQ(function.next_break(0.0), 0.5);
  EXPECT_EQ(function.next_break(0.5), kNever);
  EXPECT_EQ(settled_value(function, 0.5), 100.0);
}

TEST(TimeFunction, SwitchesTakeTheRightSide) {
  const Setting setting;
  for (const double at : {0.1, 0.5, 123.4}) {
    Setting shifted;
    shifted.scope.set("a", at);
    auto rising = shifted.compile("{step(t-a)}");
    auto falling = shifted.compile("{step(a-t)}");
    EXPECT_EQ(settled_value(rising, at), 1.0);
    EXPECT_EQ(settled_value(falling, at), 0.0);
    EXPECT_EQ(settled_value(falling, at - 1e-6), 1.0);
  }
}

TEST(TimeFunction, PulsesComparisonsAndSignsAreSwitches) {
  const Setting setting;
  struct Case {
    const char* text;
    int breaks;
    double before, within, after;  // at 0.5, 1.5, 2.5
  };
  for (const Case& c : {Case{"{pulse(t,1,2)}", 2, 0, 1, 0}, Case{"{t<1 ? 3 : t<2 ? 4 : 5}", 2, 3, 4, 5},
                        Case{"{(t>=1 && t<=2)*2}", 2, 0, 2, 0}, Case{"{t>1 || t<0.7}", 2, 1, 1, 1},
                        Case{"{sign(t-1)}", 1, -1, 1, 1}, Case{"{step(step(t-1)-0.5)}", 1, 0, 1, 1}}) {
    auto function = setting.compile(c.text);
    EXPECT_EQ(function.switch_count(), 0) << c.text;
    int breaks = 0;
    for (double t = function.next_break(0.0); t < 3.0; t = function.next_break(t)) ++breaks;
    EXPECT_EQ(breaks, c.breaks) << c.text;
    EXPECT_EQ(settled_value(function, 0.5), c.before) << c.text;
    EXPECT_EQ(settled_value(function, 1.5), c.within) << c.text;
    EXPECT_EQ(settled_value(function, 2.5), c.after) << c.text;
  }
}

TEST(TimeFunction, TablesReportTheirBreaks) {
  const Setting setting;
  auto ramp = setting.compile("{2*ramp(t - t0)}");
  EXPECT_DOUBLE_EQ(ramp.value(0.75, kZeros), 10.0);
  EXPECT_EQ(ramp.next_break(0.0), 0.25);
  EXPECT_EQ(ramp.next_break(0.25), 1.25);
  EXPECT_EQ(ramp.next_break(2.25), kNever);
  const auto bell = setting.compile("{bell(t)}");
  EXPECT_EQ(bell.next_break(0.5), 2.0);
  EXPECT_EQ(setting.compile("{ramp(u)}").next_break(0.0), kNever);
  const auto nested = setting.compile("{ramp(bell(t))}");
  EXPECT_DOUBLE_EQ(nested.value(0.5, kZeros), 10.0 * Table(setting.tables.at("bell")).value(0.5));
}

TEST(TimeFunction, AHeldTableKeepsItsPieceUntilTheBreak) {
  const Setting setting;
  auto function = setting.compile("{stairs(t)}");
  EXPECT_EQ(settled_value(function, 0.5), 5.0);
  EXPECT_EQ(function.next_break(0.5), 1.0);
  EXPECT_EQ(function.value(1.0, kZeros), 5.0);  // the left side
  EXPECT_EQ(settled_value(function, 1.0), 6.0);
  EXPECT_EQ(settled_value(function, 9.0), 8.0);
  EXPECT_EQ(settled_value(function, -9.0), 5.0);
  auto backwards = setting.compile("{stairs(2 - t)}");
  EXPECT_EQ(settled_value(backwards, -0.5), 8.0);
  EXPECT_EQ(settled_value(backwards, 0.0), 6.0);
  EXPECT_EQ(settled_value(backwards, 0.5), 6.0);
  EXPECT_EQ(settled_value(backwards, 1.5), 5.0);
}

TEST(TimeFunction, AHeldTableOverAnInputIsMadeOfSwitches) {
  const Setting setting;
  auto function = setting.compile("{stairs(u)}");
  EXPECT_EQ(function.switch_count(), 2);
  for (const auto& [u, expected] : {std::pair{-1.0, 5.0}, {0.5, 5.0}, {1.5, 6.0}, {7.0, 8.0}}) {
    const double inputs[2] = {u, 0.0};
    EXPECT_EQ(settled_value(function, 0.0, inputs), expected);
  }
}

TEST(TimeFunction, CopiesAreIndependentAndStateIsRestored) {
  const Setting setting;
  auto function = setting.compile("{step(t-1)*10 + stairs(t) + pulse(u,0,1)}");
  (void)settled_value(function, 1.5);
  const auto state = function.switches();
  TimeFunction copy = function;
  EXPECT_EQ(copy.value(1.5, kZeros), 17.0);
  (void)settled_value(copy, 0.5);
  EXPECT_EQ(copy.value(1.5, kZeros), 6.0);
  EXPECT_EQ(function.value(1.5, kZeros), 17.0);
  copy.set_switches(state);
  EXPECT_EQ(copy.value(1.5, kZeros), 17.0);
  TimeFunction moved = std::move(copy);
  EXPECT_EQ(moved.value(1.5, kZeros), 17.0);
  copy = moved;
  EXPECT_EQ(copy.switches(), state);
}

TEST(TimeFunction, NamesWhatIsWrong) {
  const Setting setting;
  EXPECT_EQ(setting.error_of("{F1*t}"), "unknown name 'F1' (did you mean 'F0'?)");
  EXPECT_EQ(setting.error_of("{stp(t)}"), "in '{stp(t)}': unknown function 'stp' (did you mean 'step'?)");
  EXPECT_EQ(setting.error_of("{pulse(t,1)}"), "in '{pulse(t,1)}': 'pulse' takes 3 arguments, not 2");
  EXPECT_EQ(setting.error_of("{t == 1}"),
            "in '{t == 1}': '==' compares numbers that change with time, which are never exactly equal");
  EXPECT_EQ(setting.error_of("{ramp*t}"), "in '{ramp*t}': 'ramp' is a table; write ramp(t)");
  EXPECT_EQ(setting.error_of("{t +}"), "in '{t +}': unexpected end of the expression");
  EXPECT_EQ(setting.error_of("{(t}"), "in '{(t}': unexpected end of the expression");
  for (const auto* text : {"t", "", "{}", "{t = 1}", "{t, 1}", "{sin()*t}", "{atan2(t)}", "{1e999*t}", "{1/0}",
                           "{rint(t)}", "{t t}", "{t ? 1}"}) {
    EXPECT_FALSE(setting.error_of(text).empty()) << text;
  }
  EXPECT_NE(setting.error_of("{" + std::string(1'000, '(') + "t" + std::string(1'000, ')') + "}").find("nested"),
            std::string::npos);
  EXPECT_FALSE(setting.error_of("{t" + std::string(9'000, '^') + "}").empty());
  std::string powers = "t";
  for (int i = 0; i < 3'000; ++i) powers += "^t";
  EXPECT_FALSE(setting.error_of("{" + powers + "}").empty());
}

TEST(Table, SmoothJoinIsMonotoneAndPassesItsPoints) {
  const Table table{{0.0, 1.0, 3.0, 4.0}, {0.0, 1.0, 1.5, 5.0}, Table::Join::smooth};
  double last = table.value(0.0);
  for (std::size_t i = 0; i < table.x.size(); ++i) EXPECT_DOUBLE_EQ(table.value(table.x[i]), table.y[i]);
  for (double x = 0.0; x <= 4.0; x += 0.01) {
    EXPECT_GE(table.value(x), last - 1e-12);
    last = table.value(x);
    const double h = 1e-6;
    const bool is_inside_a_piece = std::abs(x - std::round(x)) > 1e-3;
    if (is_inside_a_piece) {
      EXPECT_NEAR(table.slope(x), (table.value(x + h) - table.value(x - h)) / (2 * h), 1e-7);
    }
  }
  // A straight line is met exactly.
  const Table straight{{0.0, 1.0, 3.0}, {1.0, 3.0, 7.0}, Table::Join::smooth};
  EXPECT_DOUBLE_EQ(straight.value(0.3), 1.6);
  EXPECT_DOUBLE_EQ(straight.value(2.9), 6.8);
}

TEST(Table, NamesItsDefect) {
  EXPECT_EQ((Table{{0.0, 1.0}, {1.0}}.defect()), "2 values of x, but 1 of y");
  EXPECT_EQ((Table{{0.0, 0.0}, {1.0, 2.0}}.defect()), "x must ascend, but 0 follows 0");
  EXPECT_EQ((Table{}.defect()), "it has no points");
  EXPECT_EQ((Table{{0.0, kNever}, {1.0, 2.0}}.defect()), "point 2 is not finite");
  EXPECT_EQ((Table{{0.0, 1.0}, {1.0, 2.0}}.defect()), "");
}

RC_GTEST_PROP(TimeFunction, AnyTextGivesAFunctionOrAReport, (const std::string& text)) {
  const Setting setting;
  Diagnostics diagnostics;
  const auto function =
      TimeFunction::compile("{t*" + text + "}", kHere, setting.scope, setting.inputs, setting.tables, diagnostics);
  RC_ASSERT(function.has_value() != diagnostics.has_errors());
}

RC_GTEST_PROP(TimeFunction, AgreesWithScopeOnConstants, ()) {
  // Random expressions over + - * ^ and signs: both parsers must give them the same meaning.
  const auto terms = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange(0, 5), rc::gen::inRange(1, 4))));
  RC_PRE(terms.size() < 8U);
  std::string text = "2";
  for (const auto& [operation, digit] : terms) {
    static constexpr const char* kOperations[] = {"+", "-", "*", "*-", "/"};
    text += kOperations[operation] + std::to_string(digit) + (digit == 3 ? "^2" : "");
  }
  Setting setting;
  Diagnostics diagnostics;
  const auto expected = setting.scope.evaluate("{" + text + "}", kHere, diagnostics);
  auto function = setting.compile("{" + text + " + u}");
  RC_ASSERT(expected.has_value());
  RC_ASSERT(std::abs(function.value(0.0, kZeros) - *expected) <= 1e-12 * (1.0 + std::abs(*expected)));
}

TEST(TimeFunction, MembersOfSignalsAreInputs) {
  Setting setting;
  setting.inputs = {"u[1]", "u[2]", "w"};
  setting.scope.set("n", 2.0);
  const double inputs[3] = {3.0, 5.0, 7.0};
  EXPECT_EQ(setting.compile("{u[1]*10 + u[2]}").value(0.0, inputs), 35.0);
  EXPECT_EQ(setting.compile("{u[n] - u[n-1]}").value(0.0, inputs), 2.0);
  EXPECT_EQ(setting.compile("{step(u[ 2 ] - 4) * w[1]}").value(0.0, inputs), 0.0);
  auto stepped = setting.compile("{step(u[ 2 ] - 4) * w[1]}");
  EXPECT_EQ(settled_value(stepped, 0.0, inputs), 7.0);
  EXPECT_EQ(setting.error_of("{u[3]}"), "in '{u[3]}': there is no signal input 'u[3]' (did you mean 'u[1]'?)");
  EXPECT_EQ(setting.error_of("{w[2]}"), "in '{w[2]}': there is no signal input 'w[2]' (did you mean 'u[2]'?)");
  EXPECT_EQ(setting.error_of("{u}"), "in '{u}': 'u' is a signal of several numbers; write u[1]");
  EXPECT_EQ(setting.error_of("{u[1.5]}"), "in '{u[1.5]}': the index of 'u' must be a whole number");
  EXPECT_EQ(setting.error_of("{u[t]}"), "in '{u[t]}': the index of 'u' must be a whole number");
  EXPECT_EQ(setting.error_of("{u[1}"), "in '{u[1}': unexpected end of the expression");
  EXPECT_EQ(setting.error_of("{[1]}"), "in '{[1]}': unexpected '[' at character 1");
}

}  // namespace time_function_test
}  // namespace tieline::document
