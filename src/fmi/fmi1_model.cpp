// FMI 1.0 behind the functions of 2.0: the life of an instance, and what it calls.

#include "fmi/fmi1_model.hpp"

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "fmi/fmi1_instance.hpp"

namespace tieline::fmi {
namespace {

/// The instances of this process. Callbacks of FMI 1.0 bring nothing of ours with them, so that this must be a global.
class Registry1 {
 public:
  void add(Instance1* instance) {
    const std::lock_guard lock(mutex_);
    instances_.push_back(instance);
  }
  void remove(const Instance1* instance) {
    const std::lock_guard lock(mutex_);
    std::erase(instances_, instance);
  }
  /// It may still be at work, and is never freed.
  void abandon(const Instance1* instance) {
    const std::lock_guard lock(mutex_);
    if (std::erase(instances_, instance) > 0) lost_.push_back(instance);
  }
  Instance1* find(fmiComponent handle, const char* name) {
    const std::lock_guard lock(mutex_);
    for (Instance1* instance : instances_) {
      if (handle != nullptr && instance->handle == handle) return instance;
    }
    for (Instance1* instance : instances_) {
      if (name != nullptr && instance->request.name == name) return instance;
    }
    return instances_.empty() ? nullptr : instances_.back();
  }

 private:
  std::mutex mutex_;
  std::vector<Instance1*> instances_;
  std::vector<const Instance1*> lost_;
};

/// Never destroyed: an FMU that is lost may call back while the process ends.
Registry1& registry1() {
  static Registry1& instances = *new Registry1;
  return instances;
}

void write_log1(fmiComponent handle, fmiString name, fmiStatus status, fmiString category, fmiString message, ...) {
  const Instance1* const instance = registry1().find(handle, name);
  if (instance == nullptr) return;
  std::va_list arguments;
  va_start(arguments, message);
  instance->request.log->write_expanded(status, category, message, arguments);
  va_end(arguments);
}

void finish_step1(fmiComponent handle, fmiStatus status) {
  const Instance1* const instance = registry1().find(handle, nullptr);
  if (instance == nullptr || instance->request.finish_step == nullptr) return;
  instance->request.finish_step(instance->request.environment, as2(status));
}

}  // namespace

Instance1::Instance1(Request1 asked) : functions(*asked.functions), request(std::move(asked)) { registry1().add(this); }

Instance1::~Instance1() {
  free();
  registry1().remove(this);
}

bool Instance1::make() {
  if (is_exchange()) {
    handle = functions.fmiInstantiateModel(request.name.c_str(), request.token.c_str(),
                                           {&write_log1, &std::calloc, &std::free}, request.is_logging);
    return handle != nullptr;
  }
  const char* const type = request.mime_type.empty() ? "application/x-fmu-sharedlibrary" : request.mime_type.c_str();
  // No time-out: whoever runs the instance watches it.
  handle = functions.fmiInstantiateSlave(
      request.name.c_str(), request.token.c_str(), request.location.c_str(), type, 0.0, request.is_visible, fmiFalse,
      {&write_log1, &std::calloc, &std::free, request.finish_step != nullptr ? &finish_step1 : nullptr},
      request.is_logging);
  return handle != nullptr;
}

void Instance1::free() {
  if (handle == nullptr) return;
  if (is_exchange()) {
    functions.fmiFreeModelInstance(handle);
  } else {
    functions.fmiFreeSlaveInstance(handle);
  }
  handle = nullptr;
}

fmi2Status Instance1::initialize() {
  is_initialized = true;
  given_before = given;
  fmi2Status status = fmi2OK;
  if (is_exchange()) {
    failed_call = "fmiSetTime";
    status = as2(functions.fmiSetTime(handle, start));
    if (is_bad(status)) return status;
    // An FMU that leaves this as it is has no more to do.
    first_event = {};
    first_event.iterationConverged = fmiTrue;
    has_first_event = true;
    failed_call = "fmiInitialize";
    status = as2(functions.fmiInitialize(handle, has_tolerance, tolerance, &first_event));
  } else {
    failed_call = "fmiInitializeSlave";
    status = as2(functions.fmiInitializeSlave(handle, start, has_stop, stop));
  }
  if (!is_bad(status)) failed_call = nullptr;
  return status;
}

fmi2Status Instance1::make_again() {
  if (is_initialized) {
    static_cast<void>(is_exchange() ? functions.fmiTerminate(handle) : functions.fmiTerminateSlave(handle));
  }
  free();
  is_initialized = has_first_event = was_discarded = false;
  failed_call = is_exchange() ? "fmiInstantiateModel" : "fmiInstantiateSlave";
  return make() ? fmi2OK : fmi2Fatal;  // nothing is left that could be called
}

fmi2Status Instance1::set_given() {
  const auto set_all = [&](const auto& kept, auto* const function, const char* name) {
    for (const auto& [reference, value] : kept) {
      failed_call = name;
      if (const fmi2Status status = as2(function(handle, &reference, 1, &value)); is_bad(status)) return status;
    }
    return fmi2OK;
  };
  std::map<std::uint32_t, const char*> texts;
  for (const auto& [reference, text] : given.strings) texts.emplace(reference, text.c_str());
  fmi2Status status = set_all(given.reals, functions.fmiSetReal, "fmiSetReal");
  if (!is_bad(status)) status = set_all(given.integers, functions.fmiSetInteger, "fmiSetInteger");
  if (!is_bad(status)) status = set_all(given.booleans, functions.fmiSetBoolean, "fmiSetBoolean");
  if (!is_bad(status)) status = set_all(texts, functions.fmiSetString, "fmiSetString");
  return status;
}

fmi2Status Instance1::leave_initialization() {
  fmi2Status status = fmi2OK;
  if (!is_initialized) {
    status = initialize();
  } else if (request.may_be_remade && given != given_before) {
    status = make_again();
    if (!is_bad(status)) status = set_given();
    if (!is_bad(status)) status = initialize();
  }
  if (is_bad(status)) return status;
  is_starting = false;
  given = {}, given_before = {};
  return status;
}

fmi2Component instantiate1(Request1 request) {
  auto instance = std::make_unique<Instance1>(std::move(request));
  return instance->make() ? instance.release() : nullptr;
}

void abandon1(fmi2Component component) { registry1().abandon(&Instance1::of(component)); }

std::string name_in_1(fmi2Component component, const char* name) {
  /// Functions of 2.0 that have another name in 1.0: in model exchange, and in co-simulation.
  struct Renamed {
    std::string_view two, exchange, simulation;
  };
  static constexpr std::array<Renamed, 9> kRenamed{{
      {"Instantiate", "InstantiateModel", "InstantiateSlave"},
      {"SetupExperiment", "Initialize", "InitializeSlave"},
      {"EnterInitializationMode", "Initialize", "InitializeSlave"},
      {"ExitInitializationMode", "Initialize", "InitializeSlave"},
      {"Terminate", "Terminate", "TerminateSlave"},
      {"Reset", "InstantiateModel", "ResetSlave"},
      {"EnterEventMode", "EventUpdate", "EventUpdate"},
      {"NewDiscreteStates", "EventUpdate", "EventUpdate"},
      {"GetNominalsOfContinuousStates", "GetNominalContinuousStates", "GetNominalContinuousStates"},
  }};
  const Instance1& instance = Instance1::of(component);
  if (instance.failed_call != nullptr) return instance.failed_call;
  const auto found =
      std::find_if(kRenamed.begin(), kRenamed.end(), [&](const Renamed& each) { return each.two == name; });
  if (found == kRenamed.end()) return fmt::format("fmi{}", name);
  return fmt::format("fmi{}", instance.is_exchange() ? found->exchange : found->simulation);
}

}  // namespace tieline::fmi
