#include "report/edge_routing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <queue>

namespace tieline::report {
namespace {

// Lengths [px].
constexpr double kStub = 18.0;                                   ///< from a port straight on, before any bend
constexpr double kClearance = 7.0;                               ///< between a line and boxes
constexpr std::array kLanes{kStub, kStub + 10.0, kStub + 20.0};  ///< distances from boxes at which lines run
constexpr double kCornerRadius = 8.0;
constexpr double kLeastGap = 3.0;           ///< between a curve and boxes; nearer is as bad as behind them
constexpr double kBendCost = 40.0;          ///< a bend is worth so long a way
constexpr double kSharedCost = 4.0;         ///< times the length on top of another edge
constexpr std::size_t kMostObstacles = 40;  ///< the nearest boxes whose lanes are tried
constexpr int kSamples = 24;                ///< of a cubic piece, to see whether it meets a box

double length_of(Point a, Point b) { return std::hypot(b.x - a.x, b.y - a.y); }

void add_straight(std::vector<Point>& curve, Point to) {
  const Point from = curve.back();
  for (const double share : {1.0 / 3.0, 2.0 / 3.0, 1.0})
    curve.push_back({from.x + share * (to.x - from.x), from.y + share * (to.y - from.y)});
}

/// Straight pieces with rounded corners.
std::vector<Point> rounded(const std::vector<Point>& points) {
  std::vector<Point> curve{points.front()};
  for (std::size_t i = 1; i + 1 < points.size(); ++i) {
    const Point before = points[i - 1], corner = points[i], after = points[i + 1];
    const double in = length_of(before, corner), out = length_of(corner, after);
    const double radius = std::min({kCornerRadius, in / 2.0, out / 2.0});
    if (radius <= 0.0) continue;
    add_straight(curve, shifted(corner, {(before.x - corner.x) / in, (before.y - corner.y) / in}, radius));
    const Point end = shifted(corner, {(after.x - corner.x) / out, (after.y - corner.y) / out}, radius);
    curve.insert(curve.end(), {corner, corner, end});
  }
  add_straight(curve, points.back());
  return curve;
}

/// Curves that leave and enter boxes at right angles and pass the bends along the layers.
std::vector<Point> bowed(const EdgeLayout& edge) {
  std::vector<Point> curve{edge.points.front()};
  for (std::size_t i = 0; i + 1 < edge.points.size(); ++i) {
    const Point a = edge.points[i], b = edge.points[i + 1];
    // Ports that look the same way (a component connected with itself) are joined by a wide bow.
    const bool is_bow = edge.points.size() == 2 && edge.from_side == edge.to_side;
    const double reach = std::clamp(0.45 * length_of(a, b), is_bow ? 40.0 : 12.0, 160.0);
    const Point along{b.x >= a.x ? 1.0 : -1.0, 0.0};
    const Point leave = i == 0 ? outward(edge.from_side) : along;
    const Point arrive = i + 2 == edge.points.size() ? outward(edge.to_side) : Point{-along.x, 0.0};
    curve.push_back(shifted(a, leave, reach));
    curve.push_back(shifted(b, arrive, reach));
    curve.push_back(b);
  }
  return curve;
}

/// A point of the cubic piece that starts at `first`; `share` from 0 to 1.
Point on_piece(const std::vector<Point>& curve, std::size_t first, double share) {
  const double rest = 1.0 - share;
  const std::array weights{rest * rest * rest, 3.0 * rest * rest * share, 3.0 * rest * share * share,
                           share * share * share};
  Point point;
  for (std::size_t i = 0; i < 4; ++i) {
    point.x += weights[i] * curve[first + i].x;
    point.y += weights[i] * curve[first + i].y;
  }
  return point;
}

Rectangle grown(const Rectangle& box, double by) {
  return {box.x - by, box.y - by, box.width + 2.0 * by, box.height + 2.0 * by};
}

bool is_inside(const Rectangle& box, Point point) {
  return point.x > box.x && point.x < box.right() && point.y > box.y && point.y < box.bottom();
}

/// Whether an upright or level piece passes through a box.
bool meets(const Rectangle& box, Point a, Point b) {
  return std::max(a.x, b.x) > box.x && std::min(a.x, b.x) < box.right() && std::max(a.y, b.y) > box.y &&
         std::min(a.y, b.y) < box.bottom();
}

struct Piece {
  Point a{};
  Point b{};
};

/// How much of an upright or level piece lies on another one.
double shared_length(const Piece& one, const Piece& other) {
  constexpr double kNear = 4.0;
  const auto overlap = [](double a, double b, double c, double d) {
    return std::max(0.0, std::min(std::max(a, b), std::max(c, d)) - std::max(std::min(a, b), std::min(c, d)));
  };
  const bool is_level = std::abs(one.a.y - one.b.y) < 0.5, other_is_level = std::abs(other.a.y - other.b.y) < 0.5;
  if (is_level && other_is_level && std::abs(one.a.y - other.a.y) < kNear)
    return overlap(one.a.x, one.b.x, other.a.x, other.b.x);
  if (!is_level && !other_is_level && std::abs(one.a.x - other.a.x) < kNear)
    return overlap(one.a.y, one.b.y, other.a.y, other.b.y);
  return 0.0;
}

/// Finds the way of one edge on a net of upright and level lines.
class Router {
 public:
  Router(std::span<const Rectangle> boxes, std::span<const Piece> taken) : taken_(taken) {
    for (const Rectangle& box : boxes) obstacles_.push_back(grown(box, kClearance));
  }

