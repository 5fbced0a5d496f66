// What a gluing cannot determine: forces that change no gap, gaps that no force changes; and what it reports about
// them.

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/glued_group.hpp"

namespace tieline::engine {
namespace {

using core::Compatibility;
using core::Error;
using core::ErrorCode;
using core::Result;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// A silent direction belongs to one connection alone where it has this share of it, and to several from the other on.
constexpr double kAllOfIt = 0.99;
constexpr double kSomeOfIt = 1e-3;
// Directions this close to an axis are that axis.
constexpr double kOnAxis = 1e-4;
// How far apart rigid sides may be [m], [rad], and how fast they may move apart or accelerate, as a share of how they
// move, and at least [m/s], [m/s^2] and the like: what solvers leave of a condition that they keep.
constexpr double kRigidGap = 1e-6;
constexpr double kRigidShare = 1e-6;
constexpr double kLeastRigid = 1e-9;
// A step over which members answer to forces otherwise than masses do by more than this share is long for them.
constexpr double kSwinging = 0.05;
// What all notes on silent directions say.
constexpr std::string_view kTaken = "taken";
// Answers smaller than this share of the largest of their connection do not count.
constexpr double kWeak = 1e-3;

/// Eigenvectors of a projector, or of a part of one, whose eigenvalues are 1, about.
MatrixXd owned(const MatrixXd& projector) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> found(projector);
  Index first = projector.rows();
  while (first > 0 && found.eigenvalues()[first - 1] > kAllOfIt) --first;
  return found.eigenvectors().rightCols(projector.rows() - first);
}

std::string listed(const std::vector<std::string>& parts) {
  if (parts.size() < 2) return parts.empty() ? "" : parts.front();
  return fmt::format("{} and {}", fmt::join(parts.begin(), parts.end() - 1, ", "), parts.back());
}

}  // namespace

std::vector<std::string> GluedGroup::notes() const {
  std::vector<std::string> all;
  for (const Link& link : links_) {
    if (!link.note.empty()) all.push_back(fmt::format("connection '{}': {}", link.spec.name, link.note));
  }
  return all;
}

const char* GluedGroup::unit_of(const Link& link, std::size_t direction) const {
  if (!link.is_in_space) return "";
  const bool is_rotation = link.joint.is_rotation(direction);
  switch (settings_.compatibility) {
    case Compatibility::displacement:
      return is_rotation ? " rad" : " m";
    case Compatibility::acceleration:
      return is_rotation ? " rad/s^2" : " m/s^2";
    default:
      return is_rotation ? " rad/s" : " m/s";
  }
}

/// The axes of translations or rotations of one point that are silent by themselves: "x and (0.6, 0.8, 0)".
std::string GluedGroup::describe_axes(const Link& link, const MatrixXd& projector, bool is_rotation) const {
  std::vector<Index> own;
  for (std::size_t d = 0; d < link.directions; ++d) {
    if (link.joint.is_rotation(d) == is_rotation) own.push_back(static_cast<Index>(d));
  }
  if (own.empty()) return "";
  std::vector<std::string> parts;
  std::vector<Index> rest;
  for (const Index d : own) {
    if (projector(d, d) > 1.0 - kOnAxis) {
      parts.emplace_back(link.joint.name(static_cast<std::size_t>(d)) + (is_rotation ? 1 : 0));
    } else {
      rest.push_back(d);
    }
  }
  const MatrixXd oblique = rest.empty() ? MatrixXd() : owned(projector(rest, rest));
  for (Index k = 0; k < oblique.cols(); ++k) {
    Eigen::Vector3d axis = Eigen::Vector3d::Zero();
    for (std::size_t i = 0; i < rest.size(); ++i) {
      const char letter = link.joint.name(static_cast<std::size_t>(rest[i]))[is_rotation ? 1 : 0];
      axis[letter - 'x'] = oblique(static_cast<Index>(i), k);
    }
    Index largest = 0;
    axis.cwiseAbs().maxCoeff(&largest);
    if (axis[largest] < 0.0) axis = -axis;
    // Adding zero drops the sign of one.
    const auto rounded = [](double x) { return std::round(1e4 * x) / 1e4 + 0.0; };
    parts.push_back(fmt::format("({:g}, {:g}, {:g})", rounded(axis.x()), rounded(axis.y()), rounded(axis.z())));
  }
  return listed(parts);
}

