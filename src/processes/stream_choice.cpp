#include "processes/stream_choice.hpp"

namespace tieline::processes {

const transport::FactoryTable& factories() { return transport::standard_factories(); }

const transport::StreamFactory& factory_of(model::Transport word) {
  const transport::StreamFactory* const named = factories().named(model::name_of(word));
  return named == nullptr ? factories().usual() : *named;
}

const transport::StreamFactory& factory_for(const model::CompositeModel& model, std::span<const int> components) {
  for (const int component : components) {
    const auto& stated = model.components[static_cast<std::size_t>(component)].process.transport;
    if (stated) return factory_of(*stated);
  }
  return factory_of(model.simulation.processes.transport);
}

}  // namespace tieline::processes
