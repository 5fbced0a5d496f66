#pragma once

#include <utility>

#include "fmi/instance.hpp"

namespace tieline::fmi {

// Templates of Instance that its source files share.

template <class Function>
core::Result<void> Instance::move(unsigned from, Phase to, Call call, Function&& function) {
  if (!may(from)) return refusal(call);
  auto answered = answer(std::forward<Function>(function)(), call);
  if (answered) phase_ = to;
  return answered;
}

template <class Value>
core::Result<void> Instance::value3(unsigned phases, Call call,
                                    fmi3Status (*function)(void*, const std::uint32_t*, std::size_t, Value*,
                                                           std::size_t),
                                    References references, std::span<Value> values) {
  if (!may(phases)) [[unlikely]]
    return refusal(call);
  return answer(function(handle_, references.data(), references.size(), values.data(), values.size()), call);
}

}  // namespace tieline::fmi
