// What open ends give interfaces in space: functions of time, columns of a file, or what an earlier run recorded of a
// body, a frame or an interface.

#include "assembly/open_ends_in_space.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "core/name_list.hpp"
#include "document/expression.hpp"

namespace tieline::assembly {
namespace {

using document::Diagnostics;
using document::Element;
using model::OpenEnd;

// A quaternion of numbers that were rounded in a file is a unit quaternion to this.
constexpr double kUnitLength = 1e-3;
constexpr double kSamePlace = 1e-10;  ///< [m, below one metre of it; rad]
constexpr double kLargestTurn = 1.0;  ///< between two rows [rad]

/// A number of a record: what it is called behind its owner's name, and its unit.
struct RecordedPart {
  const char* suffix = "";
  const char* unit = "";
};
constexpr std::array<RecordedPart, 6> kWrench{{{".force.x", "N"},
                                               {".force.y", "N"},
                                               {".force.z", "N"},
                                               {".torque.x", "N m"},
                                               {".torque.y", "N m"},
                                               {".torque.z", "N m"}}};
constexpr std::array<RecordedPart, 13> kMotion{{{".position.x", "m"},
                                                {".position.y", "m"},
                                                {".position.z", "m"},
                                                {".orientation.w", "1"},
                                                {".orientation.x", "1"},
                                                {".orientation.y", "1"},
                                                {".orientation.z", "1"},
                                                {".velocity.x", "m/s"},
                                                {".velocity.y", "m/s"},
                                                {".velocity.z", "m/s"},
                                                {".angular_velocity.x", "rad/s"},
                                                {".angular_velocity.y", "rad/s"},
                                                {".angular_velocity.z", "rad/s"}}};
constexpr std::array<std::size_t, 4> kMotionCounts{3, 6, 7, 13};
constexpr std::array<std::size_t, 2> kWrenchCounts{3, 6};

/// Reads one open end.
class SpaceReader {
 public:
  SpaceReader(const OpenEnd& open, const std::string& name, RecordReader& records, Diagnostics& diagnostics)
      : open_(open), element_(open.declaration), name_(name), records_(records), diagnostics_(diagnostics) {}

  bool read(PrescribedEnd& end) {
    end.is_in_space = true;
    if (element_.get("as") == "fixed") return true;
    const int sources = int(element_.has("value")) + int(element_.has("file")) + int(element_.has("results"));
    if (sources != 1 || (element_.has("results") && !element_.has("variable"))) {
      return report(element_.place(), fmt::format("as=\"{}\" needs exactly one of: value, file, or results with "
                                                  "variable",
                                                  element_.get("as")));
    }
    if (element_.has("join") && (element_.has("value") || end.gives_motion)) {
      return report(element_.place_of("join"),
                    "'join' is for rows of forces: functions have none, and a motion is smooth between its rows");
    }
    if (element_.has("value")) return read_functions(end);
    return end.gives_motion ? read_motion(end) : read_wrench(end);
  }

 private:
  bool report(const document::Place& place, const std::string& problem) {
    diagnostics_.error(place, problem);
    return false;
  }

  bool read_functions(PrescribedEnd& end) {
    const auto entries = document::split_list(element_.get("value"));
    if (entries.size() != 3 && entries.size() != 6) {
      return report(element_.place_of("value"),
                    fmt::format("'value' has {} entries, but '{}' is in space; expected three ({}) or six (and {})",
                                entries.size(), name_, end.gives_motion ? "x, y, z" : "the force",
                                end.gives_motion ? "three angles" : "the torque"));
    }
    for (std::size_t k = 0; k < 6; ++k) {
      auto function = document::TimeFunction::compile(k < entries.size() ? entries[k] : "0", element_.place_of("value"),
                                                      open_.scope, {}, {}, diagnostics_);
      if (!function) return false;
      if (end.gives_motion) {
        end.path.push_back(std::move(*function));
      } else {
        end.sources.push_back({.function = std::move(function)});
      }
    }
    return true;
  }

  /// How many numbers the record has, of those that are possible; 0, with a report, where it has another count. One
  /// variable is the name of what has all of them.
  std::size_t count_numbers(std::span<const std::size_t> possible, std::size_t whole) {
    const std::size_t listed = core::split_names(element_.get("variable")).size();
    const std::size_t count = listed > 0 ? listed : records_.value_columns(open_);
    if (listed == 1) return whole;
    if (std::find(possible.begin(), possible.end(), count) != possible.end()) return count;
    const bool is_motion = whole == kMotion.size();
    if (count > 0 || listed > 0) {
      report(element_.place_of(listed > 0 ? "variable" : "file"),
             fmt::format("'{}' is in space: expected {}, or the name of what was recorded with all of these; found {} "
                         "{}",
                         name_,
                         is_motion ? "x, y, z; or these and three angles; or these and a quaternion w, x, y, z; or "
                                     "these, velocity and angular velocity"
                                   : "a force x, y, z; or these and a torque x, y, z",
                         count, listed > 0 ? "variables" : "columns"));
    }
    return 0;
  }

  /// The numbers of the record, each in its unit, all at the same times.
  std::optional<std::vector<interchange::InputFile::Samples>> read_numbers(std::span<const RecordedPart> parts) {
    const bool is_whole = core::split_names(element_.get("variable")).size() == 1;
    const std::string owner = is_whole ? listed_name(element_, "variable", 0) : "";
    std::vector<interchange::InputFile::Samples> numbers;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      RecordedNumber number{.member = k, .unit = parts[k].unit, .name = name_};
      if (is_whole) number.variable = owner + parts[k].suffix;
      auto samples = records_.read_samples(open_, number);
      if (!samples) return std::nullopt;
      numbers.push_back(std::move(*samples));
      if (numbers.back().times == numbers.front().times) continue;
      report(element_.place_of("variable"),
             fmt::format("the variables for '{}' were not recorded at the same times", name_));
      return std::nullopt;
    }
    return numbers;
  }

