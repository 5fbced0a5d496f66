#pragma once

#include <string>

#include "fmi/description.hpp"

namespace tieline::fmi {

/// The FMU's own name of a number: "x", or "k[2,1]" of an array, counted from 1.
[[nodiscard]] std::string scalar_name(const Description& description, const Scalar& scalar);

}  // namespace tieline::fmi
