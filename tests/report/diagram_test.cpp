#include "report/diagram.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "report/diagram_layout.hpp"
#include "report/drawing_checks.hpp"
#include "report/layers.hpp"
#include "support/temporary_folder.hpp"

namespace tieline::report {
namespace diagram_test {

Diagram chain(std::size_t count) {
  Diagram diagram{.title = "chain"};
  for (std::size_t i = 0; i < count; ++i)
    diagram.nodes.push_back(
        {.label = std::string("mass").append(std::to_string(i)), .kind = "network", .ports = {"left", "right"}});
  for (std::size_t i = 0; i + 1 < count; ++i) diagram.edges.push_back({i, 1, i + 1, 0, "line", EdgeStyle::line});
  return diagram;
}

bool overlap(const Rectangle& a, const Rectangle& b) {
  return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

void expect_tidy(const DiagramLayout& layout) {
  for (std::size_t i = 0; i < layout.nodes.size(); ++i) {
    const Rectangle& box = layout.nodes[i].box;
    EXPECT_GE(box.x, 0.0);
    EXPECT_GE(box.y, 0.0);
    EXPECT_LE(box.right(), layout.width);
    EXPECT_LE(box.bottom(), layout.height);
    for (std::size_t j = 0; j < i; ++j) EXPECT_FALSE(overlap(box, layout.nodes[j].box)) << i << " and " << j;
    for (const auto& port : layout.nodes[i].ports) {
      EXPECT_GE(port.place.x, box.x);
      EXPECT_LE(port.place.x, box.right());
      EXPECT_GE(port.place.y, box.y);
      EXPECT_LE(port.place.y, box.bottom());
    }
  }
}

TEST(Diagram, ChainsOfAnyLengthAreTidy) {
  for (const std::size_t count : {0U, 1U, 2U, 5U, 12U, 100U}) expect_tidy(lay_out(chain(count)));
  const auto layout = lay_out(chain(1000));
  EXPECT_LT(layout.width / layout.height, 10.0);  // folded, not a mile wide
}

TEST(Diagram, EdgesRunFromPortToPort) {
  const auto layout = lay_out(chain(2));
  const auto& edge = layout.edges.at(0);
  EXPECT_EQ(edge.points.front().x, layout.nodes[0].box.right());
  EXPECT_EQ(edge.points.back().x, layout.nodes[1].box.x);
  EXPECT_TRUE(layout.nodes[0].ports[1].is_connected);
  EXPECT_FALSE(layout.nodes[0].ports[0].is_connected);
}

TEST(Diagram, EdgesBetweenTwoBoxesDoNotCross) {
  Diagram diagram{.title = "loop"};
  diagram.nodes.push_back({.label = "controller", .kind = "blocks", .ports = {"measured", "torque"}});
  diagram.nodes.push_back({.label = "motor", .kind = "network", .ports = {"torque", "speed"}});
  diagram.edges.push_back({0, 1, 1, 0, "command", EdgeStyle::signal});
  diagram.edges.push_back({1, 1, 0, 0, "sensor", EdgeStyle::signal});
  const auto layout = lay_out(diagram);
  const auto height = [&](std::size_t node, std::size_t port) { return layout.nodes[node].ports[port].place.y; };
  EXPECT_EQ(height(0, 1) < height(0, 0), height(1, 0) < height(1, 1));
}

TEST(Diagram, GivenPositionsAreKeptInTheirRelations) {
  Diagram diagram = chain(3);
  diagram.nodes[0].position = DiagramPosition{10.0, 0.0};
  diagram.nodes[1].position = DiagramPosition{0.0, 0.0};
  diagram.nodes[2].position = DiagramPosition{0.0, 10.0};
  const auto layout = lay_out(diagram);
  expect_tidy(layout);
  EXPECT_GT(layout.nodes[0].box.x, layout.nodes[1].box.right());
  EXPECT_GT(layout.nodes[2].box.y, layout.nodes[1].box.bottom());
  // Two nodes on one spot cannot be followed; then all are placed again.
  diagram.nodes[2].position = DiagramPosition{0.0, 0.0};
  expect_tidy(lay_out(diagram));
}

TEST(Diagram, LoopsAndSelfConnectionsAreDrawn) {
  Diagram diagram = chain(3);
  diagram.edges.push_back({2, 1, 0, 0, "back", EdgeStyle::signal});
  diagram.edges.push_back({1, 0, 1, 1, "self", EdgeStyle::sampled});
  diagram.edges.push_back({0, 1, 2, 0, "seam", EdgeStyle::glue});
  expect_tidy(lay_out(diagram));
  const std::string svg = to_svg(diagram);
  EXPECT_TRUE(is_well_formed(svg));
  for (const char* text : {">back<", ">self<", ">seam<", ">transmission line<", ">sampled<", ">glued<", ">signal<",
                           ">mass2<", ">network<"})
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(Diagram, LegendShowsOnlyWhatIsUsed) {
  const std::string svg = to_svg(chain(2));
  EXPECT_NE(svg.find(">transmission line<"), std::string::npos);
  EXPECT_EQ(svg.find(">sampled<"), std::string::npos);
  EXPECT_EQ(svg.find(">glued<"), std::string::npos);
}

TEST(Diagram, IsWrittenByExtension) {
  const support::TemporaryFolder folder;
  EXPECT_TRUE(write_diagram(chain(3), folder.path() / "d.svg"));
  EXPECT_TRUE(write_diagram(chain(3), folder.path() / "d.png"));
  EXPECT_TRUE(write_diagram(chain(3), folder.path() / "d.html"));
  EXPECT_FALSE(write_diagram(chain(3), folder.path() / "d.pdf"));
}

TEST(Diagram, PicturesBecomePartOfTheDrawing) {
  const std::string picture = "<svg><script>alert(1)</script></svg>";
  Diagram diagram = chain(2);
  diagram.nodes[0].picture = {"image/svg+xml", picture};
  const auto layout = lay_out(diagram);
  expect_tidy(layout);
  EXPECT_GT(layout.nodes[0].box.height, layout.nodes[1].box.height + 40.0);
  const std::string svg = to_svg(diagram);
  EXPECT_TRUE(is_well_formed(svg));
  EXPECT_EQ(count_of(svg, "<image "), 1u);
  // As data of an image, from which browsers run nothing.
  EXPECT_NE(svg.find("href=\"data:image/svg+xml;base64,PHN2Zz48c2NyaXB0PmFsZXJ0KDEpPC9zY3JpcHQ+PC9zdmc+\""),
            std::string::npos)
      << svg;
  EXPECT_EQ(svg.find("<script"), std::string::npos);
  // Damaged pictures do no harm.
  const support::TemporaryFolder folder;
  diagram.nodes[1].picture = {"image/png", "not a picture"};
  EXPECT_TRUE(write_diagram(diagram, folder.path() / "d.png"));
}

using Edges = std::vector<std::pair<std::size_t, std::size_t>>;

TEST(Layers, FollowTheEdges) {
  const Layers layers = assign_layers(4, Edges{{0, 1}, {1, 2}, {0, 2}, {3, 2}});
  ASSERT_EQ(layers.layers.size(), 3u);
  EXPECT_EQ(layers.layers[0], (std::vector<std::size_t>{0}));
  EXPECT_EQ(layers.bends[2].size(), 1u);  // passes the layer of node 1
  EXPECT_TRUE(std::count(layers.layers[1].begin(), layers.layers[1].end(), 3u) == 1);
}

RC_GTEST_PROP(Layers, HoldEveryNodeOnceAndJoinNeighbours, ()) {
  const auto count = static_cast<std::size_t>(*rc::gen::inRange(1, 15));
  const auto node = rc::gen::inRange<std::size_t>(0, count);
  const auto edges = *rc::gen::container<Edges>(rc::gen::pair(node, node));
  const Layers layers = assign_layers(count, edges);
  std::vector<std::size_t> layer_of;
  std::size_t total = 0;
  for (std::size_t l = 0; l < layers.layers.size(); ++l)
    for (const std::size_t n : layers.layers[l]) {
      if (layer_of.size() <= n) layer_of.resize(n + 1, layers.layers.size());
      RC_ASSERT(layer_of[n] == layers.layers.size());
      layer_of[n] = l;
      ++total;
    }
  RC_ASSERT(layer_of.size() == total);
  for (std::size_t e = 0; e < edges.size(); ++e) {
    if (edges[e].first == edges[e].second) continue;
    std::vector<std::size_t> way{edges[e].first};
    way.insert(way.end(), layers.bends[e].begin(), layers.bends[e].end());
    way.push_back(edges[e].second);
    for (std::size_t i = 1; i < way.size(); ++i) {
      const auto a = layer_of[way[i - 1]], b = layer_of[way[i]];
      RC_ASSERT((a > b ? a - b : b - a) == 1u);
    }
  }
}

}  // namespace diagram_test
}  // namespace tieline::report