  /// From the end of one stub to that of the other, corners included; empty if there is no way.
  std::vector<Point> find(Point from, Point to, std::span<const Rectangle> lanes_of) {
    xs_ = {from.x, to.x};
    ys_ = {from.y, to.y};
    for (const Rectangle& box : lanes_of) {
      for (const double lane : kLanes) {
        xs_.insert(xs_.end(), {box.x - lane, box.right() + lane});
        ys_.insert(ys_.end(), {box.y - lane, box.bottom() + lane});
      }
    }
    for (auto* lines : {&xs_, &ys_}) {
      std::sort(lines->begin(), lines->end());
      lines->erase(std::unique(lines->begin(), lines->end()), lines->end());
    }
    return walk(place_of(from), place_of(to));
  }

 private:
  struct Visit {
    double cost = 0.0;
    std::size_t state = 0;
    bool operator>(const Visit& other) const { return cost > other.cost; }
  };
  static constexpr std::array<std::array<int, 2>, 4> kSteps{{{1, 0}, {-1, 0}, {0, 1}, {0, -1}}};

  [[nodiscard]] std::size_t place_of(Point point) const {
    const auto column = std::lower_bound(xs_.begin(), xs_.end(), point.x) - xs_.begin();
    const auto row = std::lower_bound(ys_.begin(), ys_.end(), point.y) - ys_.begin();
    return static_cast<std::size_t>(row) * xs_.size() + static_cast<std::size_t>(column);
  }
  [[nodiscard]] Point point_at(std::size_t place) const { return {xs_[place % xs_.size()], ys_[place / xs_.size()]}; }

  /// The neighbour in a direction; the same place where there is none.
  [[nodiscard]] std::size_t neighbour(std::size_t place, std::size_t direction) const {
    const auto column = static_cast<int>(place % xs_.size()) + kSteps[direction][0];
    const auto row = static_cast<int>(place / xs_.size()) + kSteps[direction][1];
    if (column < 0 || row < 0 || column >= static_cast<int>(xs_.size()) || row >= static_cast<int>(ys_.size()))
      return place;
    return static_cast<std::size_t>(row) * xs_.size() + static_cast<std::size_t>(column);
  }

  /// Of a piece between neighbours; infinite where a box is in the way.
  [[nodiscard]] double cost_of(Point a, Point b) const {
    for (const Rectangle& box : obstacles_)
      if (meets(box, a, b)) return std::numeric_limits<double>::infinity();
    double cost = length_of(a, b);
    for (const Piece& piece : taken_) cost += kSharedCost * shared_length({a, b}, piece);
    return cost;
  }

