#pragma once

#include "core/relation.hpp"

/// Relations between physical ends along one axis: a lever, a gear, a transformer. A relation is then one of their
/// positions, its factor one of their velocities, and the inverse of that one of their forces, so that no power gets
/// lost.
namespace tieline::core {

/// From the second end back to the first.
[[nodiscard]] inline Relation reverse_of(const Relation& relation) {
  if (relation.is_identity()) return {};
  return {1.0 / relation.factor, -relation.offset / relation.factor};
}

/// One relation after the other.
[[nodiscard]] inline Relation chain_of(const Relation& first, const Relation& then) {
  if (first.is_identity()) return then;
  return {then.factor * first.factor, then.factor * first.offset + then.offset};
}

}  // namespace tieline::core
