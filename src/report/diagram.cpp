#include "report/diagram.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "report/diagram_layout.hpp"
#include "report/drawing.hpp"
#include "report/edge_routing.hpp"
#include "report/svg_canvas.hpp"

namespace tieline::report {
namespace {

struct EdgeLook {
  const char* name;
  Stroke stroke;
};

EdgeLook look_of(EdgeStyle style) {
  switch (style) {
    case EdgeStyle::line:
      return {"transmission line", {.colour = palette(0), .width = 2.4}};
    case EdgeStyle::sampled:
      return {"sampled", {.colour = palette(1), .width = 2.0, .dashes = dash_pattern(1)}};
    case EdgeStyle::glue:
      return {"glued", {.colour = palette(2), .width = 3.2}};
    case EdgeStyle::signal:
      return {"signal", {.colour = palette(6), .width = 1.3}};
  }
  return {"", {}};
}

void draw_edge(const DiagramEdge& edge, const EdgeLayout& way, Canvas& canvas) {
  const EdgeLook look = look_of(edge.style);
  const auto curve = curve_of(way);
  canvas.curve(curve, look.stroke);
  if (way.arrow <= 0.0) return;
  // An arrow ends at the rim of the port, and its line at the arrow's base.
  const Point out = outward(way.to_side), across{-out.y, out.x};
  const Point base = curve.back(), tip = shifted(base, out, -way.arrow);
  canvas.polygon(std::vector<Point>{tip, shifted(base, across, 4.0), shifted(base, across, -4.0)}, look.stroke.colour);
}

void draw_edge_label(const DiagramEdge& edge, const EdgeLayout& way, std::span<const Rectangle> boxes, Canvas& canvas) {
  if (edge.label.empty()) return;
  canvas.text(label_place(way, text_width(edge.label, kEdgeLabelSize), boxes), edge.label,
              {.size = kEdgeLabelSize, .colour = kInk, .anchor = Anchor::middle, .has_halo = true});
}

/// Pale fills, one per kind of node.
Colour fill_of(int kind) {
  const Colour full = palette(kind);
  const auto pale = [](std::uint8_t channel) { return static_cast<std::uint8_t>(255 - (255 - channel) / 8); };
  return {pale(full.red), pale(full.green), pale(full.blue)};
}

void draw_port(const std::string& name, const PortLayout& port, Canvas& canvas) {
  canvas.disc(port.place, kPortRadius, port.is_connected ? kInk : kPaper, {.colour = kInk, .width = 1.0});
  const Point in = shifted(port.place, outward(port.side), -8.0);
  TextStyle style{.size = kPortLabelSize, .colour = kFaintInk};
  style.anchor = port.side == Side::left ? Anchor::start : port.side == Side::right ? Anchor::end : Anchor::middle;
  const double drop = port.side == Side::top ? 6.0 : port.side == Side::bottom ? 0.0 : 0.36 * kPortLabelSize;
  canvas.text({in.x, in.y + drop}, name, style);
}

void draw_node(const DiagramNode& node, const NodeLayout& layout, int kind, Canvas& canvas) {
  const Rectangle& box = layout.box;
  canvas.rectangle(box, 6.0, fill_of(kind));
  canvas.outline(box, 6.0, {.colour = palette(kind), .width = 1.4});
  const double label_y = layout.header + picture_height(node) + 20.0;
  const double middle = box.x + box.width / 2.0;
  if (node.picture) {
    const Rectangle area{middle - kPictureWidth / 2.0, layout.header + 6.0, kPictureWidth, picture_height(node) - 6.0};
    canvas.image(area, node.picture->media_type, node.picture->bytes);
  }
  canvas.text({middle, label_y}, node.label,
              {.size = kNodeLabelSize, .colour = kInk, .anchor = Anchor::middle, .is_bold = true});
  canvas.text({middle, label_y + 14.0}, node.kind,
              {.size = kNodeKindSize, .colour = kFaintInk, .anchor = Anchor::middle});
  for (std::size_t i = 0; i < node.ports.size(); ++i) draw_port(node.ports[i], layout.ports[i], canvas);
}

void draw_legend(const Diagram& diagram, const DiagramLayout& layout, Canvas& canvas) {
  double x = kDiagramMargin;
  const double y = layout.height - kDiagramMargin;
  for (const EdgeStyle style : {EdgeStyle::line, EdgeStyle::sampled, EdgeStyle::glue, EdgeStyle::signal}) {
    const bool is_used =
        std::any_of(diagram.edges.begin(), diagram.edges.end(), [&](const auto& edge) { return edge.style == style; });
    if (!is_used) continue;
    const EdgeLook look = look_of(style);
    canvas.polyline(std::vector<Point>{{x, y}, {x + 28.0, y}}, look.stroke);
    if (style == EdgeStyle::signal)
      canvas.polygon(std::vector<Point>{{x + 32.0, y}, {x + 24.0, y - 4.0}, {x + 24.0, y + 4.0}}, look.stroke.colour);
    canvas.text({x + 38.0, y + 0.36 * kEdgeLabelSize}, look.name, {.size = kEdgeLabelSize, .colour = kInk});
    x += 38.0 + text_width(look.name, kEdgeLabelSize) + 24.0;
  }
}

void draw(const Diagram& diagram, const DiagramLayout& layout, Canvas& canvas) {
  if (!diagram.title.empty())
    canvas.text({layout.width / 2.0, kDiagramMargin + 8.0},
                shortened(diagram.title, 16.0, layout.width - 2 * kDiagramMargin, true),
                {.size = 16.0, .colour = kInk, .anchor = Anchor::middle, .is_bold = true});
  for (std::size_t i = 0; i < diagram.edges.size(); ++i) draw_edge(diagram.edges[i], layout.edges[i], canvas);
  std::map<std::string, int> kinds;
  for (std::size_t i = 0; i < diagram.nodes.size(); ++i) {
    const auto [kind, is_new] = kinds.try_emplace(diagram.nodes[i].kind, static_cast<int>(kinds.size()));
    draw_node(diagram.nodes[i], layout.nodes[i], kind->second, canvas);
  }
  std::vector<Rectangle> boxes;
  for (const NodeLayout& node : layout.nodes) boxes.push_back(node.box);
  for (std::size_t i = 0; i < diagram.edges.size(); ++i)
    draw_edge_label(diagram.edges[i], layout.edges[i], boxes, canvas);
  draw_legend(diagram, layout, canvas);
}

}  // namespace

std::string to_svg(const Diagram& diagram) {
  const DiagramLayout layout = lay_out(diagram);
  SvgCanvas canvas(layout.width, layout.height, diagram.title);
  draw(diagram, layout, canvas);
  return std::move(canvas).finish();
}

core::Result<void> write_diagram(const Diagram& diagram, const std::filesystem::path& file) {
  const DiagramLayout layout = lay_out(diagram);
  return write_drawing(file, {diagram.title, layout.width, layout.height},
                       [&](Canvas& canvas) { draw(diagram, layout, canvas); });
}

}  // namespace tieline::report
