#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "report/motion.hpp"
#include "results/reader.hpp"
#include "results/scene_file.hpp"

namespace tieline::report {

struct AnimationOptions {
  std::string title{};
  std::vector<std::string> notes{};  ///< said on the page, beside what cannot be shown
  MotionOptions motion{};
};

/// What was written.
struct AnimationFacts {
  double start = 0.0, end = 0.0;  ///< [s]
  std::size_t frames = 0;
  std::size_t bodies = 0;
  std::vector<std::string> notes{};  ///< what could not be shown, and why
};

/// Writes a run as a page that plays it in three dimensions and needs nothing but a browser. The file is replaced as a
/// whole. Errors are those of sample_motion and of writing.
core::Result<AnimationFacts> write_animation(const results::ResultReader& reader, const results::RunScene& scene,
                                             const AnimationOptions& options, const std::filesystem::path& file);

}  // namespace tieline::report
