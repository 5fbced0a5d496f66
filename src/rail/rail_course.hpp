#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "rail/irregularity.hpp"

namespace tieline::rail {

/// How one rail deviates from its design along a track, from a table as `tieline irregularity` writes it: a column
/// `distance`, and `left_height`, `left_lateral` or those of the right rail; with their slopes (`left_height_slope`)
/// where there are such columns. Between its points it is a cubic; before and behind it keeps its end values.
class RailCourse {
 public:
  enum class Side { left, right };
  /// Fails with a message that names the line.
  [[nodiscard]] static core::Result<std::shared_ptr<const RailCourse>> read(const std::filesystem::path& file,
                                                                            Side side);
  /// Of columns; slopes may be empty.
  struct Column {
    std::vector<double> value{}, slope{};
  };
  RailCourse(std::vector<double> distance, Column height, Column lateral);

  [[nodiscard]] TrackPoint height(double distance) const { return at(distance, height_); }    ///< upwards
  [[nodiscard]] TrackPoint lateral(double distance) const { return at(distance, lateral_); }  ///< to the left

 private:
  [[nodiscard]] TrackPoint at(double distance, const Column& column) const;

  std::vector<double> distance_;
  Column height_, lateral_;
};

}  // namespace tieline::rail
