// A gluing matrix that turns with its members.
//
// What a body does under a force at a point of it does not change in axes of its own, wherever it turns to; of several
// bodies in a member it changes slowly. With Q the rotation of an end since the member was probed, and A the glued
// directions then and now, a force of unknowns z is one of T z in the directions of then, T = A_then^T Q^T A_now, and
// gaps turn with T^T: the response of the member is T^T G T. The sum over members is the response of the gluing.

#include <algorithm>
#include <cmath>

#include "engine/glued_group.hpp"

namespace tieline::engine {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

// Turns smaller than this change nothing that iterations would notice [rad].
constexpr double kTurned = 1e-3;

void put_numbers(core::ArchiveWriter& archive, const MatrixXd& matrix) {
  archive.put(matrix.rows()), archive.put(matrix.cols());
  archive.put_span(std::span<const double>(matrix.data(), static_cast<std::size_t>(matrix.size())));
}

MatrixXd get_numbers(core::ArchiveReader& archive) {
  const auto rows = archive.get<Index>(), columns = archive.get<Index>();
  const std::vector<double> numbers = archive.get_vector<double>();
  if (rows < 0 || columns < 0 || static_cast<std::size_t>(rows * columns) != numbers.size()) {
    throw core::ArchiveError("the snapshot contains a damaged response of a glued member");
  }
  return Eigen::Map<const MatrixXd>(numbers.data(), rows, columns);
}

void put_turns(core::ArchiveWriter& archive, const std::vector<Eigen::Quaterniond>& turns) {
  MatrixXd numbers(4, static_cast<Index>(turns.size()));
  for (std::size_t i = 0; i < turns.size(); ++i) numbers.col(static_cast<Index>(i)) = turns[i].coeffs();
  put_numbers(archive, numbers);
}

std::vector<Eigen::Quaterniond> get_turns(core::ArchiveReader& archive) {
  const MatrixXd numbers = get_numbers(archive);
  std::vector<Eigen::Quaterniond> turns;
  for (Index i = 0; i < numbers.cols() && numbers.rows() == 4; ++i) {
    turns.emplace_back(Eigen::Vector4d(numbers.col(i)));
  }
  return turns;
}

}  // namespace

/// Directions of a point in columns: of forces, then of torques.
MatrixXd GluedGroup::axes_at_start(const Link& link, std::size_t point) const {
  std::array<coupling::GluedDirection, 6> directions;
  link.joint.directions(start_motion_of(link.points[point].from), start_motion_of(link.points[point].to), directions);
  MatrixXd axes(3, static_cast<Index>(link.directions));
  for (std::size_t d = 0; d < link.directions; ++d) {
    const auto& on_to = directions[d].on_to;
    if (link.joint.is_rotation(d)) {
      axes.col(static_cast<Index>(d)) = on_to.tail<3>();
    } else {
      axes.col(static_cast<Index>(d)) = on_to.head<3>();
    }
  }
  return axes;
}

void GluedGroup::note_axes(KnownMatrix& known) const {
  known.probed_at.clear(), known.probed_axes.clear();
  for (const Socket& socket : sockets_) known.probed_at.push_back(socket.begin.pose.orientation);
  known.turned_to = known.probed_at;
  for (const Link& link : links_) {
    for (std::size_t point = 0; link.is_in_space && point < link.points.size(); ++point) {
      known.probed_axes.push_back(axes_at_start(link, point));
    }
  }
}

bool GluedGroup::has_turned(const KnownMatrix& known) const {
  if (is_linear_ || known.parts.empty()) return false;
  for (std::size_t i = 0; i < sockets_.size(); ++i) {
    if (sockets_[i].spec.interface == nullptr) continue;
    if (known.turned_to[i].angularDistance(sockets_[i].begin.pose.orientation) > kTurned) return true;
  }
  return false;
}

