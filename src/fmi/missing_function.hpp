#pragma once

#include <type_traits>

#include "fmi/instance_log.hpp"

namespace tieline::fmi {

/// Replaces a function that a library lacks: answers with Status::missing, or with nothing.
template <class Function>
struct Missing;
template <class Answer, class... Arguments>
struct Missing<Answer(Arguments...)> {
  static Answer call(Arguments...) {
    if constexpr (std::is_enum_v<Answer>) {
      return static_cast<Answer>(static_cast<int>(Status::missing));
    } else {
      return Answer();
    }
  }
};

}  // namespace tieline::fmi
