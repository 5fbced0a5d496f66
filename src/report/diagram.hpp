#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/result.hpp"

namespace tieline::report {

/// Place in the user's own diagram units, y downwards; only relations count, the drawing scales them so that nothing
/// overlaps.
struct DiagramPosition {
  double x = 0.0;
  double y = 0.0;
};

/// A picture that becomes part of the drawing.
struct DiagramPicture {
  std::string media_type{};  ///< "image/png" or "image/svg+xml"
  std::string bytes{};
};

struct DiagramNode {
  std::string label{};
  std::string kind{};                ///< second line, smaller: "network"
  std::vector<std::string> ports{};  ///< names of interfaces, drawn at the sides where their edges leave
  std::optional<DiagramPosition> position{};
  std::optional<DiagramPicture> picture{};  ///< above the label
};

enum class EdgeStyle { line, sampled, glue, signal };

/// Joins port `from_port` of node `from` with port `to_port` of node `to` (places in the lists).
struct DiagramEdge {
  std::size_t from = 0;
  std::size_t from_port = 0;
  std::size_t to = 0;
  std::size_t to_port = 0;
  std::string label{};
  EdgeStyle style = EdgeStyle::line;
};

/// Nodes and edges of a composite model. Without a position for every node, a layered layout is found.
struct Diagram {
  std::string title{};
  std::vector<DiagramNode> nodes{};
  std::vector<DiagramEdge> edges{};
};

[[nodiscard]] std::string to_svg(const Diagram& diagram);
/// By the extension: .svg, .png, or .html with the SVG in it. PNG files show no pictures that are SVG. The file appears
/// only when it is complete.
core::Result<void> write_diagram(const Diagram& diagram, const std::filesystem::path& file);

}  // namespace tieline::report