/// T of one member, over the unknowns of its part.
MatrixXd GluedGroup::turning_of(const KnownMatrix& known, std::size_t member) const {
  const std::vector<Index>& unknowns = known.parts[member].unknowns;
  const auto n = static_cast<Index>(unknowns.size());
  MatrixXd T = MatrixXd::Identity(n, n);
  const std::size_t s = nodes();
  std::size_t axes_index = 0;
  for (const Link& link : links_) {
    for (std::size_t p = 0; link.is_in_space && p < link.points.size(); ++p, ++axes_index) {
      const GluePoint& point = link.points[p];
      if (point.from.size() > 1 || point.to.size() > 1 || link.joint.slides()) continue;
      const auto from = static_cast<std::size_t>(point.from.front().socket);
      const auto to = static_cast<std::size_t>(point.to.front().socket);
      const bool is_from = sockets_[from].spec.member == static_cast<int>(member);
      const bool is_to = sockets_[to].spec.member == static_cast<int>(member);
      if (is_from == is_to) continue;
      const std::size_t socket = is_from ? from : to;
      const Eigen::Quaterniond Q = sockets_[socket].begin.pose.orientation * known.probed_at[socket].conjugate();
      const MatrixXd blocks =
          known.probed_axes[axes_index].transpose() * Q.toRotationMatrix().transpose() * axes_at_start(link, p);
      const auto first =
          std::find(unknowns.begin(), unknowns.end(), static_cast<Index>(link.first + p * link.directions * s)) -
          unknowns.begin();
      for (std::size_t i = 0; i < link.directions; ++i) {
        for (std::size_t j = 0; j < link.directions; ++j) {
          // Forces do not turn into torques.
          if (link.joint.is_rotation(i) != link.joint.is_rotation(j)) continue;
          for (std::size_t node = 0; node < s; ++node) {
            T(first + static_cast<Index>(i * s + node), first + static_cast<Index>(j * s + node)) =
                blocks(static_cast<Index>(i), static_cast<Index>(j));
          }
        }
      }
    }
  }
  // What a body answers to motions turns with it, too.
  for (const std::size_t index : members_[member].sockets) {
    const Socket& socket = sockets_[index];
    if (!socket.is_led()) continue;
    const Link& link = links_[socket.link];
    const GluePoint& point = link.points[place_of(socket).point];
    if (point.from.size() > 1 || point.to.size() > 1 || link.joint.slides()) continue;
    const Eigen::Matrix3d back =
        (socket.begin.pose.orientation * known.probed_at[index].conjugate()).toRotationMatrix().transpose();
    const auto first = std::find(unknowns.begin(), unknowns.end(), static_cast<Index>(socket.first)) - unknowns.begin();
    for (std::size_t i = 0; i < socket.axes; ++i) {
      for (std::size_t j = i / 3 * 3; j < i / 3 * 3 + 3; ++j) {
        for (std::size_t node = 0; node < s; ++node) {
          T(first + static_cast<Index>(i * s + node), first + static_cast<Index>(j * s + node)) =
              back(static_cast<Index>(i % 3), static_cast<Index>(j % 3));
        }
      }
    }
  }
  return T;
}

void GluedGroup::turn(KnownMatrix& known) {
  coupling::ProbedResponse turned = known.matrix.probed();
  turned.gaps.setZero();
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const MemberPart& part = known.parts[m];
    const MatrixXd T = turning_of(known, m);
    turned.gaps(part.unknowns, part.unknowns) += T.transpose() * part.response * T;
  }
  add_loads(turned.gaps);
  for (std::size_t i = 0; i < sockets_.size(); ++i) known.turned_to[i] = sockets_[i].begin.pose.orientation;
  known.matrix.set(std::move(turned));
  ++figures_.turnings;
}

void GluedGroup::save_known(core::ArchiveWriter& archive, const KnownMatrix& known) {
  archive.put(known.length);
  known.matrix.save(archive);
  archive.put(known.parts.size());
  for (const MemberPart& part : known.parts) {
    archive.put_span<Index>(part.unknowns);
    put_numbers(archive, part.response);
  }
  put_turns(archive, known.probed_at), put_turns(archive, known.turned_to);
  archive.put(known.probed_axes.size());
  for (const MatrixXd& axes : known.probed_axes) put_numbers(archive, axes);
}

void GluedGroup::restore_known(core::ArchiveReader& archive, KnownMatrix& known) {
  archive.get(known.length);
  known.matrix.restore(archive);
  const auto parts = archive.get<std::size_t>();
  known.parts.clear();
  for (std::size_t i = 0; i < parts; ++i) {
    std::vector<Index> unknowns = archive.get_vector<Index>();
    known.parts.push_back({std::move(unknowns), get_numbers(archive)});
  }
  known.probed_at = get_turns(archive);
  known.turned_to = get_turns(archive);
  const auto axes = archive.get<std::size_t>();
  known.probed_axes.clear();
  for (std::size_t i = 0; i < axes; ++i) known.probed_axes.push_back(get_numbers(archive));
}

}  // namespace tieline::engine
