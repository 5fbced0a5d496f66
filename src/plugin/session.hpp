#pragma once

#include <array>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tieline/plugin.h"

#include "core/interface_set.hpp"
#include "core/rigid_arm.hpp"
#include "core/row_schedule.hpp"
#include "core/state_publisher.hpp"
#include "lines/track_log.hpp"
#include "plugin/joints.hpp"
#include "plugin/release.hpp"
#include "plugin/row_buffer.hpp"
#include "transport/link_setup.hpp"
#include "transport/membership.hpp"
#include "transport/messages.hpp"

namespace tieline::plugin {

/// What ends a call with an error; caught where C begins.
struct Failure {
  int status = TIELINE_ERROR_ORDER;
  std::string text{};
  std::string interface {};
  bool ends_run = true;
};
/// The run is over, or was ended by the master.
struct Stopped {};

struct OpenOptions {
  std::string master{}, token{}, component{};
  double patience = 30.0;  ///< [s]
};

struct Snapshot {
  tieline_save_function save = nullptr;
  tieline_restore_function restore = nullptr;
  void* user = nullptr;
};

/// One tool's part in a run: the functions of plugin.h, with exceptions in place of their errors.
///
/// It knows what the tool may call next, and answers the master whenever the tool waits. Two modes: free, where the
/// tool meets its partners over links (Joints), and driven, where a group at the master gives it one stretch of time
/// after another. One thread at a time, which the C functions see to.
class Session {
 public:
  explicit Session(const OpenOptions& options);
  ~Session();

  [[nodiscard]] const transport::Setup& setup() const { return setup_; }
  [[nodiscard]] std::size_t find_parameter(const std::string& name) const;

  [[nodiscard]] int register_interface(const std::string& name, int domain, int causality, int count);
  void set_snapshot(const Snapshot& snapshot);
  int start();
  [[nodiscard]] double time() const;

  [[nodiscard]] double step_limit(double t);
  [[nodiscard]] double force(int id, double t, double velocity);
  [[nodiscard]] core::Wrench force_3d(int id, double t, const core::Pose& pose, const core::SpatialMotion& motion);
  [[nodiscard]] double motion(int id, double t, double force);
  void signal(int id, double t, double* values);

  void set_motion(int id, double t, double position, double velocity);
  [[nodiscard]] core::SpaceState motion_3d(int id, double t);
  void set_force_3d(int id, double t, const core::Wrench& load);
  void set_motion_3d(int id, double t, const core::Pose& pose, const core::SpatialMotion& motion);
  void set_force(int id, double t, double position, double force);
  void set_signal(int id, double t, const double* values);
  void set_acceleration(int id, double t, double acceleration);
  void set_acceleration_3d(int id, double t, const Eigen::Vector3d& acceleration, const Eigen::Vector3d& angular);
  void set_signal_rate(int id, double t, const double* rates);
  int sync(double t);

  void count(const std::string& name, unsigned long long value);
  void report_parameter(const std::string& name, const std::string& text, double value);
  void log(int level, const std::string& text);

  /// Notes a failure, and notifies the master if it ends the run. May be called while another thread is inside.
  void note(const Failure& failure);
  /// Throws the failure that has ended this session.
  void check_alive() const;
  [[nodiscard]] std::string stop_reason() const;

 private:
  enum class Phase { joined, running, over, failed };
  /// How an interface exchanges values: which functions are for it.
  enum class Kind { force_in, motion_in, space, space_motion, input, output };
  /// An interface as the tool has registered it.
  struct Registered {
    core::InterfaceShape shape{};
    Kind kind = Kind::force_in;  ///< of the shape
    core::InterfaceState first{};
    bool is_set = false;
    std::size_t place = 0;                ///< among all, in the model's order
    std::optional<core::RigidArm> arm{};  ///< in space: to where its connection ends
  };
  /// What has been reported for an interface since the last step.
  struct Progress {
    bool is_set = false, has_rates = false;
  };

