#pragma once

#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tieline/plugin.h"

namespace tieline::plugin {

/// A mass on one axis under a load, with the classical Runge-Kutta method and steps of one length, but shorter ones
/// where a limit asks for it. Runs as a tool does, through plugin.h alone.
struct MassTool {
  double mass = 1.0, step = 1e-3, x = 0.0, v = 0.0;
  double ground_stiffness = 0.0;
  std::function<double(double)> load = [](double) { return 0.0; };
  bool reports_acceleration = false, can_save = false;
  std::string interface = "axle";
  /// Called before each step; true: leave the loop without a word.
  std::function<bool(tieline_session*, int id, double t)> before_step{};

  // What became of it.
  int answer = 0;
  std::string error{};
  double t = 0.0;
  int steps = 0, repeats = 0;

  void run(const tieline_options& options) {
    tieline_session* session = nullptr;
    answer = tieline_open(&options, &session);
    if (answer == TIELINE_OK) answer = run(session);
    error = tieline_error(session);
    tieline_close(session);
  }

 private:
  static int save(void* user, void* buffer, size_t, size_t* size) {
    const auto* const self = static_cast<MassTool*>(user);
    const std::array<double, 2> state{self->x, self->v};
    *size = sizeof state;
    if (buffer != nullptr) std::memcpy(buffer, state.data(), sizeof state);
    return 0;
  }
  static int restore(void* user, const void* bytes, size_t size, double time) {
    auto* const self = static_cast<MassTool*>(user);
    std::array<double, 2> state{};
    if (size != sizeof state) return 1;
    std::memcpy(state.data(), bytes, sizeof state);
    self->x = state[0], self->v = state[1], self->t = time;
    return 0;
  }

  int run(tieline_session* session) {
    int id = -1;
    tieline_info info{};
    info.size = sizeof info;
    if (int s = tieline_get_info(session, &info); s < 0) return s;
    t = info.start;
    if (int s = tieline_register(session, interface.c_str(), TIELINE_TRANSLATION, TIELINE_FORCE_IN, 1, &id); s < 0)
      return s;
    if (can_save) tieline_set_snapshot(session, &save, &restore, this);
    if (int s = tieline_set_motion(session, id, t, x, v); s < 0) return s;
    if (reports_acceleration) tieline_set_acceleration(session, id, t, (load(t) - ground_stiffness * x) / mass);
    int status = tieline_start(session);
    while (status == TIELINE_CONTINUE || status == TIELINE_REPEAT) {
      if (status == TIELINE_REPEAT) ++repeats;
      if (before_step && before_step(session, id, t)) return 0;
      double limit = 0.0;
      if (status = tieline_step_limit(session, t, &limit); status != TIELINE_OK) break;
      const double end = std::min(t + step, limit);
      if (status = take_step(session, id, end); status != TIELINE_OK) break;
      ++steps;
      if (status = tieline_set_motion(session, id, end, x, v); status != TIELINE_OK) break;
      if (reports_acceleration) {
        double force = 0.0;
        if (status = tieline_get_force(session, id, end, v, &force); status != TIELINE_OK) break;
        tieline_set_acceleration(session, id, end, (force + load(end) - ground_stiffness * x) / mass);
      }
      t = end;
      status = tieline_sync(session, end);
    }
    return status;
  }

  int take_step(tieline_session* session, int id, double end) {
    const double h = end - t;
    std::array<double, 4> dx{}, dv{};
    constexpr std::array<double, 4> kNodes{0.0, 0.5, 0.5, 1.0};
    for (std::size_t k = 0; k < 4; ++k) {
      const double c = kNodes[k] * h;
      const double xs = k == 0 ? x : x + c * dx[k - 1], vs = k == 0 ? v : v + c * dv[k - 1];
      const double stage = k == 3 ? end : t + c;
      double force = 0.0;
      if (int s = tieline_get_force(session, id, stage, vs, &force); s != TIELINE_OK) return s;
      dx[k] = vs;
      dv[k] = (force + load(stage) - ground_stiffness * xs) / mass;
    }
    x += h / 6.0 * (dx[0] + 2.0 * dx[1] + 2.0 * dx[2] + dx[3]);
    v += h / 6.0 * (dv[0] + 2.0 * dv[1] + 2.0 * dv[2] + dv[3]);
    return TIELINE_OK;
  }
};

}  // namespace tieline::plugin
