#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "fmi/fmu_spec.hpp"
#include "fmi/instance.hpp"
#include "fmi/values.hpp"

namespace tieline::fmi {

enum class CheckResult { passed, warned, failed, skipped };

/// "pass", "warn", "fail", "skip".
[[nodiscard]] const char* name_of(CheckResult result);

struct CheckRow {
  std::string check{};
  CheckResult result = CheckResult::passed;
  std::string note{};
};

/// Loads an FMU and tries what a run would ask of it, one after the other: its functions, an initialization, a step, a
/// second instance, saving and restoring where it claims to, directional derivatives where it claims them.
///
/// The FMU may crash, hang or exit: this belongs in a process of its own. `on_begin` is called before each check and
/// `on_row` after it. What rests on a check that has failed is left out. One thread.
class Verification {
 public:
  Verification(FmuSpec spec, std::function<void(const std::string& check)> on_begin,
               std::function<void(const CheckRow& row)> on_row);

  /// True if nothing has failed.
  bool run();

 private:
  using Outcome = core::Result<std::string>;  ///< a note

  /// Runs one check; an error is its failure.
  bool try_check(const std::string& name, const std::function<Outcome()>& check);
  void skip(const std::string& name, const std::string& why);
  [[nodiscard]] const InterfaceFacts& facts() const;
  [[nodiscard]] double step_size() const;  ///< [s]

  core::Result<std::unique_ptr<Instance>> instantiate();
  core::Result<void> initialize(Instance& instance);
  /// From where the initialization leaves it to where it can step.
  core::Result<void> make_ready(Instance& instance);
  core::Result<void> step(Instance& instance);
  core::Result<void> step_continuous(Instance& instance);
  core::Result<void> step_own(Instance& instance);
  core::Result<std::vector<double>> values_of(Instance& instance);
  core::Result<std::vector<double>> values_after_step();
  /// A note that all is the same, or an error that names what is not.
  [[nodiscard]] Outcome compare(const std::vector<double>& now, const std::string& with) const;

  Outcome check_instance();
  Outcome check_step();
  Outcome check_second_instance();
  Outcome check_saved();
  Outcome check_serialized();
  Outcome check_derivatives();

  FmuSpec spec_;
  std::function<void(const std::string&)> on_begin_;
  std::function<void(const CheckRow&)> on_row_;
  std::vector<Scalar> scalars_;  ///< outputs and states
  ValueReader reader_;
  std::vector<double> stepped_;  ///< values after the first instance's step
  double start_ = 0.0;           ///< [s]
  bool has_warning_ = false;     ///< of the present check
  bool has_failed_ = false;
};

}  // namespace tieline::fmi
