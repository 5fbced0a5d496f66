// One fuzzer per target; TIELINE_FUZZ_TARGET names the function. See CONTRIBUTING.md for how to run them.

#include <cstddef>
#include <cstdint>

#include "fuzz/targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tieline::fuzz::TIELINE_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
