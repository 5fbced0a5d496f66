#include "report/diagram_layout.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "report/edge_routing.hpp"
#include "report/layers.hpp"

namespace tieline::report {
namespace {

constexpr double kLeastNodeWidth = 110.0;
constexpr double kNodeHeader = 44.0;  ///< label and kind
constexpr double kPictureHeight = 54.0;
constexpr double kPortSpacing = 18.0;
constexpr double kPortNameRow = 15.0;  ///< names of ports at the top or the bottom
constexpr double kNodePadding = 12.0;
constexpr double kRowGap = 34.0;  ///< between boxes above each other
constexpr double kLeastColumnGap = 70.0;
constexpr double kBendHeight = 12.0;
constexpr double kTitleHeight = 34.0;
constexpr double kLegendHeight = 30.0;
/// More layers than this are folded into rows.
constexpr std::size_t kMostLayersInARow = 7;
/// Positions that need a picture larger than this are not followed [px].
constexpr double kLargestPicture = 12000.0;

Point centre(const Rectangle& box) { return {box.x + box.width / 2.0, box.y + box.height / 2.0}; }

/// Width of a box, for its texts: ports may stand on both sides of one line.
Rectangle size_of(const DiagramNode& node) {
  double port = 0.0;
  for (const auto& name : node.ports) port = std::max(port, text_width(name, kPortLabelSize));
  const double width = std::max({kLeastNodeWidth, text_width(node.label, kNodeLabelSize, true) + 2 * kNodePadding,
                                 text_width(node.kind, kNodeKindSize) + 2 * kNodePadding, 2 * port + 3 * kNodePadding});
  return {0.0, 0.0, width, kNodeHeader + 6.0 + picture_height(node)};
}

/// Places of boxes and of the bends of edges.
struct Placement {
  std::vector<Rectangle> boxes{};
  std::vector<std::vector<Point>> bends{};  ///< per edge
};

/// Room between layers for the labels of the edges there.
double column_gap(const Diagram& diagram) {
  double label = 0.0;
  for (const auto& edge : diagram.edges) label = std::max(label, text_width(edge.label, kEdgeLabelSize));
  return std::max(kLeastColumnGap, std::min(label, 160.0) + 30.0);
}

/// The diagram's own positions, or nothing if they cannot be followed.
bool place_as_given(const Diagram& diagram, Placement& placement) {
  const double gap = column_gap(diagram);
  double stretch = 0.0, extent = 0.0;
  for (std::size_t i = 0; i < diagram.nodes.size(); ++i) {
    if (!diagram.nodes[i].position) return false;
    for (std::size_t j = 0; j < i; ++j) {
      const double dx = std::abs(diagram.nodes[i].position->x - diagram.nodes[j].position->x);
      const double dy = std::abs(diagram.nodes[i].position->y - diagram.nodes[j].position->y);
      const double wide = (placement.boxes[i].width + placement.boxes[j].width) / 2.0 + gap;
      const double high = (placement.boxes[i].height + placement.boxes[j].height) / 2.0 + kRowGap;
      stretch = std::max(stretch, std::min(wide / dx, high / dy));
      extent = std::max({extent, dx, dy});
    }
  }
  if (!std::isfinite(stretch) || stretch * extent > kLargestPicture) return false;
  for (std::size_t i = 0; i < diagram.nodes.size(); ++i) {
    placement.boxes[i].x = stretch * diagram.nodes[i].position->x - placement.boxes[i].width / 2.0;
    placement.boxes[i].y = stretch * diagram.nodes[i].position->y - placement.boxes[i].height / 2.0;
  }
  return true;
}

void place_in_layers(const Diagram& diagram, Placement& placement) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (const auto& edge : diagram.edges) pairs.emplace_back(edge.from, edge.to);
  const Layers layers = assign_layers(diagram.nodes.size(), pairs);
  const std::size_t count = diagram.nodes.size();
  const auto height = [&](std::size_t node) { return node < count ? placement.boxes[node].height : kBendHeight; };

