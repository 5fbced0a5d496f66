#include "report/motion.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numbers>
#include <unordered_map>
#include <variant>

#include "results/table_cursor.hpp"

namespace tieline::report {
namespace {

using core::bad_input;

using results::ResultReader;

constexpr std::size_t kReadBytes = std::size_t{1} << 20;
/// Numbers that a page may hold: browsers bound the length of a text to about half a gigabyte.
constexpr std::size_t kMostNumbers = 80'000'000;
/// Of the rows of a break the last one counts.
constexpr std::size_t kLastSide = std::numeric_limits<std::size_t>::max();

/// Columns of a table that go into a frame, one behind the other.
struct ColumnRun {
  std::vector<std::size_t> columns{};
  std::size_t place = 0;  ///< in the frame
  bool is_orientation = false;
  bool is_largest = false;  ///< one number in the frame: the largest of all
};

/// What is read from one table.
struct TablePlan {
  std::size_t table = 0;
  results::TimeSpan span{};
  std::vector<ColumnRun> runs{};
};

/// Works out which columns of which tables are needed, and where they go in a frame.
class Planner {
 public:
  Planner(const ResultReader& reader, Motion& motion) : reader_(reader), motion_(motion) {}

  core::Result<void> add(const results::ComponentScene& component) {
    const auto tables = reader_.tables();
    const auto table =
        std::find_if(tables.begin(), tables.end(), [&](const auto& info) { return info.owner == component.component; });
    if (table == tables.end()) {
      note("nothing of component '{}' was recorded", component.component);
      return {};
    }
    TablePlan plan{.table = static_cast<std::size_t>(table - tables.begin())};
    const auto span = reader_.span(plan.table);
    if (!span) return span.error();
    if (!*span) {
      note("component '{}' has no results yet", component.component);
      return {};
    }
    plan.span = **span;
    columns_.clear();
    for (std::size_t i = 0; i < table->columns.size(); ++i) columns_.emplace(table->columns[i].name, i);
    for (const core::SceneBody& body : component.scene.bodies) {
      add_thing(component, body.name, {body.name + ".position", body.name + ".orientation"}, plan, motion_.bodies,
                is_ball(body));
      if (is_ball(body)) add_load(component, body, plan);
    }
    for (const std::string& interface : component.scene.interfaces) {
      add_thing(component, interface, {interface + ".position", interface + ".force"}, plan, motion_.interfaces);
    }
    for (const core::SceneCurve& curve : component.scene.curves) {
      std::vector<std::string> quantities;
      for (const std::string& point : curve.points) quantities.push_back(point + ".position");
      add_thing(component, curve.name, quantities, plan, motion_.curves);
    }
    if (!plan.runs.empty()) plans.push_back(std::move(plan));
    return {};
  }

  std::vector<TablePlan> plans{};

 private:
  template <class... Values>
  void note(fmt::format_string<Values...> format, Values&&... values) {
    motion_.notes.push_back(fmt::format(format, std::forward<Values>(values)...));
  }

  /// A ball looks the same from everywhere: its orientation need be neither computed nor recorded.
  static bool is_ball(const core::SceneBody& body) {
    return body.points.empty() && std::all_of(body.shapes.begin(), body.shapes.end(), [](const core::Shape& shape) {
             return std::holds_alternative<core::Sphere>(shape.solid) && shape.pose.position.isZero(0.0);
           });
  }

  /// Adds a thing of which several quantities are needed, or notes that one was not recorded.
  void add_thing(const results::ComponentScene& component, const std::string& name,
                 const std::vector<std::string>& quantities, TablePlan& plan, std::vector<Motion::Place>& places,
                 bool may_lack_orientation = false) {
    const std::size_t first = motion_.width;
    std::vector<ColumnRun> runs;
    std::size_t next = first;
    for (const std::string& quantity : quantities) {
      ColumnRun run{.place = next, .is_orientation = quantity.ends_with(".orientation")};
      if (run.is_orientation && may_lack_orientation && !columns_.contains(quantity + ".w")) {
        next += 4;
        runs.push_back(std::move(run));
        continue;
      }
      for (const char* axis : {".w", ".x", ".y", ".z"}) {
        if (axis[1] == 'w' && !run.is_orientation) continue;
        const auto column = columns_.find(quantity + axis);
        if (column == columns_.end()) {
          note("'{}.{}' is not shown: '{}{}' was not recorded", component.component, name, quantity, axis);
          return;
        }
        run.columns.push_back(column->second);
      }
      next += run.columns.size();
      runs.push_back(std::move(run));
    }
    plan.runs.insert(plan.runs.end(), runs.begin(), runs.end());
    places.push_back({component.component + "." + name, first});
    motion_.width = next;
  }

