// Functions of time as tracks that grow: the same knots however they are asked for, and no more memory than needed.

#include "assembly/prescribed_function.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "support/model_run.hpp"

namespace tieline::assembly {
namespace prescribed_function_test {

PrescribedFunction prescribed(const std::string& text, double stop) {
  document::Diagnostics diagnostics;
  const document::Scope scope;
  auto function = document::TimeFunction::compile(text, {}, scope, {}, {}, diagnostics);
  EXPECT_TRUE(function.has_value()) << diagnostics.describe();
  return PrescribedFunction(std::move(*function), 0.0, stop);
}

std::vector<wave::Knot> knots_of(const wave::Track& track) {
  std::vector<wave::Knot> knots;
  for (std::size_t i = 0; i < track.size(); ++i) knots.push_back(track.knot(i));
  return knots;
}

void expect_same(const std::vector<wave::Knot>& a, const std::vector<wave::Knot>& b) {
  ASSERT_EQ(a.size(), b.size());
  EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(wave::Knot)), 0);
}

const std::string kFunction = "{sin(40*t) + step(sin(9*t)) - pulse(t, 0.3, 1.1)}";

TEST(PrescribedFunction, FollowsTheFunctionAndItsJumps) {
  PrescribedFunction function = prescribed(kFunction, 2.0);
  wave::Track track;
  ASSERT_TRUE(function.extend(track, 2.0));
  EXPECT_TRUE(track.covers(2.0));
  EXPECT_NEAR(track.next_break(0.0), 0.3, 1e-15);
  for (int i = 0; i < 2000; ++i) {
    const double t = (i + 0.37) * 1e-3;
    const double expected = std::sin(40 * t) + (std::sin(9 * t) >= 0.0 ? 1.0 : 0.0) - (t >= 0.3 && t < 1.1 ? 1.0 : 0.0);
    // 1e-10 of the largest value so far at the quarter points; a little more between them.
    EXPECT_NEAR(track.at(t, wave::Side::left).value, expected, 1e-9) << t;
  }
}

TEST(PrescribedFunction, DrawsTheSameKnotsHoweverOftenItIsAsked) {
  PrescribedFunction at_once = prescribed(kFunction, 2.0), in_windows = prescribed(kFunction, 2.0);
  wave::Track whole, part;
  ASSERT_TRUE(at_once.extend(whole, 2.0));
  for (int i = 0; i <= 137; ++i) ASSERT_TRUE(in_windows.extend(part, 2.0 * i / 137.0));
  expect_same(knots_of(whole), knots_of(part));
}

TEST(PrescribedFunction, ContinuesFromWhereItWasSaved) {
  PrescribedFunction first = prescribed(kFunction, 2.0), second = prescribed(kFunction, 2.0);
  wave::Track track;
  // Within a stretch where two switches have turned.
  ASSERT_TRUE(first.extend(track, 0.77));
  core::ArchiveWriter archive;
  first.save(archive);
  wave::Track copy = track;
  core::ArchiveReader reader(archive.bytes());
  second.restore(reader);
  ASSERT_TRUE(first.extend(track, 2.0));
  ASSERT_TRUE(second.extend(copy, 2.0));
  expect_same(knots_of(track), knots_of(copy));
}

TEST(PrescribedFunction, WhatIsTooFastIsRefused) {
  PrescribedFunction function = prescribed("{sin(1e9*t)}", 1.0);
  wave::Track track;
  const auto extended = function.extend(track, 1.0);
  ASSERT_FALSE(extended);
  EXPECT_NE(extended.error().message.find("too fast to be resolved"), std::string::npos);
}

// 286 000 knots in all: windows become shorter than the 200th part of the run, so that none holds many.
TEST(PrescribedFunction, FastFunctionsGetShortWindows) {
  const auto run =
      support::run_text(R"(<CompositeModel name="m"><Components><Component name="a" kind="network"><Network>
    <Mass name="body" mass="2"/> <Interface name="tip" node="body"/></Network></Component></Components>
    <Connections><Open interface="a.tip" as="force" value="{10*sin(2e4*t)}"/></Connections>
    <Simulation stop="0.2" tolerance="1e-9"/></CompositeModel>)");
  EXPECT_LT(run.report.components.at(0).window, 0.9 * 0.2 / 200.0);
  EXPECT_LT(support::largest_deviation(run, "a.body.velocity",
                                       [](double t) { return 10.0 / 2.0 / 2e4 * (1.0 - std::cos(2e4 * t)); }),
            1e-8);
}

}  // namespace prescribed_function_test
}  // namespace tieline::assembly