  // Folding: as many layers in a row as make the picture about half as high as wide.
  const std::size_t total = layers.layers.size();
  const auto square = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(total))));
  const std::size_t in_a_row = total <= kMostLayersInARow ? total : std::max(kMostLayersInARow, square);
  const double gap = column_gap(diagram);
  std::vector<double> widths(in_a_row, kLeastNodeWidth / 2.0), heights((total + in_a_row - 1) / in_a_row, 0.0);
  const auto column_of = [&](std::size_t layer) {
    const std::size_t along = layer % in_a_row;
    return layer / in_a_row % 2 == 0 ? along : in_a_row - 1 - along;
  };
  const auto height_of = [&](const std::vector<std::size_t>& layer) {
    double sum = -kRowGap;
    for (const std::size_t node : layer) sum += height(node) + kRowGap;
    return sum;
  };
  for (std::size_t l = 0; l < total; ++l) {
    for (const std::size_t node : layers.layers[l])
      if (node < count) widths[column_of(l)] = std::max(widths[column_of(l)], placement.boxes[node].width);
    heights[l / in_a_row] = std::max(heights[l / in_a_row], height_of(layers.layers[l]));
  }

  std::vector<Rectangle> bends(count);  // by node; those of edges come after the boxes
  double row_y = 0.0;
  for (std::size_t l = 0; l < total; ++l) {
    const std::size_t row = l / in_a_row, column = column_of(l);
    if (l > 0 && l % in_a_row == 0) row_y += heights[row - 1] + 1.6 * kRowGap;
    const double x = std::accumulate(widths.begin(), widths.begin() + static_cast<std::ptrdiff_t>(column), 0.0) +
                     static_cast<double>(column) * gap + widths[column] / 2.0;
    double y = row_y + (heights[row] - height_of(layers.layers[l])) / 2.0;
    for (const std::size_t node : layers.layers[l]) {
      if (node < count) {
        placement.boxes[node].x = x - placement.boxes[node].width / 2.0;
        placement.boxes[node].y = y;
      } else {
        if (bends.size() <= node) bends.resize(node + 1);
        bends[node] = {x - widths[column] / 2.0, y, widths[column], kBendHeight};
      }
      y += height(node) + kRowGap;
    }
  }
  for (std::size_t e = 0; e < diagram.edges.size(); ++e)
    for (const std::size_t bend : layers.bends[e]) {
      // Straight through the layer: curves only where there are no boxes.
      const Rectangle& lane = bends[bend];
      const Point left{lane.x, centre(lane).y}, right{lane.right(), centre(lane).y};
      auto& way = placement.bends[e];
      const double from = way.empty() ? centre(placement.boxes[diagram.edges[e].from]).x : way.back().x;
      way.push_back(from <= left.x ? left : right);
      way.push_back(from <= left.x ? right : left);
    }
}

/// The side of a box that faces a point.
Side facing(const Rectangle& box, Point target) {
  const Point middle = centre(box);
  if (target.x > box.right()) return Side::right;
  if (target.x < box.x) return Side::left;
  return target.y < middle.y ? Side::top : Side::bottom;
}

/// What a port looks at: the mean of where its edges go; decides its side and its order there.
struct Gaze {
  Point sum{};
  int count = 0;
  std::size_t first_edge = 0;
};

std::vector<std::vector<Gaze>> gazes(const Diagram& diagram, const Placement& placement) {
  std::vector<std::vector<Gaze>> result(diagram.nodes.size());
  for (std::size_t i = 0; i < diagram.nodes.size(); ++i) result[i].resize(diagram.nodes[i].ports.size());
  const auto look = [&](std::size_t node, std::size_t port, Point at, std::size_t edge) {
    Gaze& gaze = result[node][port];
    if (gaze.count == 0) gaze.first_edge = edge;
    gaze.sum = {gaze.sum.x + at.x, gaze.sum.y + at.y};
    ++gaze.count;
  };
  for (std::size_t e = 0; e < diagram.edges.size(); ++e) {
    const auto& edge = diagram.edges[e];
    const auto& bends = placement.bends[e];
    if (edge.from == edge.to) {
      const Point above{centre(placement.boxes[edge.from]).x, placement.boxes[edge.from].y - 100.0};
      look(edge.from, edge.from_port, above, e);
      look(edge.to, edge.to_port, above, e);
      continue;
    }
    look(edge.from, edge.from_port, bends.empty() ? centre(placement.boxes[edge.to]) : bends.front(), e);
    look(edge.to, edge.to_port, bends.empty() ? centre(placement.boxes[edge.from]) : bends.back(), e);
  }
  return result;
}

