// What most tests include, compiled once for all of them.
#pragma once

#include "../../cmake/quick_build.hpp"

#include <gtest/gtest.h>