/// Of one point, from the silent part of its directions.
std::string GluedGroup::describe_silence(const Link& link, const MatrixXd& projector) const {
  if (!link.is_in_space) {
    return projector(0, 0) > kAllOfIt ? "neither side can move there; the force between them is taken as 0" : "";
  }
  const std::string along = describe_axes(link, projector, false), about = describe_axes(link, projector, true);
  std::vector<std::string> where;
  if (!along.empty()) where.push_back("along " + along);
  if (!about.empty()) {
    const bool has_own_axes = link.joint.turns();
    where.push_back("about " + about + (has_own_axes ? " of the first interface" : ""));
  }
  if (!where.empty()) {
    const char* what = about.empty()   ? "force there is"
                       : along.empty() ? "torque there is"
                                       : "force and torque there are";
    return fmt::format("both sides are rigid {}; {} taken as 0", listed(where), what);
  }
  const auto mixed = owned(projector).cols();
  if (mixed == 0) return "";
  return fmt::format(
      "both sides are rigid in {} combination{} of translation and rotation; the smallest forces and torques that "
      "satisfy the remaining conditions are taken",
      mixed, mixed > 1 ? "s" : "");
}

void GluedGroup::note_silence(const coupling::GluingMatrix& matrix) {
  const MatrixXd& silent = matrix.silent_forces();
  const std::size_t s = nodes();
  std::vector<std::string> sharing;
  std::vector<Link*> sharers;
  for (Link& link : links_) {
    if (link.kind != Kind::t_t || link.note.find(kTaken) != link.note.npos) continue;
    const auto n = static_cast<Index>(link.directions);
    std::vector<std::pair<std::string, std::vector<std::size_t>>> texts;  // and the points they are of
    bool is_shared = false;
    for (std::size_t point = 0; point < link.points.size(); ++point) {
      // The mean over the nodes of a step.
      MatrixXd projector = MatrixXd::Zero(n, n);
      for (std::size_t node = 0; node < s; ++node) {
        MatrixXd part(n, silent.cols());
        for (Index d = 0; d < n; ++d) {
          const std::size_t row = link.first + (point * link.directions + static_cast<std::size_t>(d)) * s + node;
          part.row(d) = silent.row(static_cast<Index>(row));
        }
        projector += part * part.transpose() / static_cast<double>(s);
      }
      const Index own = owned(projector).cols();
      is_shared = is_shared || projector.trace() - static_cast<double>(own) > kSomeOfIt;
      const std::string text = describe_silence(link, projector);
      if (text.empty()) continue;
      if (texts.empty() || texts.back().first != text) texts.emplace_back(text, std::vector<std::size_t>{});
      texts.back().second.push_back(point + 1);
    }
    std::vector<std::string> lines;
    for (const auto& [text, points] : texts) {
      const bool is_all = points.size() == link.points.size();
      lines.push_back(is_all ? text : fmt::format("at point {}: {}", fmt::join(points, ", "), text));
    }
    if (!link.note.empty() && !lines.empty()) link.note += "; ";
    link.note += fmt::format("{}", fmt::join(lines, "; "));
    const auto is_named = [&](const Link& other) {
      return other.note.find("'" + link.spec.name + "'") != std::string::npos;
    };
    if (!is_shared || std::any_of(links_.begin(), links_.end(), is_named)) continue;
    sharing.push_back("'" + link.spec.name + "'");
    sharers.push_back(&link);
  }
  if (sharers.empty()) return;
  std::string& note = sharers.front()->note;
  note += fmt::format(
      "{}{} constrain some directions more than once; the smallest forces that satisfy all conditions are taken",
      note.empty() ? "" : "; ", sharing.size() > 1 ? listed(sharing) : "its points");
}

