// All kinds of interfaces, between tools that use plugin.h alone.

#include <Eigen/Dense>
#include <thread>

#include "lines/track_log.hpp"
#include "plugin/fake_master.hpp"
#include "support/temporary_folder.hpp"

namespace tieline::plugin {
namespace kinds_test {

using Kind = transport::ConnectionMessage::Kind;
using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kDelay = 0.01, kStop = 0.2;

/// Runs two tools; each is a function of its session, which returns the last status.
using Tool = std::function<int(tieline_session*)>;
void run_two(const std::vector<transport::InterfaceMessage>& of_a, const Tool& a,
             const std::vector<transport::InterfaceMessage>& of_b, const Tool& b,
             const std::vector<transport::ConnectionMessage>& connections,
             const std::function<void(FakeMaster&)>& look = {}, bool exact_step = false,
             const std::string& tracks_file = "") {
  const auto setup = [&](const char* name, const std::vector<transport::InterfaceMessage>& interfaces) {
    return transport::Setup{.component = name, .stop = kStop, .exact_step = exact_step, .interfaces = interfaces};
  };
  FakeMaster master({setup("a", of_a), setup("b", of_b)});
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 2; ++i) {
    threads.emplace_back([&, i, options = master.options(i)] {
      tieline_session* session = nullptr;
      EXPECT_EQ(tieline_open(&options, &session), TIELINE_OK) << tieline_error(nullptr);
      EXPECT_EQ((i == 0 ? a : b)(session), TIELINE_STOP) << tieline_error(session);
      tieline_close(session);
    });
  }
  master.meet();
  master.join_two(kStop, kDelay, connections, 0.0, 0.01);
  master.begin({}, 0, {}, tracks_file);
  master.go(master.stop_tick());
  const auto parked = master.parked();
  EXPECT_TRUE(parked) << (parked ? "" : parked.error().describe());
  master.fleet().dismiss();
  for (std::thread& thread : threads) thread.join();
  if (look) look(master);
}

/// Steps of a fixed length up to the limit; `step(t, end)` computes one and reports it.
int loop(tieline_session* session, double length, const std::function<int(double t, double end)>& step) {
  int status = tieline_start(session);
  for (double t = 0.0; status == TIELINE_CONTINUE;) {
    double limit = 0.0;
    if (status = tieline_step_limit(session, t, &limit); status != TIELINE_OK) break;
    const double end = std::min(t + length, limit);
    if (status = step(t, end); status != TIELINE_OK) break;
    t = end;
    status = tieline_sync(session, end);
  }
  return status;
}

/// A free rigid body with principal inertias, in world axes: Euler's equations with the classical Runge-Kutta method.
struct Body {
  double mass = 1.0;
  Vector3d inertia{1.0, 1.0, 1.0};
  Vector3d x = Vector3d::Zero(), v = Vector3d::Zero(), omega = Vector3d::Zero();
  Eigen::Quaterniond q = Eigen::Quaterniond::Identity();

