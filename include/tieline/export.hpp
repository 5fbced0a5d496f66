#pragma once

/// Marks what the shared library shows.
#define TIELINE_PUBLIC __attribute__((visibility("default")))