  std::vector<Point> walk(std::size_t from, std::size_t to) const {
    // A state is a place and the direction in which it was reached.
    const std::size_t count = 4 * xs_.size() * ys_.size();
    std::vector<double> costs(count, std::numeric_limits<double>::infinity());
    std::vector<std::size_t> previous(count, count);
    std::priority_queue<Visit, std::vector<Visit>, std::greater<>> open;
    for (std::size_t direction = 0; direction < 4; ++direction) {
      costs[4 * from + direction] = 0.0;
      open.push({0.0, 4 * from + direction});
    }
    while (!open.empty()) {
      const Visit visit = open.top();
      open.pop();
      if (visit.cost > costs[visit.state]) continue;
      const std::size_t place = visit.state / 4;
      if (place == to) return corners_to(visit.state, previous);
      for (std::size_t direction = 0; direction < 4; ++direction) {
        const std::size_t next = neighbour(place, direction);
        if (next == place) continue;
        const double bend = place == from || direction == visit.state % 4 ? 0.0 : kBendCost;
        const double cost = visit.cost + bend + cost_of(point_at(place), point_at(next));
        if (!(cost < costs[4 * next + direction])) continue;
        costs[4 * next + direction] = cost;
        previous[4 * next + direction] = visit.state;
        open.push({cost, 4 * next + direction});
      }
    }
    return {};
  }

  [[nodiscard]] std::vector<Point> corners_to(std::size_t state, const std::vector<std::size_t>& previous) const {
    std::vector<Point> points;
    for (; state < previous.size(); state = previous[state]) points.push_back(point_at(state / 4));
    std::reverse(points.begin(), points.end());
    return points;
  }

  std::vector<Rectangle> obstacles_{};
  std::span<const Piece> taken_;
  std::vector<double> xs_{};
  std::vector<double> ys_{};
};

/// Without points in the middle of straight pieces.
std::vector<Point> corners_of(const std::vector<Point>& points) {
  std::vector<Point> corners;
  for (const Point point : points) {
    if (!corners.empty() && length_of(corners.back(), point) < 0.01) continue;
    if (corners.size() >= 2) {
      const Point a = corners[corners.size() - 2], b = corners.back();
      const double turn = (b.x - a.x) * (point.y - b.y) - (b.y - a.y) * (point.x - b.x);
      const double ahead = (b.x - a.x) * (point.x - b.x) + (b.y - a.y) * (point.y - b.y);
      if (std::abs(turn) < 0.01 && ahead >= 0.0) corners.pop_back();
    }
    corners.push_back(point);
  }
  return corners;
}

/// Places for a label, the best first: above and below level pieces that are long enough, beside upright ones, then
/// anywhere on the way.
std::vector<Point> label_places_beside(const std::vector<Point>& points, double width) {
  constexpr double kAbove = -5.0, kBelow = kEdgeLabelSize + 3.0, kBeside = 6.0, kMiddle = 0.36 * kEdgeLabelSize;
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i + 1 < points.size(); ++i) pieces.push_back({points[i], points[i + 1]});
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const Piece& x, const Piece& y) { return length_of(x.a, x.b) > length_of(y.a, y.b); });
  std::vector<Point> level, upright, rest;
  for (const Piece& piece : pieces) {
    const Point middle{(piece.a.x + piece.b.x) / 2.0, (piece.a.y + piece.b.y) / 2.0};
    const bool is_level = std::abs(piece.a.y - piece.b.y) < 0.5;
    auto& list = !is_level ? upright : length_of(piece.a, piece.b) > width + 8.0 ? level : rest;
    const double aside = width / 2.0 + kBeside;
    if (is_level) {
      list.insert(list.end(), {{middle.x, middle.y + kAbove}, {middle.x, middle.y + kBelow}});
    } else {
      list.insert(list.end(), {{middle.x + aside, middle.y + kMiddle}, {middle.x - aside, middle.y + kMiddle}});
    }
  }
  level.insert(level.end(), upright.begin(), upright.end());
  level.insert(level.end(), rest.begin(), rest.end());
  return level;
}

std::vector<Point> label_places_on(const std::vector<Point>& curve) {
  const std::size_t pieces = (curve.size() - 1) / 3;
  std::vector<Point> places;
  for (const double share : {0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8}) {
    const Point place = on_piece(curve, 3 * (pieces / 2), share);
    places.push_back({place.x, place.y - 5.0});
  }
  return places;
}

