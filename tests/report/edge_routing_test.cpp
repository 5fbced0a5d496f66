#include "report/edge_routing.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "report/diagram.hpp"

namespace tieline::report {
namespace edge_routing_test {

/// A loop of signals below two boxes that stand side by side, as a controller is often drawn.
Diagram loop() {
  Diagram diagram{.title = "loop"};
  diagram.nodes.push_back({.label = "station", .kind = "network", .ports = {"a", "b", "opening"}});
  diagram.nodes.push_back({.label = "actuator", .kind = "network", .ports = {"a", "b", "position"}});
  diagram.nodes.push_back({.label = "controller", .kind = "blocks", .ports = {"opening", "measured"}});
  diagram.nodes[0].position = DiagramPosition{0, 0};
  diagram.nodes[1].position = DiagramPosition{2, 0};
  diagram.nodes[2].position = DiagramPosition{1, 1};
  diagram.edges.push_back({0, 0, 1, 0, "hose_a", EdgeStyle::line});
  diagram.edges.push_back({0, 1, 1, 1, "hose_b", EdgeStyle::line});
  diagram.edges.push_back({2, 0, 0, 2, "command", EdgeStyle::signal});
  diagram.edges.push_back({1, 2, 2, 1, "sensor", EdgeStyle::signal});
  return diagram;
}

std::vector<Rectangle> boxes_of(const DiagramLayout& layout) {
  std::vector<Rectangle> boxes;
  for (const NodeLayout& node : layout.nodes) boxes.push_back(node.box);
  return boxes;
}

void expect_free(const Diagram& diagram) {
  const DiagramLayout layout = lay_out(diagram);
  for (std::size_t i = 0; i < layout.edges.size(); ++i) {
    const EdgeLayout& edge = layout.edges[i];
    EXPECT_FALSE(is_hidden(edge, boxes_of(layout))) << diagram.edges[i].label;
    const DiagramEdge& of = diagram.edges[i];
    EXPECT_EQ(edge.points.front().x, layout.nodes[of.from].ports[of.from_port].place.x);
    EXPECT_EQ(edge.points.back().y, layout.nodes[of.to].ports[of.to_port].place.y);
    for (const Point point : edge.points) {
      EXPECT_GE(point.x, 0.0);
      EXPECT_LE(point.x, layout.width);
      EXPECT_GE(point.y, 0.0);
      EXPECT_LE(point.y, layout.height);
    }
    if (!edge.is_routed) continue;
    for (std::size_t k = 0; k + 1 < edge.points.size(); ++k) {
      const double dx = edge.points[k + 1].x - edge.points[k].x, dy = edge.points[k + 1].y - edge.points[k].y;
      EXPECT_LT(std::min(std::abs(dx), std::abs(dy)), 1e-9) << diagram.edges[i].label;
    }
  }
}

TEST(EdgeRouting, SignalsBelowTwoBoxesRunAroundTheirController) {
  expect_free(loop());
  const DiagramLayout layout = lay_out(loop());
  EXPECT_FALSE(layout.edges[0].is_routed);  // what is free is left as it is
  // Labels stand beside their lines, and on no box.
  for (const EdgeLayout& edge : layout.edges) {
    const Point place = label_place(edge, 50.0, boxes_of(layout));
    for (const Rectangle& box : boxes_of(layout)) {
      EXPECT_FALSE(place.x + 25.0 > box.x && place.x - 25.0 < box.right() && place.y > box.y &&
                   place.y - kEdgeLabelSize < box.bottom());
    }
  }
}

TEST(EdgeRouting, LinesBetweenFarBoxesPassThoseBetweenThem) {
  Diagram diagram{.title = "row"};
  for (int i = 0; i < 5; ++i) {
    diagram.nodes.push_back(
        {.label = std::string("part").append(std::to_string(i)), .kind = "network", .ports = {"left", "right"}});
    diagram.nodes.back().position = DiagramPosition{static_cast<double>(i), 0.0};
  }
  diagram.edges.push_back({0, 1, 4, 0, "over", EdgeStyle::line});
  diagram.edges.push_back({3, 0, 1, 1, "back", EdgeStyle::signal});
  diagram.edges.push_back({0, 1, 3, 0, "beside", EdgeStyle::line});
  expect_free(diagram);
  // Routed edges do not lie on each other.
  const DiagramLayout layout = lay_out(diagram);
  ASSERT_TRUE(layout.edges[0].is_routed && layout.edges[2].is_routed);
  const auto longest_level = [](const EdgeLayout& edge) {
    double length = 0.0, y = 0.0;
    for (std::size_t k = 0; k + 1 < edge.points.size(); ++k) {
      const double dx = std::abs(edge.points[k + 1].x - edge.points[k].x);
      if (dx > length) {
        length = dx;
        y = edge.points[k].y;
      }
    }
    return y;
  };
  EXPECT_GT(std::abs(longest_level(layout.edges[0]) - longest_level(layout.edges[2])), 5.0);
}

TEST(EdgeRouting, LayeredDrawingsAreFreeToo) {
  Diagram diagram{.title = "many"};
  for (int i = 0; i < 12; ++i) {
    diagram.nodes.push_back({.label = std::string("n").append(std::to_string(i)), .ports = {"a", "b", "c", "d"}});
  }
  for (std::size_t i = 0; i < 12; ++i) {
    diagram.edges.push_back({i, 1, (i + 1) % 12, 0, "", EdgeStyle::line});
    diagram.edges.push_back({i, 3, (i * 5 + 3) % 12, 2, "", EdgeStyle::signal});
  }
  std::erase_if(diagram.edges, [](const DiagramEdge& edge) { return edge.from == edge.to; });
  expect_free(diagram);
}

}  // namespace edge_routing_test
}  // namespace tieline::report
