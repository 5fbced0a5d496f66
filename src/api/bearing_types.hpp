#pragma once

#include "tieline/bearing.hpp"

#include "bearings/geometry.hpp"
#include "bearings/passing.hpp"

/// Between the types of the public header and those of the room.
namespace tieline::api {

[[nodiscard]] bearings::Material inner_material(const BearingMaterial& material);
[[nodiscard]] bearings::Bearing inner_bearing(const BallBearing& bearing);
[[nodiscard]] BallBearing outer_bearing(const bearings::Bearing& bearing);
[[nodiscard]] HertzContact contact_of(const bearings::PointContact& contact, const bearings::LoadedContact& loaded);
[[nodiscard]] PassingFrequencies frequencies_of(const bearings::PassingFrequencies& frequencies);

}  // namespace tieline::api
