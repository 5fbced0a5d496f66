#include "tieline/plots.hpp"

#include <gtest/gtest.h>

#include "api/pair.hpp"

namespace tieline::api {
namespace plots_test {

TEST(Plots, OverlayRuns) {
  const PairFolder work;
  const Results a = Results::open(work.run("a"));
  const Results b = Results::open(work.run("b", 3.0));
  const std::vector<PlottedRun> runs{{&a, "light"}, {&b, "heavy"}};
  const std::vector<std::string> patterns{"left.body.position"};
  plot_runs(runs, patterns, {.title = "two masses", .colours = ColourBy::run, .has_run_labels = true},
            work.path("plot.svg"));
  const std::string svg = text_of(work.path("plot.svg"));
  for (const char* text : {"two masses", ">light<", ">heavy<"}) EXPECT_NE(svg.find(text), std::string::npos) << text;
  const std::vector<std::string> unknown{"left.body.positon"};
  EXPECT_NE(thrown<std::out_of_range>([&] { plot_runs(runs, unknown, {}, work.path("x.svg")); }), "");
  EXPECT_NE(thrown<FileError>([&] { plot_runs(runs, patterns, {}, work.path("none") / "x.svg"); }), "");
}

TEST(Plots, DrawDiagrams) {
  const PairFolder work;
  draw_diagram(work.model(), work.path("diagram.svg"));
  EXPECT_NE(text_of(work.path("diagram.svg")).find(">left<"), std::string::npos);
  EXPECT_NE(thrown<ModelError>([&] { draw_diagram(work.path("none.xml"), work.path("x.svg")); }), "");
}

TEST(Plots, ShowTablesOfSweeps) {
  const PairFolder work;
  std::filesystem::create_directory(work.path("sweep"));
  work.write("sweep/table.csv", "m,status,x:final\n1,done,2\n2,done,4\n");
  const std::vector<PlottedSweep> sweeps{{work.path("sweep"), "sweep"}};
  plot_sweeps(sweeps, {"x:final"}, {.title = "over m", .is_log_x = true}, work.path("plot.svg"));
  EXPECT_NE(text_of(work.path("plot.svg")).find("over m"), std::string::npos);
  EXPECT_NE(thrown<std::out_of_range>([&] { plot_sweeps(sweeps, {"y"}, {}, work.path("x.svg")); }), "");
}

TEST(Plots, AnimateBodies) {
  const PairFolder work;
  auto simulation = Simulation::load(example("spinning-top/top.xml"));
  simulation.set_stop(0.05);
  simulation.record_to(work.path("top"));
  simulation.advance_to(0.05);
  simulation.finish();
  const Animation animation = animate(work.path("top"), work.path("top.html"), {.frames = 20});
  EXPECT_EQ(animation.frames, 20U);
  EXPECT_GE(animation.bodies, 1U);
  EXPECT_EQ(animation.end, 0.05);
  EXPECT_TRUE(std::filesystem::exists(work.path("top.html")));
  const auto flat = work.run("flat");
  EXPECT_NE(thrown<FileError>([&] { animate(flat, work.path("x.html")); }).find("to show"), std::string::npos);
}

}  // namespace plots_test
}  // namespace tieline::api
