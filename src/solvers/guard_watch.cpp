#include "solvers/guard_watch.hpp"

namespace tieline::solvers {

GuardWatch::GuardWatch(OdeSystem& system)
    : system_(system),
      start_values_(static_cast<std::size_t>(system.guard_count()), 0.0),
      end_values_(start_values_),
      trial_values_(start_values_),
      y_(static_cast<std::size_t>(system.size()), 0.0) {}

void GuardWatch::start(double t, std::span<const double> y) {
  is_first_step_ = true;
  if (has_guards()) system_.guards(t, y, start_values_);
}

void GuardWatch::accept(const Crossing& crossing) {
  start_values_.swap(end_values_);
  is_first_step_ = false;
  immediate_count_ = crossing.is_immediate ? immediate_count_ + 1 : 0;
}

void GuardWatch::save(core::ArchiveWriter& archive) const {
  archive.put_span(std::span<const double>(start_values_));
  archive.put(is_first_step_);
  archive.put(immediate_count_);
}

void GuardWatch::restore(core::ArchiveReader& archive) {
  archive.get_span(std::span<double>(start_values_));
  archive.get(is_first_step_);
  archive.get(immediate_count_);
}

}  // namespace tieline::solvers
