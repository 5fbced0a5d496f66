#include "reporting/component_times.hpp"

#include <algorithm>
#include <thread>

namespace tieline::reporting {
namespace {

void scale_work(core::Statistics& s, double factor) {
  s.seconds_total *= factor, s.seconds_rhs *= factor, s.seconds_jacobian *= factor, s.seconds_writing *= factor;
}

}  // namespace

void gather_systems(const assembly::Assembly& assembly, results::RunReport& report) {
  for (const assembly::SystemPlace& place : assembly.systems) {
    results::SystemReport system{.name = place.name};
    for (const int index : place.components) {
      results::ComponentReport& member = report.components[static_cast<std::size_t>(index)];
      system.components.push_back(member.name);
      system.window = member.window;
      // All of them wait together.
      const double waiting = std::max(system.statistics.seconds_waiting, member.statistics.seconds_waiting);
      system.statistics.add(member.statistics);
      system.statistics.seconds_waiting = waiting;
      member.system = place.name;
    }
    for (const int index : place.components) {
      core::Statistics& own = report.components[static_cast<std::size_t>(index)].statistics;
      core::Statistics kept{.solver = system.statistics.solver};
      if (place.has_own_steps) kept.steps = own.steps, kept.events = own.events;
      own = std::move(kept);
    }
    report.systems.push_back(std::move(system));
  }
}

void limit_times(const assembly::CheckedModel& checked, const assembly::Assembly& assembly, int threads,
                 results::RunReport& report) {
  const double wall = report.wall_seconds;
  std::vector<core::Statistics*> here;  // what is computed in this process
  const auto limit = [&](core::Statistics& s, int node) {
    s.seconds_waiting = std::min(s.seconds_waiting, wall);
    const double most = wall - s.seconds_waiting;
    if (s.seconds_total > most) scale_work(s, most / s.seconds_total);
    if (!assembly.engine->is_remote(node)) here.push_back(&s);
  };
  for (std::size_t i = 0; i < report.components.size(); ++i)
    limit(report.components[i].statistics, checked.node_of_component[i]);
  for (std::size_t i = 0; i < report.systems.size(); ++i) {
    const int first = assembly.systems[i].components.front();
    limit(report.systems[i].statistics, checked.node_of_component[static_cast<std::size_t>(first)]);
  }
  const auto cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const double most = wall * (threads > 0 ? threads : cores);
  double sum = 0.0;
  for (const core::Statistics* s : here) sum += s->seconds_total;
  if (sum <= most) return;
  for (core::Statistics* s : here) scale_work(*s, most / sum);
}

}  // namespace tieline::reporting
