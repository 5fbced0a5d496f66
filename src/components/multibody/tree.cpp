#include "components/multibody/tree.hpp"

#include <algorithm>
#include <numeric>

#include "components/multibody/joint_rows.hpp"

namespace tieline::components {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Kind = JointSpec::Kind;

namespace {

/// Sets that are joined one after the other.
class Sets {
 public:
  explicit Sets(std::size_t size) : leader_(size) { std::iota(leader_.begin(), leader_.end(), std::size_t{0}); }
  std::size_t find(std::size_t i) {
    while (leader_[i] != i) i = leader_[i] = leader_[leader_[i]];
    return i;
  }
  /// False if they were joined before.
  bool join(std::size_t a, std::size_t b) {
    a = find(a), b = find(b);
    leader_[std::max(a, b)] = std::min(a, b);
    return a != b;
  }

 private:
  std::vector<std::size_t> leader_;
};

std::size_t freedoms_of(Kind kind) { return 6 - JointRows::count(kind); }

int body_of(const MultibodySpec& spec, int frame) { return spec.frames[static_cast<std::size_t>(frame)].body; }

/// The joints that carry bodies: as many conditions as possible, and no loop.
std::vector<bool> carrying_joints(const MultibodySpec& spec) {
  std::vector<std::size_t> order(spec.joints.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto conditions = [&](std::size_t j) {
    return JointRows::count(spec.joints[j].kind) + (spec.joints[j].drive ? 1 : 0);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return conditions(a) > conditions(b); });
  Sets sets(spec.bodies.size() + 1);
  std::vector<bool> carries(spec.joints.size(), false);
  for (const std::size_t j : order) {
    // The world is the first of all nodes.
    const auto node = [&](int frame) { return static_cast<std::size_t>(body_of(spec, frame) + 1); };
    carries[j] = sets.join(node(spec.joints[j].from), node(spec.joints[j].to));
  }
  return carries;
}

}  // namespace

Tree::Tree(const MultibodySpec& spec)
    : bases{-1}, link_of_body(spec.bodies.size(), -1), link_of_joint(spec.joints.size(), -1) {
  const std::vector<bool> carries = carrying_joints(spec);
  std::vector<std::vector<int>> joints_of(spec.bodies.size() + 1);
  for (std::size_t j = 0; j < spec.joints.size(); ++j) {
    if (!carries[j]) continue;
    for (const int frame : {spec.joints[j].from, spec.joints[j].to}) {
      joints_of[static_cast<std::size_t>(body_of(spec, frame) + 1)].push_back(static_cast<int>(j));
    }
  }
  // Depth first, so that neighbours lie beside one another.
  const auto grow = [&](int from_body) {
    std::vector<std::pair<int, std::size_t>> stack{{from_body, 0}};
    while (!stack.empty()) {
      const auto [body, next] = stack.back();
      const auto& joints = joints_of[static_cast<std::size_t>(body + 1)];
      if (next == joints.size()) {
        stack.pop_back();
        continue;
      }
      ++stack.back().second;
      const JointSpec& joint = spec.joints[static_cast<std::size_t>(joints[next])];
      const int a = body_of(spec, joint.from), b = body_of(spec, joint.to), other = a == body ? b : a;
      if (other == kWorld || link_of_body[static_cast<std::size_t>(other)] >= 0) continue;
      add_link(spec, other, joints[next]);
      stack.emplace_back(other, 0);
    }
  };
  grow(kWorld);
  std::vector<int> order(spec.bodies.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return joints_of[static_cast<std::size_t>(a + 1)].size() > joints_of[static_cast<std::size_t>(b + 1)].size();
  });
  for (const int body : order) {
    if (link_of_body[static_cast<std::size_t>(body)] >= 0) continue;
    add_link(spec, body, -1);
    grow(body);
  }
  // Parents were counted among the links only, the world as -1 and other bases below it.
  for (TreeLink& link : links) {
    link.parent = link.parent >= 0 ? place_of(link.parent) : -1 - link.parent;
  }
  find_units(spec);
}

void Tree::add_link(const MultibodySpec& spec, int body, int joint) {
  const BodySpec& of = spec.bodies[static_cast<std::size_t>(body)];
  TreeLink link{.body = body, .parent = -1, .joint = joint};
  if (joint < 0) {
    link.axes.position = of.center;
    link.freedoms = 6;
  } else {
    const JointSpec& carrier = spec.joints[static_cast<std::size_t>(joint)];
    link.kind = carrier.kind;
    link.sign = body_of(spec, carrier.to) == body ? 1.0 : -1.0;
    link.freedoms = freedoms_of(link.kind);
    const int near = link.sign > 0.0 ? carrier.from : carrier.to, far = link.sign > 0.0 ? carrier.to : carrier.from;
    link.axes = spec.frames[static_cast<std::size_t>(far)].local;
    const FrameSpec& before = spec.frames[static_cast<std::size_t>(near)];
    if (before.body != kWorld) {
      link.parent = link_of_body[static_cast<std::size_t>(before.body)];
      link.near = core::compose(core::inverse(links[static_cast<std::size_t>(link.parent)].axes), before.local);
    } else if (before.path || before.is_led) {
      auto found = std::find(bases.begin(), bases.end(), near);
      if (found == bases.end()) found = bases.insert(bases.end(), near);
      link.parent = -1 - static_cast<int>(found - bases.begin());
    } else {
      link.near = before.local;
    }
    link_of_joint[static_cast<std::size_t>(joint)] = static_cast<int>(links.size());
  }
  link.axes.orientation.normalize();
  link.near.orientation.normalize();
  const Matrix3d R = link.axes.orientation.toRotationMatrix();
  link.mass = of.mass;
  link.center = R.transpose() * (of.center - link.axes.position);
  link.inertia = R.transpose() * of.inertia * R +
                 of.mass * (link.center.squaredNorm() * Matrix3d::Identity() - link.center * link.center.transpose());
  const bool has_quaternion = link.is_free() || link.kind == Kind::spherical;
  link.first_state = states;
  link.first_rate = states + link.freedoms + (has_quaternion ? 1 : 0);
  states = link.first_rate + link.freedoms;
  link.first_freedom = freedoms;
  freedoms += link.freedoms;
  link_of_body[static_cast<std::size_t>(body)] = static_cast<int>(links.size());
  links.push_back(link);
}

void Tree::find_units(const MultibodySpec& spec) {
  Sets sets(links.size());
  for (const JointSpec& joint : spec.joints) {
    const int a = body_of(spec, joint.from), b = body_of(spec, joint.to);
    if (a == kWorld || b == kWorld) continue;
    sets.join(static_cast<std::size_t>(link_of_body[static_cast<std::size_t>(a)]),
              static_cast<std::size_t>(link_of_body[static_cast<std::size_t>(b)]));
  }
  std::vector<int> number(links.size(), -1);
  for (std::size_t i = 0; i < links.size(); ++i) {
    int& of_set = number[sets.find(i)];
    if (of_set < 0) of_set = units++;
    links[i].unit = of_set;
  }
}

}  // namespace tieline::components
