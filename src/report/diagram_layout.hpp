#pragma once

#include <cstddef>
#include <vector>

#include "report/canvas.hpp"
#include "report/diagram.hpp"

namespace tieline::report {

enum class Side { left, right, top, bottom };

struct PortLayout {
  Point place{};
  Side side = Side::right;
  bool is_connected = false;
};

struct NodeLayout {
  Rectangle box{};
  double header = 0.0;  ///< y where picture, label and kind begin, below the names of ports at the top
  std::vector<PortLayout> ports{};
};

/// The way of an edge: from port to port by way of points between boxes.
struct EdgeLayout {
  std::vector<Point> points{};  ///< at least two
  Side from_side = Side::right;
  Side to_side = Side::left;
  bool is_routed = false;  ///< the points are corners of upright and level pieces
  double arrow = 0.0;      ///< length of the arrow at the end of its line [px]; 0: none
};

struct DiagramLayout {
  double width = 0.0;
  double height = 0.0;
  std::vector<NodeLayout> nodes{};
  std::vector<EdgeLayout> edges{};
};

/// Places boxes, ports and edges.
///
/// Nodes keep the positions of the diagram where all have one, stretched until no boxes overlap. Otherwise a layered
/// drawing after Sugiyama, Tagawa and Toda (1981), "Methods for visual understanding of hierarchical system
/// structures": cycles are broken, nodes put into layers along the edges, long edges given places in the layers
/// between, and each layer ordered by the barycentres of its neighbours. Many layers are folded into rows that run to
/// and fro.
[[nodiscard]] DiagramLayout lay_out(const Diagram& diagram);

/// What a node's picture adds to its height [px].
[[nodiscard]] double picture_height(const DiagramNode& node);

// Sizes [px].
inline constexpr double kPictureWidth = 72.0;
inline constexpr double kNodeLabelSize = 13.0;
inline constexpr double kNodeKindSize = 10.0;
inline constexpr double kPortLabelSize = 9.5;
inline constexpr double kEdgeLabelSize = 10.5;
inline constexpr double kDiagramMargin = 24.0;
inline constexpr double kArrowLength = 8.0;
inline constexpr double kPortRadius = 3.5;

}  // namespace tieline::report
