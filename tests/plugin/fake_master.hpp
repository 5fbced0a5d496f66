#pragma once

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <mutex>
#include <string>
#include <unistd.h>
#include <vector>

#include "tieline/plugin.h"

#include "engine/engine.hpp"
#include "lines/driven_inputs.hpp"
#include "lines/line.hpp"
#include "lines/signal.hpp"
#include "lines/spatial_line.hpp"
#include "participant/fleet.hpp"
#include "participant/tool_component.hpp"
#include "support/temporary_folder.hpp"
#include "transport/link_setup.hpp"

namespace tieline::plugin {

/// The master of a run whose only components are tools, in the same process: it invites, starts lines, hands over
/// states and lets everybody run, as the real one does.
class FakeMaster {
 public:
  explicit FakeMaster(std::vector<transport::Setup> setups, participant::FleetSettings settings = {}) {
    settings.folder = folder_.path();
    settings.on_note = [this](const std::string& line) {
      const std::lock_guard lock(mutex_);
      notes_.push_back(line);
    };
    settings.on_rows = [this](std::size_t, const transport::Rows& rows) -> core::Result<void> {
      const std::lock_guard lock(mutex_);
      auto& table = tables_[rows.table];
      table.insert(table.end(), rows.numbers.begin(), rows.numbers.end());
      return {};
    };
    std::vector<participant::Invitee> invitees;
    for (const auto& setup : setups) invitees.push_back({.name = setup.component, .setup = setup});
    setups_ = std::move(setups);
    auto launched = participant::Fleet::launch(std::move(settings), std::move(invitees));
    EXPECT_TRUE(launched);
    fleet_ = std::move(*launched);
    for (const auto& setup : setups_) read_invitation(setup.component);
  }
  ~FakeMaster() { fleet_.reset(); }

  [[nodiscard]] tieline_options options(std::size_t member) const {
    const auto& [master, token] = invitations_[member];
    return {sizeof(tieline_options), master.c_str(), token.c_str(), setups_[member].component.c_str(), 10.0};
  }
  [[nodiscard]] participant::Fleet& fleet() { return *fleet_; }
  [[nodiscard]] engine::Engine& engine() { return *engine_; }
  [[nodiscard]] participant::ToolComponent& tool(std::size_t member) { return *tools_[member]; }
  [[nodiscard]] std::vector<double> table(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return tables_[name];
  }
  [[nodiscard]] std::vector<std::string> notes() {
    const std::lock_guard lock(mutex_);
    return notes_;
  }

  /// Waits for all tools, and stands in for them.
  void meet() {
    const auto registered = fleet_->await_registrations(nullptr);
    ASSERT_TRUE(registered) << registered.error().describe();
    for (std::size_t i = 0; i < setups_.size(); ++i) {
      tools_own_.push_back(std::make_unique<participant::ToolComponent>(participant::ToolSettings{
          .name = setups_[i].component, .declared = setups_[i].interfaces, .exact_step = setups_[i].exact_step}));
      tools_.push_back(tools_own_.back().get());
      const auto set = tools_.back()->set_first(fleet_->registration(i));
      ASSERT_TRUE(set) << set.error().describe();
    }
  }

  /// Two tools, joined in the ways that the messages say; `from` and `to` ends have the same numbers.
  void join_two(double stop, double delay, const std::vector<transport::ConnectionMessage>& connections,
                double save_interval = 0.0, double row_interval = 0.0) {
    const std::vector<double> windows{0.5 * delay};
    const std::vector<double> preferred{delay, save_interval > 0.0 ? save_interval : delay};
    grid_ = core::TimeGrid::covering(0.0, stop, windows, preferred);
    save_ticks_ = save_interval > 0.0 ? grid_.exact_ticks(save_interval).value() : 0;
    engine_ = std::make_unique<engine::Engine>(grid_, save_ticks_);
    for (auto& tool : tools_own_) engine_->add_node(std::move(tool), 0.5 * delay);
    for (const auto& connection : connections) add(connection);
    connections_ = connections;
    delay_ = delay;
    row_interval_ = row_interval;
    const auto started = engine_->start();
    ASSERT_TRUE(started) << started.error().describe();
  }