  struct Rate {
    Vector3d x, v, omega;
    Eigen::Vector4d q;
  };
  [[nodiscard]] Matrix3d inertia_in_world() const {
    const Matrix3d R = q.toRotationMatrix();
    return R * inertia.asDiagonal() * R.transpose();
  }
  [[nodiscard]] Body moved(const Rate& rate, double h) const {
    Body b = *this;
    b.x += h * rate.x, b.v += h * rate.v, b.omega += h * rate.omega;
    b.q.coeffs() += h * rate.q;
    b.q.normalize();
    return b;
  }
  int rate(tieline_session* session, int id, double t, Rate& out) const {
    const Eigen::Matrix<double, 3, 3, Eigen::RowMajor> R = q.toRotationMatrix();
    Vector3d force, torque;
    const int status =
        tieline_get_force_3d(session, id, t, x.data(), R.data(), v.data(), omega.data(), force.data(), torque.data());
    const Matrix3d J = inertia_in_world();
    out.x = v;
    out.v = force / mass;
    out.omega = J.ldlt().solve(torque - omega.cross(J * omega));
    out.q = 0.5 * (Eigen::Quaterniond(0.0, omega.x(), omega.y(), omega.z()) * q).coeffs();
    return status;
  }
  int step(tieline_session* session, int id, double t, double end) {
    const double h = end - t;
    std::array<Rate, 4> k;
    if (int s = rate(session, id, t, k[0]); s != TIELINE_OK) return s;
    if (int s = moved(k[0], 0.5 * h).rate(session, id, t + 0.5 * h, k[1]); s != TIELINE_OK) return s;
    if (int s = moved(k[1], 0.5 * h).rate(session, id, t + 0.5 * h, k[2]); s != TIELINE_OK) return s;
    if (int s = moved(k[2], h).rate(session, id, end, k[3]); s != TIELINE_OK) return s;
    const auto mean = [](auto& a, auto& b, auto& c, auto& d) { return (a + 2.0 * b + 2.0 * c + d) / 6.0; };
    *this = moved({mean(k[0].x, k[1].x, k[2].x, k[3].x), mean(k[0].v, k[1].v, k[2].v, k[3].v),
                   mean(k[0].omega, k[1].omega, k[2].omega, k[3].omega), mean(k[0].q, k[1].q, k[2].q, k[3].q)},
                  h);
    return report(session, id, end);
  }
  int report(tieline_session* session, int id, double t) const {
    const Eigen::Matrix<double, 3, 3, Eigen::RowMajor> R = q.toRotationMatrix();
    return tieline_set_motion_3d(session, id, t, x.data(), R.data(), v.data(), omega.data());
  }
  [[nodiscard]] Vector3d angular_momentum() const { return mass * x.cross(v) + inertia_in_world() * omega; }
};

struct Pair {
  std::array<Body, 2> bodies{};
  double residual = 0.0, angular_drift = 0.0, momentum = 0.0;
};

Pair run_bodies(double length) {
  Pair pair;
  pair.bodies[0] = {.mass = 1.0, .inertia = {0.02, 0.03, 0.04}, .v = {0.1, 0.0, 0.2}, .omega = {3.0, -1.0, 2.0}};
  pair.bodies[1] = {.mass = 2.0, .inertia = {0.05, 0.03, 0.02}, .omega = {0.0, 1.0, 4.0}};
  const std::vector<transport::InterfaceMessage> hub{
      {.name = "hub", .domain = core::Domain::mechanical3d, .is_connected = true}};
  const auto tool = [&](std::size_t i) {
    return [&, i](tieline_session* session) {
      int id = -1;
      tieline_register(session, "hub", TIELINE_MECHANICAL_3D, TIELINE_FORCE_IN, 1, &id);
      EXPECT_EQ(pair.bodies[i].report(session, id, 0.0), TIELINE_OK);
      return loop(session, length, [&, id](double t, double end) { return pair.bodies[i].step(session, id, t, end); });
    };
  };
  run_two(hub, tool(0), hub, tool(1),
          {{.kind = Kind::space,
            .name = "joint",
            .delay = kDelay,
            .impedance = 20.0,
            .rotation_impedance = 0.4,
            .row_interval = kDelay,
            .columns = {1, 3}}},
          [&](FakeMaster& master) {
            const auto rows = master.table("connections.joint");
            for (std::size_t k = 0; k + 2 < rows.size(); k += 3) {
              pair.residual = std::max(pair.residual, std::abs(rows[k + 1]));
              pair.angular_drift = std::max(pair.angular_drift, std::abs(rows[k + 2]));
            }
            EXPECT_EQ(master.table("a").size(), 20U * 21U);
          });
  return pair;
}

TEST(Kinds, BodiesInSpaceConverge) {
  std::vector<Pair> runs;
  for (const double length : {5e-3, 2.5e-3, 1.25e-3, 0.625e-3, 0.3125e-3}) runs.push_back(run_bodies(length));
  std::array<double, 4> moved{}, turned{};
  for (std::size_t k = 0; k < moved.size(); ++k) {
    for (std::size_t i = 0; i < 2; ++i) {
      const Body &p = runs[k].bodies[i], &q = runs[k + 1].bodies[i];
      moved[k] += (p.x - q.x).norm();
      turned[k] += p.q.angularDistance(q.q);
    }
  }
  // Positions tie the waves of translation, whose order is that of the method; rotations are tied by a quadrature in a
  // frame that turns, and by angular accelerations that are guessed: second order at least, over three halvings.
  EXPECT_GT(moved[0] / moved[3], 8.0 * 8.0 * 8.0);
  EXPECT_GT(turned[0] / turned[3], 4.0 * 4.0 * 3.0) << turned[0] << " " << turned[3];
  EXPECT_GT(runs[0].residual / runs[3].residual, 4.0 * 4.0 * 4.0);
  EXPECT_LT(runs[3].residual, 1e-8);
  // What the line itself leaves open to second order in its delay, and not the tools.
  EXPECT_LT(runs[4].angular_drift, 2e-3);
}

TEST(Kinds, SignalsArriveADelayLater) {
  const std::vector<transport::InterfaceMessage> out{
      {.name = "y", .domain = core::Domain::signal, .causality = core::Causality::output, .size = 2}};
  const std::vector<transport::InterfaceMessage> in{
      {.name = "u", .domain = core::Domain::signal, .causality = core::Causality::input, .size = 2}};
  double largest = 0.0;
  run_two(
      out,
      [](tieline_session* session) {
        int id = -1;
        tieline_register(session, "y", TIELINE_SIGNAL, TIELINE_OUTPUT, 2, &id);
        const double first[2] = {0.0, 1.0};
        tieline_set_signal(session, id, 0.0, first);
        return loop(session, 3e-3, [&](double, double end) {
          const double values[2] = {end, 1.0 - 2.0 * end};
          return tieline_set_signal(session, id, end, values);
        });
      },
      in,
      [&](tieline_session* session) {
        int id = -1;
        tieline_register(session, "u", TIELINE_SIGNAL, TIELINE_INPUT, 2, &id);
        return loop(session, 4e-3, [&](double, double end) {
          double values[2] = {};
          const int status = tieline_get_signal(session, id, end, values);
          const double sent = std::max(0.0, end - kDelay);
          largest = std::max({largest, std::abs(values[0] - sent), std::abs(values[1] - (1.0 - 2.0 * sent))});
          return status;
        });
      },
      {{.kind = Kind::signal, .name = "s1", .member = 0, .delay = kDelay},
       {.kind = Kind::signal, .name = "s2", .member = 1, .delay = kDelay}});
  EXPECT_LT(largest, 1e-14);
}

TEST(Kinds, AnEndThatTakesMotionFeelsItsPartner) {
  // A damper to the ground at one end of a line, a mass at the other: at rest in the end, with the momentum gone.
  const std::vector<transport::InterfaceMessage> end{{.name = "axle", .is_connected = true}};
  std::vector<transport::InterfaceMessage> damped = end;
  damped[0].causality = core::Causality::takes_motion;
  constexpr double kImpedance = 20.0, kMass = 0.1, kDamping = 20.0;
  double v = 1.0, x = 0.0;
  run_two(
      end,
      [&](tieline_session* session) {
        int id = -1;
        tieline_register(session, "axle", TIELINE_TRANSLATION, TIELINE_FORCE_IN, 1, &id);
        tieline_set_motion(session, id, 0.0, x, v);
        return loop(session, 1e-3, [&](double t, double to) {
          // Implicit midpoint: F = w - Z v is linear in v.
          const double h = to - t;
          double at_rest = 0.0, at_one = 0.0;
          if (int s = tieline_get_force(session, id, t + 0.5 * h, 0.0, &at_rest); s != TIELINE_OK) return s;
          if (int s = tieline_get_force(session, id, t + 0.5 * h, 1.0, &at_one); s != TIELINE_OK) return s;
          EXPECT_NEAR(at_rest - at_one, kImpedance, 1e-9);
          const double middle = (v + 0.5 * h / kMass * at_rest) / (1.0 + 0.5 * h / kMass * kImpedance);
          x += h * middle, v = 2.0 * middle - v;
          return tieline_set_motion(session, id, to, x, v);
        });
      },
      damped,
      [&](tieline_session* session) {
        int id = -1;
        tieline_register(session, "axle", TIELINE_TRANSLATION, TIELINE_MOTION_IN, 1, &id);
        // It starts as its partner moves, so that the damper holds against that.
        tieline_set_force(session, id, 0.0, 0.0, 0.0);
        double y = 0.0, before = 0.0;
        return loop(session, 1e-3, [&](double t, double to) {
          // The force on it balances the damper: f = c u, with Z u = w - f.
          double free = 0.0;
          if (int s = tieline_get_motion(session, id, to, 0.0, &free); s != TIELINE_OK) return s;
          const double u = free * kImpedance / (kImpedance + kDamping);
          y += 0.5 * (to - t) * (before + u), before = u;
          return tieline_set_force(session, id, to, y, kDamping * u);
        });
      },
      {{.name = "bar", .delay = kDelay, .impedance = kImpedance}});
  // A matched end swallows waves: m v' = -Z v, once the line's own content has gone.
  EXPECT_LT(std::abs(v), 1e-6);
  EXPECT_GT(x, 0.0);
}

TEST(Kinds, ExactStepsEndWithWindows) {
  const std::vector<transport::InterfaceMessage> end{{.name = "axle", .is_connected = true}};
  const auto tool = [](tieline_session* session) {
    int id = -1;
    tieline_register(session, "axle", TIELINE_TRANSLATION, TIELINE_FORCE_IN, 1, &id);
    return loop(session, 1.0, [&](double t, double to) {
      // A window is half a delay.
      EXPECT_NEAR(to - t, 0.5 * kDelay, 1e-12);
      return tieline_set_motion(session, id, to, 0.0, 0.0);
    });
  };
  run_two(end, tool, end, tool, {{.name = "bar", .delay = kDelay, .impedance = 1.0}}, {}, true);
}

TEST(Kinds, WhatComesOverLinksIsKept) {
  const support::TemporaryFolder folder;
  const auto file = folder.path() / "tracks";
  const std::vector<transport::InterfaceMessage> end{{.name = "axle", .is_connected = true}};
  const auto tool = [](tieline_session* session) {
    int id = -1;
    tieline_register(session, "axle", TIELINE_TRANSLATION, TIELINE_FORCE_IN, 1, &id);
    return loop(session, 1.0, [&](double, double to) { return tieline_set_motion(session, id, to, 0.0, 0.0); });
  };
  run_two(end, tool, end, tool, {{.name = "bar", .delay = kDelay, .impedance = 1.0}}, {}, false, file.string());
  const auto content = lines::read_track_log(file);
  ASSERT_TRUE(content) << content.error().message;
  EXPECT_EQ(content->records.size(), 40U);  // windows of the partner
  const auto begin = transport::decode<transport::Begin>(content->begin);
  ASSERT_TRUE(begin);
  EXPECT_EQ(begin->links.size(), 1U);
  // A file that was cut short is read up to there; one that is damaged is refused.
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 3);
  EXPECT_EQ(lines::read_track_log(file)->records.size(), 39U);
  std::ofstream(file, std::ios::in | std::ios::out).write("X", 1);
  EXPECT_FALSE(lines::read_track_log(file));
}

}  // namespace kinds_test
}  // namespace tieline::plugin
