#pragma once

#include <cstddef>

#include "assembly/checked_model.hpp"
#include "core/scene.hpp"

namespace tieline::assembly {

/// Warns, at their places, of icons and geometries that cannot be shown. They change no run, and so are no errors.
void check_appearance(const CheckedModel& checked, document::Diagnostics& diagnostics);

/// Puts the surface of a component's `geometry` into what is to be seen of it: on its first body, in place of what that
/// looks like otherwise, or at its first interface in space where it has no bodies. Nothing if there is none, or
/// `check_appearance` has warned of it.
void add_geometry(const CheckedModel& checked, std::size_t component, core::Scene& scene);

}  // namespace tieline::assembly