  // Before the run.
  void join(const OpenOptions& options);
  void order_interfaces();
  /// Where the connection of an interface in space ends, if not at the frame that the tool reports.
  [[nodiscard]] std::optional<core::RigidArm> arm_of(const std::string& interface) const;
  void send_registration(const std::string& endpoint);
  void begin(transport::ReceivedMessage message, transport::LinkSetup& links);
  void prepare_rows(const transport::Begin& begin);
  [[nodiscard]] bool can_save() const;

  // Values.
  [[nodiscard]] static Kind kind_of(const core::InterfaceShape& shape);
  Registered& registered(int id, Kind needed, const char* function);
  void check_value(const Registered& interface, std::initializer_list<double> values, const char* what) const;
  core::InterfaceState& reported_state(Registered& interface, double t);
  core::InterfaceState& reported_rates(Registered& interface, double t);
  [[nodiscard]] double stage_time(const Registered& interface, double t);
  [[nodiscard]] double new_stage_time(const Registered& interface, double t);
  void forget_stage() { asked_ = std::numeric_limits<double>::quiet_NaN(); }
  [[nodiscard]] core::Port& port_of(const Registered& interface);

  // Steps.
  void find_limit();
  void wait_for_inputs(Joints::Reach reach);
  [[nodiscard]] double settled_time(double t) const;
  void check_step(double& t);
  int step_free(double t);
  int step_driven(double t);
  void write_rows(double t);
  void pass_break();

  // The master.
  transport::ReceivedMessage receive();
  int wait_for_go();
  void park();
  [[nodiscard]] transport::Figures figures();
  /// Those that may leave.
  [[nodiscard]] std::array<std::uint64_t, 9> released_counts() const;
  [[nodiscard]] std::size_t declared_columns() const;
  int wait_for_drive();
  void take_stretch(const transport::Drive& drive);
  void send_samples();
  void send_state();
  [[nodiscard]] std::string own_state() const;
  void put_back(const std::string& state);
  [[nodiscard]] std::string tool_state();
  void flush_rows();
  [[noreturn]] void fail(const core::Error& error);
  [[nodiscard]] transport::Until until() const;

  ReleaseList release_;
  std::unique_ptr<transport::Membership> membership_;
  transport::Setup setup_{};
  Snapshot snapshot_{};
  Phase phase_ = Phase::joined;
  std::atomic<bool> is_reported_{false};
  Failure failure_{};  ///< the first one

  std::deque<Registered> registered_;
  /// Interfaces that the model declares otherwise: all of them are reported at once.
  struct Mismatch {
    std::string interface {};
    std::string text{};
  };
  std::vector<Mismatch> mismatches_;
  std::unique_ptr<core::InterfaceSet> interfaces_;
  std::vector<Progress> progress_;
  double step_time_ = 0.0;  ///< of what has been reported since the last step; NaN: nothing [s]
  std::unique_ptr<core::StatePublisher> publisher_;
  std::unique_ptr<Joints> joints_;  ///< null if the tool is driven
  std::optional<lines::TrackLog> track_log_;
  std::vector<std::unique_ptr<RowBuffer>> tables_;
  core::RowSchedule rows_;
  bool is_first_row_due_ = true;
  double rows_start_ = 0.0;  ///< start of the run [s]

  bool is_limit_known_ = false;
  double limit_ = 0.0, horizon_ = 0.0;  ///< of the next step [s]
  /// The stage that was asked for last, and its time on the schedule; NaN: none since the limits changed [s].
  double asked_ = std::numeric_limits<double>::quiet_NaN(), stage_ = 0.0;
  /// Up to here inputs have been waited for [s]; a driven tool has all that it may ask for.
  double awaited_ = wave::Track::kNever;
  double rounding_ = 0.0;  ///< times closer than this are one [s]
  lines::Tick go_limit_ = 0;
  bool was_put_back_ = false;
  struct Kept {
    std::uint64_t number = 0;
    std::string state{};
  };
  std::deque<Kept> kept_;

  std::array<std::uint64_t, 9> counts_{};
  bool counts_steps_ = false;  ///< the tool counts its steps itself
};

}  // namespace tieline::plugin
