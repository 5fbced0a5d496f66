#pragma once

#include <span>

#include "model/composite_model.hpp"
#include "model/process.hpp"
#include "transport/stream_factory.hpp"

namespace tieline::processes {

/// The transports of the program: of its masters, runners and replays.
[[nodiscard]] const transport::FactoryTable& factories();

/// The transport that a model's word stands for: they have the same names, and "auto" is the usual one.
[[nodiscard]] const transport::StreamFactory& factory_of(model::Transport word);

/// What a process that computes these components uses: what the first of them to state one states, or what holds for
/// all processes of the model.
[[nodiscard]] const transport::StreamFactory& factory_for(const model::CompositeModel& model,
                                                          std::span<const int> components);

}  // namespace tieline::processes