  /// What a body carries is the largest force of its contacts, recorded as NAME.CONTACT.force.
  void add_load(const results::ComponentScene& component, const core::SceneBody& body, TablePlan& plan) {
    ColumnRun run{.place = motion_.width, .is_largest = true};
    for (const char* contact : {"inner", "outer"}) {
      const auto column = columns_.find(fmt::format("{}.{}.force", body.name, contact));
      if (column != columns_.end()) run.columns.push_back(column->second);
    }
    if (run.columns.empty()) return;
    plan.runs.push_back(std::move(run));
    motion_.loads.push_back({component.component + "." + body.name, motion_.width++});
  }

  const ResultReader& reader_;
  Motion& motion_;
  std::unordered_map<std::string, std::size_t> columns_{};  ///< of the table at hand, by name
};

/// The times that all tables have, within those asked for.
core::Result<void> choose_times(std::span<const TablePlan> plans, const MotionOptions& options, Motion& motion) {
  double first = -std::numeric_limits<double>::infinity(), last = -first;
  for (const TablePlan& plan : plans) {
    first = std::max(first, plan.span.first);
    last = std::min(last, plan.span.last);
  }
  if (last < first) return bad_input("the components that are to be shown have no time in common yet");
  motion.start = options.from.value_or(first);
  motion.end = options.to.value_or(last);
  if (motion.start > motion.end) {
    return bad_input(
        fmt::format("the animation would start at {:g} s, after its end at {:g} s; the results go from "
                    "{:g} s to {:g} s",
                    motion.start, motion.end, first, last));
  }
  if (motion.start > last || motion.end < first) {
    return bad_input(fmt::format("there is nothing from {:g} s to {:g} s: the results go from {:g} s to {:g} s",
                                 motion.start, motion.end, first, last));
  }
  motion.start = std::max(motion.start, first);
  motion.end = std::min(motion.end, last);
  motion.count = motion.end > motion.start ? std::max<std::size_t>(options.frames, 2) : 1;
  return {};
}

/// On the rows that the cursor stands on (the side, where it is a break), or between those and the last before.
Eigen::Quaterniond orientation_at(const results::TableCursor& cursor, std::span<const std::size_t> columns, double t,
                                  std::size_t side) {
  const auto at_row = [&](double row_time, std::size_t row_side) {
    const auto part = [&](std::size_t i) { return cursor.value(columns[i], row_time, row_side); };
    return Eigen::Quaterniond(part(0), part(1), part(2), part(3)).normalized();
  };
  if (t == cursor.time()) return at_row(t, side);
  const double before = cursor.time_before();
  return at_row(before, 0).slerp((t - before) / (cursor.time() - before), at_row(cursor.time(), 0));
}

/// Whether a body turns so far from one frame to the next that the shorter turn between them is not the true one.
class TurnWatch {
 public:
  /// Of each row between frames, and of each frame.
  void turn_to(const Eigen::Quaterniond& orientation) {
    if (last_) since_frame_ += last_->angularDistance(orientation);
    last_ = orientation;
  }
  void end_frame() {
    largest_ = std::max(largest_, since_frame_);
    since_frame_ = 0.0;
  }
  [[nodiscard]] double largest() const { return largest_; }  ///< turn between two frames [rad]