  bool read_wrench(PrescribedEnd& end) {
    const std::size_t count = count_numbers(kWrenchCounts, kWrench.size());
    const auto numbers = read_numbers(std::span(kWrench).first(count));
    if (count == 0 || !numbers) return false;
    const std::string join = element_.get("join");
    const RowJoin rows = join == "hold"                                               ? RowJoin::hold
                         : join == "cubic" || (join.empty() && !element_.has("file")) ? RowJoin::cubic
                                                                                      : RowJoin::linear;
    for (const auto& samples : *numbers) {
      PrescribedEnd::Source source;
      source.track = track_of_rows(samples.times, samples.values, rows, true);
      end.first_time = samples.times.front(), end.last_time = samples.times.back();
      end.sources.push_back(std::move(source));
    }
    return true;
  }

  bool read_motion(PrescribedEnd& end) {
    const std::size_t count = count_numbers(kMotionCounts, kMotion.size());
    if (count == 0) return false;
    constexpr RecordedPart kLength{"", "m"}, kAngle{"", "rad"};
    constexpr std::array<RecordedPart, 6> kAngles{kLength, kLength, kLength, kAngle, kAngle, kAngle};
    const auto numbers =
        read_numbers(count == 6 ? std::span<const RecordedPart>(kAngles) : std::span(kMotion).first(count));
    if (!numbers) return false;
    std::vector<core::MotionRow> rows;
    const std::vector<double>& times = numbers->front().times;
    for (std::size_t i = 0; i < times.size(); ++i) {
      const auto three = [&](std::size_t first) {
        return Eigen::Vector3d((*numbers)[first].values[i], (*numbers)[first + 1].values[i],
                               (*numbers)[first + 2].values[i]);
      };
      core::MotionRow row{.t = times[i]};
      row.pose.position = three(0);
      if (count == 6) row.pose.orientation = core::rotation_from_angles(three(3));
      if (count >= 7) {
        const Eigen::Quaterniond q((*numbers)[3].values[i], (*numbers)[4].values[i], (*numbers)[5].values[i],
                                   (*numbers)[6].values[i]);
        if (!(std::abs(q.norm() - 1.0) <= kUnitLength)) return report_no_rotation(times[i], q);
        row.pose.orientation = q.normalized();
      }
      if (count == 13) row.velocity = three(7), row.angular_velocity = three(10);
      // Of what was recorded twice at one time, such as at a jump of velocity, it goes on from the second row.
      if (!rows.empty() && rows.back().t >= row.t) {
        if (!is_same_place(rows.back().pose, row.pose)) return report_jump(row.t);
        rows.pop_back();
      }
      if (!rows.empty() && !turns_little(rows.back(), row, count == 13)) return false;
      rows.push_back(row);
    }
    end.first_time = rows.front().t, end.last_time = rows.back().t;
    end.motion = std::make_shared<const core::MotionTrack>(std::move(rows), count == 13);
    return true;
  }

  static bool is_same_place(const core::Pose& a, const core::Pose& b) {
    const double size = std::max({1.0, a.position.norm(), b.position.norm()});
    return (a.position - b.position).norm() <= kSamePlace * size && turn_between(a, b) <= kSamePlace;
  }

  static double turn_between(const core::Pose& a, const core::Pose& b) {
    return core::rotation_vector(b.orientation * a.orientation.conjugate()).norm();
  }

  /// Orientations between rows further apart are not what was recorded, and a whole turn would not be seen.
  bool turns_little(const core::MotionRow& from, const core::MotionRow& to, bool has_rates) {
    double turn = turn_between(from.pose, to.pose);
    if (has_rates)
      turn = std::max(turn, std::max(from.angular_velocity.norm(), to.angular_velocity.norm()) * (to.t - from.t));
    if (turn <= kLargestTurn) return true;
    return report(place_of_record(),
                  fmt::format("between t = {:g} s and {:g} s the motion recorded for '{}' turns by {:g} rad; expected "
                              "rows closer together, at most {:g} rad apart",
                              from.t, to.t, name_, turn, kLargestTurn));
  }

  bool report_jump(double t) {
    return report(place_of_record(),
                  fmt::format("the motion of '{}' jumps at t = {:g} s, which a place cannot: two rows at one time "
                              "have different places",
                              name_, t));
  }

  [[nodiscard]] document::Place place_of_record() const {
    return element_.place_of(element_.has("file") ? "file" : "variable");
  }

  bool report_no_rotation(double t, const Eigen::Quaterniond& q) {
    return report(place_of_record(),
                  fmt::format("the orientation recorded for '{}' at t = {:g} s, ({:g}, {:g}, {:g}, {:g}), is no "
                              "rotation: its length is {:g}, expected a quaternion w, x, y, z of length 1",
                              name_, t, q.w(), q.x(), q.y(), q.z(), q.norm()));
  }

  const OpenEnd& open_;
  const Element& element_;
  const std::string& name_;
  RecordReader& records_;
  Diagnostics& diagnostics_;
};

}  // namespace

bool read_in_space(const OpenEnd& open, const std::string& name, RecordReader& records, Diagnostics& diagnostics,
                   PrescribedEnd& end) {
  return SpaceReader(open, name, records, diagnostics).read(end);
}

}  // namespace tieline::assembly
