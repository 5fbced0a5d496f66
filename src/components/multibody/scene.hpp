#pragma once

#include "components/multibody/spec.hpp"
#include "core/scene.hpp"

namespace tieline::components {

/// What a system looks like. A body without shapes gets a stand-in: the box of even density that has its mass and
/// inertia, made smaller where that would reach beyond the body's own frames, or be large in the whole system. A beam
/// is a curve through its points. Links one of whose ends is prescribed by functions of time, or is on a beam, are
/// listed only where both ends are at one place, as those of joints are.
[[nodiscard]] core::Scene scene_of(const MultibodySpec& spec);

}  // namespace tieline::components
