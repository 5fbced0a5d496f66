// What most tests include, compiled once for all of them.
#include "../../cmake/quick_build.hpp"

#include <gtest/gtest.h>
