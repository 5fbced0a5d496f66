#pragma once

#include <cstdlib>
#include <new>

// Counts a thread's allocations by replacing the program's operators: to be included in one file of a program only.

namespace {
thread_local std::size_t allocation_count = 0;
}  // namespace

// Not inlined: the compiler would take the pair apart and find malloc's memory deleted.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocation_count;
  if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
// std::stable_sort takes this one; all forms must come from the same allocator.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocation_count;
  return std::malloc(size > 0 ? size : 1);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
