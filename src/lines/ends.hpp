#pragma once

#include "lines/line.hpp"
#include "lines/signal.hpp"
#include "lines/spatial_line.hpp"

namespace tieline::lines {

/// Shows an archive the ends of connections at a node, with the tracks that they fill: the form in which a node's
/// connections move between processes. `every_line` holds plain lines and the axes of those in space, in the order in
/// which the model has them; all three are ranges of pointers.
template <class Lines, class SpatialLines, class Signals, class Archive>
void visit_ends(int node, const core::TimeGrid& grid, Lines& every_line, SpatialLines& spatial_lines, Signals& signals,
                Archive& archive) {
  const auto visit = [&](auto& connection, auto&& visit_end) {
    for (const bool is_to : {false, true}) {
      if ((is_to ? connection.spec.to_node : connection.spec.from_node) == node) visit_end(connection, is_to);
    }
  };
  for (auto& line : every_line) {
    visit(*line, [&](Line& l, bool is_to) {
      l.visit_end(is_to, grid, archive);
      archive(l.port(is_to).incoming);
    });
  }
  for (auto& line : spatial_lines) {
    visit(*line, [&](SpatialLine& l, bool is_to) {
      l.visit_end(is_to, archive);
      for (std::size_t i = 0; i < SpatialLine::kParts; ++i) archive(l.interface(is_to).turn(i).incoming);
    });
  }
  for (auto& signal : signals) {
    visit(*signal, [&](Signal& s, bool is_to) {
      s.visit_end(is_to, archive);
      if (is_to) archive(s.spec.to_port->incoming);
    });
  }
}

}  // namespace tieline::lines