  /// Hands over, with both links through shared memory.
  void begin(const std::vector<transport::Saved>& saved = {}, core::Tick tick = 0,
             const std::vector<std::vector<std::uint64_t>>& ends = {}, const std::string& tracks_file = "") {
    auto link = transport::standard_factories().usual().offer({});
    ASSERT_TRUE(link);
    for (std::size_t i = 0; i < 2; ++i) {
      transport::Begin begin{.start = grid_.start(),
                             .stop = grid_.stop(),
                             .tick_length = grid_.tick_length(),
                             .save_interval = save_ticks_,
                             .tick = tick,
                             .length = engine_->length_of(static_cast<int>(i))};
      begin.lookahead = setups_[i].exact_step ? begin.length : std::min(2 * begin.length, *grid_.exact_ticks(delay_));
      begin.links.push_back({.number = 1,
                             .partner = setups_[1 - i].component,
                             .partner_length = engine_->length_of(static_cast<int>(1 - i)),
                             .stream = std::move((*link)[i])});
      for (auto connection : connections_) {
        connection.is_to = i == 1;
        begin.connections.push_back(connection);
      }
      begin.row_interval = row_interval_;
      if (row_interval_ > 0.0) {
        for (std::uint32_t c = 0; c < tools_[i]->columns().size(); ++c) begin.columns.push_back(c);
      }
      begin.ends = ends.empty() ? engine_->ends_of(static_cast<int>(i)) : ends[i];
      if (i == 0) begin.tracks_file = tracks_file;
      if (!saved.empty()) {
        begin.has_state = true;
        begin.state = saved[i].state;
      }
      const auto sent = fleet_->send(
          i, transport::Message::begin, [&](transport::Encoder e) { encode(e, begin); },
          transport::take_attachments(begin.links));
      ASSERT_TRUE(sent) << sent.error().describe();
    }
    for (std::size_t i = 0; i < 2; ++i) {
      const auto ready = fleet_->await(i, transport::Message::ready, {});
      ASSERT_TRUE(ready) << ready.error().describe();
    }
  }

  void go(core::Tick tick) {
    for (std::size_t i = 0; i < setups_.size(); ++i) {
      // A run that has failed already shows so where its end is awaited.
      (void)fleet_->send(i, transport::Message::go, [&](transport::Encoder e) { e.i64(tick); });
    }
  }
  /// What everybody has come to; an error if the run has failed.
  core::Result<std::vector<transport::Parked>> parked() {
    std::vector<transport::Parked> all;
    for (std::size_t i = 0; i < setups_.size(); ++i) {
      auto message = fleet_->await(i, transport::Message::parked, {});
      if (!message) return message.error();
      all.push_back(transport::decode<transport::Parked>(message->payload).value());
    }
    return all;
  }
  transport::Saved save(std::size_t member) {
    EXPECT_TRUE(fleet_->send(member, transport::Message::save, [](transport::Encoder) {}));
    const auto message = fleet_->await(member, transport::Message::saved, {});
    EXPECT_TRUE(message);
    return transport::decode<transport::Saved>(message->payload).value();
  }
  [[nodiscard]] core::Tick stop_tick() const { return grid_.stop_tick(); }
  [[nodiscard]] const core::TimeGrid& grid() const { return grid_; }

 private:
  void read_invitation(const std::string& name) {
    std::string master, token;
    // The fleet's thread writes them.
    while (token.empty()) {
      std::ifstream file(folder_.path() / (name + ".join"));
      for (std::string line; std::getline(file, line);) {
        const auto value = [&] { return line.substr(line.find('\'') + 1, line.rfind('\'') - line.find('\'') - 1); };
        if (line.find("TIELINE_MASTER") != std::string::npos) master = value();
        if (line.find("TIELINE_TOKEN") != std::string::npos && line.ends_with("'")) token = value();
      }
      std::this_thread::yield();
    }
    invitations_.emplace_back(master, token);
  }
  void add(const transport::ConnectionMessage& message) {
    using Kind = transport::ConnectionMessage::Kind;
    if (message.kind == Kind::line) {
      lines::LineSpec spec;
      spec.from_node = 0, spec.to_node = 1;
      spec.from_port = &tools_[0]->interfaces().ports_of(message.interface)[0];
      spec.to_port = &tools_[1]->interfaces().ports_of(message.interface)[0];
      spec.figures.law = {message.impedance, message.delay, message.damping};
      engine_->add_connection(std::make_unique<lines::Line>(spec, grid_));
    } else if (message.kind == Kind::space) {
      lines::SpatialLineSpec spec;
      spec.from_node = 0, spec.to_node = 1;
      spec.from = tools_[0]->interfaces().spatial(message.interface);
      spec.to = tools_[1]->interfaces().spatial(message.interface);
      spec.figures.translation.law = {message.impedance, message.delay, message.damping};
      spec.figures.rotation.law = {message.rotation_impedance, message.delay, message.rotation_damping};
      spec.figures.free_rotation = message.free;
      engine_->add_connection(std::make_unique<lines::SpatialLine>(spec, grid_));
    } else {
      lines::SignalSpec spec;
      spec.from_node = 0, spec.to_node = 1;
      spec.from = tools_[0]->interfaces().ports_of(message.interface).subspan(message.member, 1);
      spec.to = tools_[1]->interfaces().ports_of(message.interface).subspan(message.member, 1);
      spec.delay = message.delay;
      engine_->add_connection(std::make_unique<lines::Signal>(spec, grid_));
    }
  }

  support::TemporaryFolder folder_;
  std::vector<transport::Setup> setups_;
  std::vector<std::pair<std::string, std::string>> invitations_;
  std::mutex mutex_;
  std::map<std::string, std::vector<double>> tables_;
  std::vector<std::string> notes_;
  std::vector<std::unique_ptr<participant::ToolComponent>> tools_own_;
  std::vector<participant::ToolComponent*> tools_;
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<participant::Fleet> fleet_;
  core::TimeGrid grid_;
  core::Tick save_ticks_ = 0;
  double delay_ = 0.0, row_interval_ = 0.0;
  std::vector<transport::ConnectionMessage> connections_;
};

}  // namespace tieline::plugin
