// The table of transports: a new one is a row here.

#include <array>

#include "transport/shared_memory_factory.hpp"
#include "transport/stream_factory.hpp"
#include "transport/tcp_factory.hpp"

namespace tieline::transport {

const FactoryTable& standard_factories() {
  static const std::array rows{
      &shared_memory_factory(),
      &tcp_factory(),
  };
  static const FactoryTable table(rows);
  return table;
}

}  // namespace tieline::transport
