#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "bearings/geometry.hpp"

/// The balance of a bearing at rest by another way: the energy of all contacts, from points in space, is lowered by a
/// quasi-Newton method (BFGS) in extended precision.
namespace tieline::bearings::test {

using Real = long double;
using Five = std::array<Real, 5>;

class PotentialReference {
 public:
  PotentialReference(const Bearing& b, const Five& load, double first_ball) : load_(load) {
    const DerivedGeometry g = derive(b);
    ki_ = g.inner_contact.stiffness;
    ko_ = g.outer_contact.stiffness;
    // Both contacts carry the same force.
    split_ = 1 / (1 + std::pow(ki_ / ko_, Real(2) / 3));
    a_ = (static_cast<Real>(b.inner_conformity) + b.outer_conformity - 1) * b.ball_diameter;
    const bool is_angular = b.design == Design::angular_contact;
    const Real sine = is_angular ? std::sin(static_cast<Real>(b.contact_angle)) : 0;
    const Real radial =
        is_angular ? a_ * std::cos(static_cast<Real>(b.contact_angle)) : a_ - static_cast<Real>(b.clearance) / 2;
    const Real share = radial / a_;
    radius_ = b.pitch_diameter / 2 + (static_cast<Real>(b.inner_conformity) - 0.5L) * b.ball_diameter * share;
    std::vector<std::pair<Real, Real>> rows{{0, 1}};
    const Real half = static_cast<Real>(b.row_spacing) / 2;
    if (b.arrangement == Arrangement::back_to_back) rows = {{-half, 1}, {half, -1}};
    if (b.arrangement == Arrangement::face_to_face) rows = {{-half, -1}, {half, 1}};
    if (b.arrangement == Arrangement::tandem) rows = {{-half, 1}, {half, 1}};
    for (const auto& [place, side] : rows) {
      const Real push = is_angular ? static_cast<Real>(b.preload) / 2 : 0;
      const Real inner_x =
          place + side * ((static_cast<Real>(b.inner_conformity) - 0.5L) * b.ball_diameter * sine + push);
      const Real outer_x = place - side * (static_cast<Real>(b.outer_conformity) - 0.5L) * b.ball_diameter * sine;
      for (int j = 0; j < b.balls; ++j) {
        const Real psi = first_ball + 2 * std::acos(Real(-1)) * j / b.balls;
        balls_.push_back({inner_x, outer_x, radius_ - radial, std::cos(psi), std::sin(psi)});
      }
    }
  }

  /// Loads of the balls in the displacement of lowest energy.
  std::vector<double> ball_loads() {
    const Five u = lowest();
    std::vector<double> loads;
    for (const Ball& ball : balls_) {
      const Real d = from_ball(ball, u).approach * split_;
      loads.push_back(static_cast<double>(d > 0 ? ki_ * d * std::sqrt(d) : 0));
    }
    return loads;
  }

 private:
  struct Ball {
    Real inner_x, outer_x, outer_r, cosine, sine;
  };

  struct Closeness {
    Real along, across, approach;
  };

  Closeness from_ball(const Ball& ball, const Five& u) const {
    // The inner groove's centre moves by u + theta x r.
    const Real x = ball.inner_x, y = radius_ * ball.cosine, z = radius_ * ball.sine;
    const Real ty = u[3] / radius_, tz = u[4] / radius_;
    const Real px = x + u[0] + ty * z - tz * y, py = y + u[1] + tz * x, pz = z + u[2] - ty * x;
    const Real along = px - ball.outer_x, across = py * ball.cosine + pz * ball.sine - ball.outer_r;
    return {along, across, std::sqrt(along * along + across * across) - a_};
  }

  Real energy(const Five& u) const {
    Real sum = 0;
    for (const Ball& ball : balls_) {
      const Real d = from_ball(ball, u).approach;
      if (d <= 0) continue;
      const Real di = split_ * d, dout = d - di;
      sum += 0.4L * (ki_ * di * di * std::sqrt(di) + ko_ * dout * dout * std::sqrt(dout));
    }
    for (int i = 0; i < 5; ++i) sum -= load_[i] * (i < 3 ? u[i] : u[i] / radius_);
    return sum;
  }

  Five gradient(const Five& u) const {
    Five g{};
    for (int i = 0; i < 5; ++i) g[i] = -(i < 3 ? load_[i] : load_[i] / radius_);
    for (const Ball& ball : balls_) {
      const auto [along, across, d] = from_ball(ball, u);
      if (d <= 0) continue;
      const Real di = split_ * d, force = ki_ * di * std::sqrt(di);
      const Real fx = force * along / (d + a_), fr = force * across / (d + a_);
      const Real fy = fr * ball.cosine, fz = fr * ball.sine, x = ball.inner_x;
      g[0] += fx;
      g[1] += fy;
      g[2] += fz;
      // r x F about y and z
      g[3] += (radius_ * ball.sine * fx - x * fz) / radius_;
      g[4] += (x * fy - radius_ * ball.cosine * fx) / radius_;
    }
    return g;
  }

  static Real dot(const Five& a, const Five& b) {
    Real sum = 0;
    for (int i = 0; i < 5; ++i) sum += a[i] * b[i];
    return sum;
  }

  Five lowest() {
    Five u{};
    std::array<Five, 5> h{};
    const Real soft = 1e-9L;
    const auto reset = [&] {
      h = {};
      for (int i = 0; i < 5; ++i) h[i][i] = soft;
    };
    reset();
    Five g = gradient(u);
    const Real goal = 1e-10L * std::sqrt(dot(load_, load_));
    for (int pass = 0; pass < 2000 && std::sqrt(dot(g, g)) > goal; ++pass) {
      Five p{};
      for (int i = 0; i < 5; ++i) p[i] = -dot(h[i], g);
      if (dot(p, g) >= 0) {
        reset();
        for (int i = 0; i < 5; ++i) p[i] = -soft * g[i];
      }
      // A step that lowers the energy and flattens the slope (Wolfe), by bisection.
      Real low = 0, high = 0, t = 1;
      const Real e = energy(u), slope = dot(g, p);
      Five next{}, next_g{};
      for (int tries = 0; tries < 80; ++tries) {
        for (int i = 0; i < 5; ++i) next[i] = u[i] + t * p[i];
        next_g = gradient(next);
        if (energy(next) > e + 1e-4L * t * slope) {
          high = t;
        } else if (dot(next_g, p) < 0.5L * slope) {
          low = t;
        } else {
          break;
        }
        t = high > 0 ? (low + high) / 2 : 2 * t;
      }
      Five s{}, y{};
      for (int i = 0; i < 5; ++i) {
        s[i] = next[i] - u[i];
        y[i] = next_g[i] - g[i];
      }
      u = next;
      g = next_g;
      const Real sy = dot(s, y);
      if (sy <= 0) {
        reset();
        continue;
      }
      Five hy{};
      for (int i = 0; i < 5; ++i) hy[i] = dot(h[i], y);
      const Real yhy = dot(y, hy);
      for (int i = 0; i < 5; ++i) {
        for (int j = 0; j < 5; ++j) {
          h[i][j] += (1 + yhy / sy) * s[i] * s[j] / sy - (hy[i] * s[j] + s[i] * hy[j]) / sy;
        }
      }
    }
    return u;
  }

  Five load_;
  Real ki_ = 0, ko_ = 0, split_ = 0, a_ = 0, radius_ = 0;
  std::vector<Ball> balls_;
};

}  // namespace tieline::bearings::test