constexpr std::array kSides{Side::left, Side::right, Side::top, Side::bottom};
bool is_upright(Side side) { return side == Side::left || side == Side::right; }

/// Ports of a node by side, in the order in which they stand there.
std::array<std::vector<std::size_t>, 4> ports_by_side(const Rectangle& box, const std::vector<Gaze>& gaze) {
  std::array<std::vector<std::size_t>, 4> sides;
  const auto at = [&](std::size_t port) {
    return Point{gaze[port].sum.x / gaze[port].count, gaze[port].sum.y / gaze[port].count};
  };
  for (std::size_t port = 0; port < gaze.size(); ++port)
    if (gaze[port].count > 0) sides[static_cast<std::size_t>(facing(box, at(port)))].push_back(port);
  for (const Side side : kSides) {
    auto& list = sides[static_cast<std::size_t>(side)];
    // Edges between the same two boxes keep one order at both ends, so that they do not cross.
    std::stable_sort(list.begin(), list.end(), [&](std::size_t a, std::size_t b) {
      const auto key = [&](std::size_t port) { return is_upright(side) ? at(port).y : at(port).x; };
      return std::pair(key(a), gaze[a].first_edge) < std::pair(key(b), gaze[b].first_edge);
    });
  }
  // Free ends stand below the others, on the side that has fewer.
  for (std::size_t port = 0; port < gaze.size(); ++port) {
    if (gaze[port].count > 0) continue;
    auto& left = sides[static_cast<std::size_t>(Side::left)];
    auto& right = sides[static_cast<std::size_t>(Side::right)];
    (left.size() < right.size() ? left : right).push_back(port);
  }
  return sides;
}

void place_ports(const std::array<std::vector<std::size_t>, 4>& sides, const std::vector<Gaze>& gaze, double picture,
                 NodeLayout& node) {
  const Rectangle& box = node.box;
  for (const Side side : kSides) {
    const auto& list = sides[static_cast<std::size_t>(side)];
    for (std::size_t i = 0; i < list.size(); ++i) {
      const double share = (static_cast<double>(i) + 1.0) / (static_cast<double>(list.size()) + 1.0);
      PortLayout& port = node.ports[list[i]];
      port.side = side;
      port.is_connected = gaze[list[i]].count > 0;
      if (is_upright(side)) {
        // Below the header, so that names of ports do not touch that of the node.
        const double y = node.header + picture + kNodeHeader + kPortSpacing * (static_cast<double>(i) + 0.25);
        port.place = {side == Side::left ? box.x : box.right(), y};
      } else {
        port.place = {box.x + share * box.width, side == Side::top ? box.y : box.bottom()};
      }
    }
  }
}

void grow_for_ports(const Diagram& diagram, std::vector<Rectangle>& boxes) {
  // Before places are known, half of the ports are assumed on each side; a box that is too high does no harm.
  for (std::size_t i = 0; i < boxes.size(); ++i)
    boxes[i].height += std::max(kPortSpacing * std::ceil(static_cast<double>(diagram.nodes[i].ports.size()) / 2.0),
                                diagram.nodes[i].ports.empty() ? 0.0 : 2.0 * kPortNameRow);
}

