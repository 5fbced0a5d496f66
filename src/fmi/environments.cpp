#include "fmi/environments.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

namespace tieline::fmi {
namespace {

/// Callbacks of C have nothing but their arguments: what these may be is known to the process alone.
struct LivingInstances {
  std::mutex mutex{};
  std::vector<std::pair<void*, std::string>> all{};
};

LivingInstances& living_instances() {
  static LivingInstances* const instances = new LivingInstances;  // FMUs may write while the process ends
  return *instances;
}

}  // namespace

void Environments::add(void* environment, const std::string& instance_name) {
  LivingInstances& living = living_instances();
  const std::lock_guard lock(living.mutex);
  living.all.emplace_back(environment, instance_name);
}

void Environments::remove(void* environment) {
  LivingInstances& living = living_instances();
  const std::lock_guard lock(living.mutex);
  std::erase_if(living.all, [&](const auto& each) { return each.first == environment; });
}

Environments::Found Environments::find(const void* environment, const char* instance_name) {
  LivingInstances& living = living_instances();
  const std::lock_guard lock(living.mutex);
  const auto known =
      std::find_if(living.all.begin(), living.all.end(), [&](const auto& each) { return each.first == environment; });
  if (known != living.all.end()) return {known->first, false};
  const auto named = std::find_if(living.all.begin(), living.all.end(), [&](const auto& each) {
    return instance_name != nullptr && each.second == instance_name;
  });
  if (named != living.all.end()) return {named->first, true};
  return {living.all.size() == 1 ? living.all.front().first : nullptr, true};
}

}  // namespace tieline::fmi
