// The former name of tieline/plugin.hpp.
#pragma once

#include "tieline/plugin.hpp"
