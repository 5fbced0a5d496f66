#pragma once

/// Marks symbols that the shared library exports; all others are hidden. Exceptions must be exported so that programs
/// can catch them.
#if defined(__GNUC__)
#define TIELINE_PUBLIC __attribute__((visibility("default")))
#else
#define TIELINE_PUBLIC
#endif
