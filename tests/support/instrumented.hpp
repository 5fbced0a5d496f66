#pragma once

namespace tieline::support {

/// Programs that a sanitizer watches are about ten times slower: long runs are cut there, and deadlines are longer.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kIsInstrumented = true;
#else
inline constexpr bool kIsInstrumented = false;
#endif

}  // namespace tieline::support
