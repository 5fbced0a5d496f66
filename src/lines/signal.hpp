#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/port.hpp"
#include "core/relation.hpp"
#include "coupling/swings.hpp"
#include "lines/connection.hpp"

namespace tieline::lines {

/// A delayed signal from an output to an input: of one number, or of several, each of which is a port at either end.
struct SignalSpec {
  std::string name{};
  int from_node = 0;
  int to_node = 0;
  std::span<core::Port> from{};
  std::span<core::Port> to{};  ///< as many as `from`
  double delay = 0.0;          ///< [s]
  /// By number: what the input is until the delay has passed. NaN or absent: what the output is at the start.
  std::vector<double> starts{};
  /// By number: what is made of it on the way, by the sender; absent: nothing.
  std::vector<core::Relation> relations{};
};

/// A running delayed signal. Several of them may leave one output, which is therefore emptied when all have sent.
class Signal final : public Connection {
 public:
  Signal(const SignalSpec& spec, const core::TimeGrid& grid);

  [[nodiscard]] bool uses(Section section) const override { return section == Section::signals; }
  [[nodiscard]] std::string end_name(bool is_to) const override;
  void set_capacities(std::size_t from_capacity, std::size_t to_capacity) override;
  void start(const core::TimeGrid& grid) override;
  void send_first(const core::TimeGrid& grid) override;
  [[nodiscard]] bool send(bool is_to, Tick end_tick, const core::Window& window) override;
  void clear_outboxes(bool is_to) override;
  void receive(bool is_to, const core::TimeGrid& grid) override;
  void put(Section section, bool is_to, transport::Encoder& encoder) override;
  void take(Section section, bool is_to, WindowReader& window) override;
  void save_end(const EndPart& part, StateWriter& state) override;
  void restore_end(const EndPart& part, const core::TimeGrid& grid, StateReader& state) override;
  [[nodiscard]] ConnectionOutcome outcome() const override;
  void describe(transport::ConnectionMessage& message) const override;

 private:
  /// One number of it.
  struct Member {
    core::Port* from = nullptr;
    core::Port* to = nullptr;
    DeliveryRing outgoing{};
    Traffic traffic{};
    core::Relation relation{};
    double start = 0.0;  ///< until the delay has passed; NaN: as the output is at the start
    double scale = 0.0;  ///< largest |value| seen: what a break is measured against
    coupling::Swings swings{};
  };
  template <class Archive>
  void visit_end(const EndPart& part, Archive& archive);

  std::vector<Member> members_;
};

}  // namespace tieline::lines