 private:
  std::optional<Eigen::Quaterniond> last_{};
  double since_frame_ = 0.0;
  double largest_ = 0.0;
};

/// Fills in the values of one table, in one walk through it.
core::Result<void> read_table(const ResultReader& reader, const TablePlan& plan, Motion& motion) {
  std::vector<TurnWatch> watches(plan.runs.size());
  results::TableCursor cursor(reader, plan.table, kReadBytes);
  if (auto started = cursor.start(); !started) return started;
  for (std::size_t i = 0; i < motion.count; ++i) {
    const double t = motion.time_of(i);
    while (!cursor.is_at_end() && cursor.time() < t) {
      for (std::size_t j = 0; i > 0 && j < plan.runs.size(); ++j) {
        if (!plan.runs[j].is_orientation || plan.runs[j].columns.empty()) continue;
        watches[j].turn_to(orientation_at(cursor, plan.runs[j].columns, cursor.time(), kLastSide));
      }
      if (auto moved = cursor.next(); !moved) return moved;
    }
    if (!cursor.covers(t)) {
      return bad_input(fmt::format("'{}' has changed while it was read: try again", reader.path().string()));
    }
    float* const frame = motion.values.data() + i * motion.width;
    for (std::size_t r = 0; r < plan.runs.size(); ++r) {
      const ColumnRun& run = plan.runs[r];
      if (run.is_orientation && run.columns.empty()) {
        frame[run.place] = 1.0F;
        continue;
      }
      if (run.is_orientation) {
        const Eigen::Quaterniond turn = orientation_at(cursor, run.columns, t, kLastSide);
        float* place = frame + run.place;
        for (const double part : {turn.w(), turn.x(), turn.y(), turn.z()}) *place++ = static_cast<float>(part);
        watches[r].turn_to(turn);
        watches[r].end_frame();
        continue;
      }
      if (run.is_largest) {
        double largest = 0.0;
        for (const std::size_t column : run.columns) {
          largest = std::max(largest, std::abs(cursor.value(column, t, kLastSide)));
        }
        frame[run.place] = static_cast<float>(largest);
        continue;
      }
      for (std::size_t j = 0; j < run.columns.size(); ++j) {
        frame[run.place + j] = static_cast<float>(cursor.value(run.columns[j], t, kLastSide));
      }
    }
  }
  for (std::size_t r = 0; r < plan.runs.size(); ++r) {
    if (watches[r].largest() <= std::numbers::pi) continue;
    const auto body = std::find_if(motion.bodies.begin(), motion.bodies.end(),
                                   [&](const auto& place) { return place.column + 3 == plan.runs[r].place; });
    motion.notes.push_back(
        fmt::format("'{}' makes up to {:.2g} turns between two frames, so its rotation is not shown correctly: use "
                    "more frames, or a shorter part of the run",
                    body->name, watches[r].largest() / (2.0 * std::numbers::pi)));
  }
  return {};
}

}  // namespace

double Motion::time_of(std::size_t frame) const {
  if (frame + 1 >= count) return end;
  return start + (end - start) * static_cast<double>(frame) / static_cast<double>(count - 1);
}

core::Result<Motion> sample_motion(const ResultReader& reader, const results::RunScene& scene,
                                   const MotionOptions& options) {
  Motion motion;
  Planner planner(reader, motion);
  for (const results::ComponentScene& component : scene.components) {
    if (auto added = planner.add(component); !added) return added.error();
  }
  if (motion.bodies.empty() && motion.curves.empty()) {
    std::string message = fmt::format("'{}' contains no motion of a body to show", reader.path().string());
    for (const std::string& note : motion.notes) message += "; " + note;
    return bad_input(std::move(message));
  }
  if (auto chosen = choose_times(planner.plans, options, motion); !chosen) return chosen.error();
  if (motion.count > kMostNumbers / motion.width) {
    return bad_input(fmt::format("{} frames of {} numbers are too many for a browser (at most {}): use fewer frames",
                                 motion.count, motion.width, kMostNumbers));
  }
  motion.values.resize(motion.count * motion.width);
  for (const TablePlan& plan : planner.plans) {
    if (auto read = read_table(reader, plan, motion); !read) return read.error();
  }
  return motion;
}

}  // namespace tieline::report