/// After the ports have their sides: boxes as high as these need, around the same middle.
void fit_height(const std::array<std::vector<std::size_t>, 4>& sides, double picture, NodeLayout& node) {
  const auto count = [&](Side side) { return sides[static_cast<std::size_t>(side)].size(); };
  const std::size_t rows = std::max(count(Side::left), count(Side::right));
  const double top = count(Side::top) > 0 ? kPortNameRow : 0.0;
  const double bottom = count(Side::bottom) > 0 ? kPortNameRow : rows > 0 ? 0.0 : 6.0;
  const double height = top + picture + kNodeHeader + kPortSpacing * static_cast<double>(rows) + bottom;
  node.box.y += (node.box.height - height) / 2.0;
  node.box.height = height;
  node.header = node.box.y + top;
}

/// Moves everything so that the picture begins at the margin, and measures it.
void frame(const Diagram& diagram, DiagramLayout& layout) {
  double left = std::numeric_limits<double>::infinity(), top = left, right = -left, bottom = -left;
  const auto include = [&](Point point) {
    left = std::min(left, point.x);
    right = std::max(right, point.x);
    top = std::min(top, point.y);
    bottom = std::max(bottom, point.y);
  };
  for (const auto& node : layout.nodes) {
    include({node.box.x, node.box.y});
    include({node.box.right(), node.box.bottom()});
  }
  for (const auto& edge : layout.edges)
    for (const Point point : edge.points) include(point);
  if (layout.nodes.empty()) left = top = right = bottom = 0.0;
  const double dx = kDiagramMargin - left;
  const double dy = kDiagramMargin + (diagram.title.empty() ? 0.0 : kTitleHeight) - top;
  for (auto& node : layout.nodes) {
    node.box.x += dx;
    node.box.y += dy;
    node.header += dy;
    for (auto& port : node.ports) port.place = {port.place.x + dx, port.place.y + dy};
  }
  for (auto& edge : layout.edges)
    for (Point& point : edge.points) point = {point.x + dx, point.y + dy};
  layout.width = std::max(right + dx + kDiagramMargin, 360.0);
  layout.height = bottom + dy + kDiagramMargin + kLegendHeight;
}

}  // namespace

double picture_height(const DiagramNode& node) { return node.picture ? kPictureHeight : 0.0; }

DiagramLayout lay_out(const Diagram& diagram) {
  Placement placement;
  placement.bends.resize(diagram.edges.size());
  for (const auto& node : diagram.nodes) placement.boxes.push_back(size_of(node));
  grow_for_ports(diagram, placement.boxes);
  if (!place_as_given(diagram, placement)) place_in_layers(diagram, placement);

  DiagramLayout layout;
  const auto gaze = gazes(diagram, placement);
  for (std::size_t i = 0; i < diagram.nodes.size(); ++i) {
    NodeLayout node{.box = placement.boxes[i], .ports = std::vector<PortLayout>(diagram.nodes[i].ports.size())};
    const auto sides = ports_by_side(node.box, gaze[i]);
    const double picture = picture_height(diagram.nodes[i]);
    fit_height(sides, picture, node);
    place_ports(sides, gaze[i], picture, node);
    layout.nodes.push_back(std::move(node));
  }
  for (std::size_t e = 0; e < diagram.edges.size(); ++e) {
    const auto& edge = diagram.edges[e];
    const PortLayout& from = layout.nodes[edge.from].ports[edge.from_port];
    const PortLayout& to = layout.nodes[edge.to].ports[edge.to_port];
    EdgeLayout way{.points = {from.place},
                   .from_side = from.side,
                   .to_side = to.side,
                   .arrow = edge.style == EdgeStyle::signal ? kArrowLength : 0.0};
    way.points.insert(way.points.end(), placement.bends[e].begin(), placement.bends[e].end());
    way.points.push_back(to.place);
    layout.edges.push_back(std::move(way));
  }
  std::vector<Rectangle> boxes;
  for (const NodeLayout& node : layout.nodes) boxes.push_back(node.box);
  route_around(boxes, layout.edges);
  frame(diagram, layout);
  return layout;
}

}  // namespace tieline::report
