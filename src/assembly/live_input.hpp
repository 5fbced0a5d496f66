#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assembly/checked_model.hpp"
#include "assembly/open_ends.hpp"
#include "core/port_feed.hpp"
#include "core/result.hpp"

/// Inputs that a program sets while a run stands between two advances.
namespace tieline::assembly {

/// One number at an open interface: what the model states there, or a constant from the time on at which it was set.
///
/// The port's track ends wherever the last run of the engine has, never beyond, so that a new value begins with a break
/// at that time. `set` and `release` between runs; the rest as for any feed.
class LiveInput final : public core::PortFeed {
 public:
  /// What the model prescribes; zero without a function and with an empty track.
  struct Stated {
    std::unique_ptr<core::PortFeed> function{};  ///< draws the track; null if the track is whole
    wave::Track track{};
  };
  LiveInput(Stated stated, double start);

  /// From now on `value`, changing by `rate` per second.
  void set(double value, double rate = 0.0);
  /// Back to what the model states.
  void release();

  core::Result<void> extend(wave::Track& track, double until) override;
  [[nodiscard]] bool is_live() const override { return true; }
  void save(core::ArchiveWriter& archive) const override;
  void restore(core::ArchiveReader& archive) override;

 private:
  core::Result<void> draw_stated(double until);
  [[nodiscard]] wave::Knot stated_at(double t) const;
  void copy_stated(wave::Track& track, double until) const;

  Stated stated_;
  double start_ = 0.0;             ///< [s]
  std::optional<double> value_{};  ///< none: what the model states
  double rate_ = 0.0;              ///< of the value [1/s]
  double since_ = 0.0;             ///< when it had that value [s]
  bool is_changed_ = false;        ///< since the track was drawn last
};

/// The numbers of an open interface, or the one that the name ends with ("y[2]"), by the names that `set_input` takes.
/// An error names the nearest open interface, or what joins it.
[[nodiscard]] core::Result<std::vector<std::string>> live_names(const CheckedModel& checked, std::string_view name);

/// The open interface in space of that name; nothing if there is none.
[[nodiscard]] std::optional<model::Endpoint> space_named(const CheckedModel& checked, std::string_view name);

/// The name of number k (from 0) of an end: "c.force", "c.y[2]".
[[nodiscard]] std::string number_name(const CheckedModel& checked, const model::Endpoint& end, std::size_t k);

/// An end for each of these numbers for which the model states nothing.
[[nodiscard]] std::vector<PrescribedEnd> unstated_ends(const CheckedModel& checked,
                                                       const std::vector<std::string>& live);

}  // namespace tieline::assembly
