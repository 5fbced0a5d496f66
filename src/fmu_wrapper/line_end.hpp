#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "assembly/outer_end.hpp"

namespace tieline::fmu_wrapper {

/// What the FMU's host does for an end of a line: it knows the wave that comes in, and gets the motion.
///
/// `begin` before each step; then the run asks for waves and gives samples; `at` between steps. One thread.
class LineEnd final : public assembly::OuterEnd {
 public:
  /// Asks the host for the wave at a time.
  using Ask = std::function<double(double t)>;

  explicit LineEnd(std::string name) : name_(std::move(name)) {}
  [[nodiscard]] const std::string& name() const { return name_; }

  /// From `from` on the wave is `value`, changing by `rate`, or what the host answers.
  void begin(double from, double value, double rate, Ask ask);

  [[nodiscard]] double wave(double t) override;
  [[nodiscard]] std::optional<double> straight_rate() const override;
  [[nodiscard]] double& size() override { return shared_size_ != nullptr ? *shared_size_ : size_; }
  void take(const std::vector<wave::Sample>& samples) override;
  /// Its size is one with that of another end, which lives as long.
  void share_size_of(LineEnd& other) { shared_size_ = &other.size(); }

  /// What it remembers between steps.
  struct Memory {
    wave::Sample last{};
    bool has_last = false;
    double largest_flow = 0.0;
  };
  [[nodiscard]] Memory memory() const;
  void recall(const Memory& memory);
  /// Times within a step that a host needs beside its ends: where the parabola of the flow that fits both and the way
  /// between them is off by more than solvers are. Hosts join what they are shown by polynomials, whose joints come
  /// back in the waves: more points would make more and more. They are `gap` apart at least [s].
  void add_needed(double from, double to, double gap, std::vector<double>& times);
  /// The motion at a time between two of them, by the cubic through both; effort is straight.
  [[nodiscard]] wave::Sample at(double t) const;

 private:
  std::string name_;
  double from_ = 0.0, value_ = 0.0, rate_ = 0.0;
  Ask ask_{};
  void split(const wave::Sample& from, const wave::Sample& to, double gap, std::vector<double>& times) const;

  std::vector<wave::Sample> samples_;  ///< since `begin`, and the last one before
  double largest_flow_ = 0.0;
  double size_ = 0.0;
  double* shared_size_ = nullptr;
};

}  // namespace tieline::fmu_wrapper