/// Whether an edge starts away from where it goes, or arrives from behind.
bool turns_back(const EdgeLayout& edge) {
  if (edge.points.size() != 2 || edge.from_side == edge.to_side) return false;
  const Point a = edge.points.front(), b = edge.points.back(), out = outward(edge.from_side),
              in = outward(edge.to_side);
  const Point way{b.x - a.x, b.y - a.y};
  return out.x * way.x + out.y * way.y < 0.0 || in.x * way.x + in.y * way.y > 0.0;
}

/// The boxes nearest to the straight line between two points.
std::vector<Rectangle> nearest_boxes(std::span<const Rectangle> boxes, Point a, Point b) {
  std::vector<Rectangle> nearest(boxes.begin(), boxes.end());
  if (nearest.size() <= kMostObstacles) return nearest;
  const auto distance = [&](const Rectangle& box) {
    const Point middle{box.x + box.width / 2.0, box.y + box.height / 2.0};
    return length_of(a, middle) + length_of(middle, b);
  };
  std::nth_element(nearest.begin(), nearest.begin() + static_cast<std::ptrdiff_t>(kMostObstacles), nearest.end(),
                   [&](const Rectangle& x, const Rectangle& y) { return distance(x) < distance(y); });
  nearest.resize(kMostObstacles);
  return nearest;
}

}  // namespace

Point outward(Side side) {
  switch (side) {
    case Side::left:
      return {-1.0, 0.0};
    case Side::right:
      return {1.0, 0.0};
    case Side::top:
      return {0.0, -1.0};
    case Side::bottom:
      return {0.0, 1.0};
  }
  return {};
}

Point shifted(Point point, Point direction, double distance) {
  return {point.x + distance * direction.x, point.y + distance * direction.y};
}

std::vector<Point> curve_of(const EdgeLayout& given) {
  EdgeLayout edge = given;
  if (edge.arrow > 0.0)
    edge.points.back() = shifted(edge.points.back(), outward(edge.to_side), kPortRadius + edge.arrow);
  return edge.is_routed ? rounded(edge.points) : bowed(edge);
}

Point label_place(const EdgeLayout& edge, double width, std::span<const Rectangle> boxes) {
  const auto places = edge.is_routed ? label_places_beside(edge.points, width) : label_places_on(curve_of(edge));
  const auto is_free = [&](Point place) {
    const Rectangle area{place.x - width / 2.0, place.y - kEdgeLabelSize, width, kEdgeLabelSize + 2.0};
    return std::none_of(boxes.begin(), boxes.end(), [&](const Rectangle& box) {
      return meets(box, {area.x, area.y}, {area.right(), area.bottom()});
    });
  };
  const auto found = std::find_if(places.begin(), places.end(), is_free);
  return found != places.end() ? *found : places.front();
}

bool is_hidden(const EdgeLayout& edge, std::span<const Rectangle> boxes) {
  const auto curve = curve_of(edge);
  for (std::size_t first = 0; first + 3 < curve.size(); first += 3) {
    for (int i = 0; i <= kSamples; ++i) {
      const Point point = on_piece(curve, first, static_cast<double>(i) / kSamples);
      // At its ports an edge touches boxes.
      const bool is_at_end =
          std::min(length_of(point, edge.points.front()), length_of(point, edge.points.back())) < kStub;
      const double gap = is_at_end ? -1.0 : kLeastGap;
      if (std::any_of(boxes.begin(), boxes.end(),
                      [&](const Rectangle& box) { return is_inside(grown(box, gap), point); }))
        return true;
    }
  }
  return false;
}

void route_around(std::span<const Rectangle> boxes, std::vector<EdgeLayout>& edges) {
  std::vector<Piece> taken;
  for (EdgeLayout& edge : edges) {
    if (!is_hidden(edge, boxes) && !turns_back(edge)) continue;
    const Point from = shifted(edge.points.front(), outward(edge.from_side), kStub);
    const Point to = shifted(edge.points.back(), outward(edge.to_side), kStub);
    const auto lanes_of = nearest_boxes(boxes, from, to);
    auto way = Router(boxes, taken).find(from, to, lanes_of);
    if (way.empty()) continue;
    way.insert(way.begin(), edge.points.front());
    way.push_back(edge.points.back());
    edge.points = corners_of(way);
    edge.is_routed = true;
    for (std::size_t i = 0; i + 1 < edge.points.size(); ++i) taken.push_back({edge.points[i], edge.points[i + 1]});
  }
}

}  // namespace tieline::report
