#include "lines/ends.hpp"

namespace tieline::lines {
namespace {

template <class Visit>
void visit_ends_at(int node, Connections connections, Visit&& visit) {
  for (const Section section : kSections) {
    for (const auto& connection : connections) {
      if (!connection->uses(section)) continue;
      for (const bool is_to : {false, true}) {
        if (connection->node(is_to) == node) visit(*connection, EndPart{section, is_to, true});
      }
    }
  }
}

template <class Visit>
void visit_all_ends(Connections connections, Visit&& visit) {
  for (const bool is_to : {false, true}) {
    for (const Section section : kSections) {
      for (const auto& connection : connections) {
        if (connection->uses(section)) visit(*connection, EndPart{section, is_to, false});
      }
    }
  }
}

}  // namespace

void save_ends(int node, Connections connections, StateWriter& state) {
  visit_ends_at(node, connections, [&](Connection& c, const EndPart& part) { c.save_end(part, state); });
}

void restore_ends(int node, Connections connections, const core::TimeGrid& grid, StateReader& state) {
  visit_ends_at(node, connections, [&](Connection& c, const EndPart& part) { c.restore_end(part, grid, state); });
}

void save_all_ends(Connections connections, StateWriter& state) {
  visit_all_ends(connections, [&](Connection& c, const EndPart& part) { c.save_end(part, state); });
}

void restore_all_ends(Connections connections, const core::TimeGrid& grid, StateReader& state) {
  visit_all_ends(connections, [&](Connection& c, const EndPart& part) { c.restore_end(part, grid, state); });
}

}  // namespace tieline::lines
