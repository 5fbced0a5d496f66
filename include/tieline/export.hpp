#pragma once

/// Marks what the shared library shows. Everything else is hidden in it; exceptions must be shown to be caught by
/// programs that use the library.
#if defined(__GNUC__)
#define TIELINE_PUBLIC __attribute__((visibility("default")))
#else
#define TIELINE_PUBLIC
#endif
