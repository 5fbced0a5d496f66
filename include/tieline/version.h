/* The version of Tieline, for C and C++. The build takes it from here. */
#ifndef TIELINE_VERSION_H
#define TIELINE_VERSION_H

#define TIELINE_VERSION_MAJOR 0
#define TIELINE_VERSION_MINOR 1
#define TIELINE_VERSION_PATCH 0
/* One number for comparisons: #if TIELINE_VERSION >= 10203 tests for 1.2.3 or later. */
#define TIELINE_VERSION (TIELINE_VERSION_MAJOR * 10000 + TIELINE_VERSION_MINOR * 100 + TIELINE_VERSION_PATCH)
#define TIELINE_VERSION_TEXT "0.1.0"

#endif