/// Rigid sides that move apart contradict each other.
Result<void> GluedGroup::check_silence(const VectorXd& silent, double begin, double end) const {
  const double length = end - begin;
  const std::size_t s = nodes();
  for (const Link& link : links_) {
    const std::size_t rows = link.kind == Kind::t_t ? link.points.size() * link.directions * s : 0;
    for (std::size_t row = 0; row < rows; ++row) {
      const std::size_t d = row / s % link.directions;
      const double size = size_of(link, d, false);
      double allowed = kRigidShare * size + kLeastRigid;
      if (settings_.compatibility == Compatibility::displacement) allowed = kRigidGap + kRigidShare * size;
      // Gaps of the start are corrected within some steps.
      if (settings_.compatibility == Compatibility::velocity) allowed += kRigidGap / length;
      if (settings_.compatibility == Compatibility::acceleration) allowed += kRigidGap / (length * length);
      const double gap = silent[static_cast<Index>(link.first + row)];
      if (std::abs(gap) <= allowed) continue;
      return Error{
          .code = ErrorCode::step_failed,
          .message = fmt::format(
              "gluing step {} (to {:.9g} s): the two sides of {} are rigid there, so no force can close the gap "
              "between them, but they move apart ({:.3g}{}): their conditions contradict each "
              "other. Let one side move there, or glue fewer directions",
              macro_steps_ + 1, end, describe_unknown(static_cast<Index>(link.first + row)), gap, unit_of(link, d)),
          .component = name(),
          .time = begin};
    }
  }
  return {};
}

/// Whether members answer to forces within a step otherwise than masses do, that is by the integrals of the forces.
bool GluedGroup::swings_within(const coupling::GluingMatrix& matrix) const {
  const auto s = static_cast<Index>(nodes());
  MatrixXd integrals(s, s);
  for (Index j = 0; j < s; ++j) {
    const VectorXd unit = VectorXd::Unit(s, j);
    for (Index i = 0; i < s; ++i) {
      integrals(i, j) =
          shape_.integral(shape_.nodes()[static_cast<std::size_t>(i)], {unit.data(), static_cast<std::size_t>(s)}, 0.0);
    }
  }
  for (const Link& link : links_) {
    if (link.kind != Kind::t_t) continue;
    const std::size_t rows = link.points.size() * link.directions;
    const auto block = [&](std::size_t row) {
      const auto first = static_cast<Index>(link.first) + static_cast<Index>(row) * s;
      return matrix.response().block(first, first, s, s);
    };
    // What does not move does not swing.
    const auto is_silent = [&](std::size_t row) {
      const auto first = static_cast<Index>(link.first) + static_cast<Index>(row) * s;
      return matrix.has_silence() && matrix.silent_forces().middleRows(first, s).squaredNorm() > 0.5;
    };
    std::array<double, 2> largest{};
    const auto kind_of = [&](std::size_t row) {
      return link.is_in_space && link.joint.is_rotation(row % link.directions) ? 1U : 0U;
    };
    for (std::size_t row = 0; row < rows; ++row) {
      largest[kind_of(row)] = std::max(largest[kind_of(row)], block(row).norm());
    }
    for (std::size_t row = 0; row < rows; ++row) {
      const MatrixXd own = block(row);
      if (is_silent(row) || !(own.norm() > kWeak * largest[kind_of(row)])) continue;
      const double mobility = own.cwiseProduct(integrals).sum() / integrals.squaredNorm();
      if ((own - mobility * integrals).norm() > kSwinging * own.norm()) return true;
    }
  }
  return false;
}

/// Cubic forces from the first step on, in place of quadratic ones.
void GluedGroup::raise_degree() {
  settings_.forces = core::ForceShape::cubic;
  shape_ = coupling::Collocation(settings_.compatibility, settings_.forces);
  figures_.forces = settings_.forces;
  matrices_.clear();
  number_unknowns();
  note_drift();
  const auto s = static_cast<Index>(nodes());
  last_.resize(unknowns_);
  for (Index i = 0; i < unknowns_; ++i) last_[i] = ends_[i / s];
}

}  // namespace tieline::engine
