#pragma once

#include <span>
#include <vector>

#include "report/diagram_layout.hpp"

namespace tieline::report {

/// The direction that leaves a box on one of its sides, of length 1.
[[nodiscard]] Point outward(Side side);
[[nodiscard]] Point shifted(Point point, Point direction, double distance);

/// The curve of an edge as it is drawn: a first point, then three per cubic piece.
[[nodiscard]] std::vector<Point> curve_of(const EdgeLayout& edge);
/// Where a label of given width [px] stands best, by the middle of its baseline: beside a long straight part, or near
/// the middle of a curve, on no box where that is possible.
[[nodiscard]] Point label_place(const EdgeLayout& edge, double width, std::span<const Rectangle> boxes);
/// Whether the curve of an edge passes through a box, or behind it.
[[nodiscard]] bool is_hidden(const EdgeLayout& edge, std::span<const Rectangle> boxes);

/// Leads edges that would run through boxes, or turn back on themselves, around the boxes: along upright and level
/// lines at a distance from all boxes, short, with few bends, and not on top of one another (shortest ways after
/// Dijkstra 1959, "A note on two problems in connexion with graphs"). Edges that are free stay as they are; so do those
/// for which no way is found.
void route_around(std::span<const Rectangle> boxes, std::vector<EdgeLayout>& edges);

}  // namespace tieline::report
