#pragma once

#include <string>

#include "core/port.hpp"
#include "lines/delivery_ring.hpp"
#include "lines/windows.hpp"

namespace tieline::lines {

/// A delayed signal from an output to an input.
struct SignalSpec {
  std::string name{};
  int from_node = 0;
  int to_node = 0;
  core::Port* from_port = nullptr;
  core::Port* to_port = nullptr;
  double delay = 0.0;  ///< [s]
  int tag = 0;         ///< the caller's number, given back in SignalOutcome
};

struct SignalOutcome {
  int tag = 0;  ///< the caller's number of the signal
  Traffic traffic{};
};

/// A running delayed signal. Its ends may live in different processes, as those of a line.
struct Signal {
  Signal(const SignalSpec& signal_spec, const ScheduledDelay& signal_delay);
  void start(const core::TimeGrid& grid);
  void send_first(const core::TimeGrid& grid);
  bool send(Tick end_tick, double end_time);
  void receive(const core::TimeGrid& grid);

  /// Shows an archive the state of one end, without its port's track.
  template <class Archive>
  void visit_end(bool is_to, Archive& archive) {
    if (is_to) {
      archive(scale);
    } else {
      archive(traffic);
    }
  }

  SignalSpec spec;
  ScheduledDelay delay;
  DeliveryRing ring{};
  Traffic traffic{};
  double scale = 0.0;  ///< largest |value| seen: what a break is measured against
};

}  // namespace tieline::lines
