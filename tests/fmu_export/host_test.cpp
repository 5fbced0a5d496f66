// Exported FMUs in a host that knows the functions of FMI 2.0 alone: several instances, states, faults, and what is
// left behind.

#include <cstdarg>
#include <cstdio>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <unistd.h>

#include "archive/archive.hpp"
#include "fmi/fmi2.h"
#include "fmu_export/exporter.hpp"
#include "support/temporary_folder.hpp"

namespace tieline::fmu_export {
namespace host_test {

namespace fs = std::filesystem;

/// Two masses on a line; `m` is the mass of the first one. With `pole`, a force that becomes infinite there.
std::string model_of(const std::string& force) {
  return R"(<CompositeModel name="pair"><Parameters> <Parameter name="m" value="2" unit="kg"/> </Parameters><Components>
    <Component name="a" kind="network"><Network> <Ground name="ground"/> <Mass name="body" mass="{m}"/>
      <Spring name="spring" from="ground" to="body" stiffness="2e5"/> <Interface name="end" node="body"/>
    </Network></Component>
    <Component name="b" kind="network"><Network> <Mass name="body" mass="3"/>
      <Load name="load" node="body" force=")" +
         force + R"("/> <Interface name="end" node="body"/> </Network></Component></Components><Connections>
    <Connection name="rod" from="a.end" to="b.end" coupling="line" stiffness="1e6" delay="2e-4"/></Connections>
    <Simulation stop="1" save_interval="1e-3"/></CompositeModel>)";
}

/// Messages by category, of one instance.
using Messages = std::multimap<std::string, std::string>;

extern "C" void take_message(fmi2ComponentEnvironment place, fmi2String, fmi2Status, fmi2String category,
                             fmi2String format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  char text[2000];
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  static_cast<Messages*>(place)->emplace(category, text);
}

/// The library of an unpacked FMU, for as long as this lives.
class Library {
 public:
  Library(const fs::path& folder, const Manifest& manifest) : resources_("file://" + (folder / "resources").string()) {
    const fs::path file = folder / "binaries/linux64" / (manifest.identifier + ".so");
    handle_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(handle_, nullptr) << dlerror();
    token_ = manifest.token;
    for (const ExportedVariable& variable : manifest.variables) references[variable.name] = variable.reference;
  }
  ~Library() {
    if (handle_ != nullptr) dlclose(handle_);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  template <typename Function>
  [[nodiscard]] Function* get(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(handle_, name));
  }
  [[nodiscard]] const char* token() const { return token_.c_str(); }
  [[nodiscard]] const char* resources() const { return resources_.c_str(); }

  std::map<std::string, fmi2ValueReference> references{};

 private:
  void* handle_ = nullptr;
  std::string token_, resources_;
};

/// One instance, from its instantiation to its end.
class HostedInstance {
 public:
  explicit HostedInstance(const Library& library) : library_(library) {
    callbacks_ = {&take_message, nullptr, nullptr, nullptr, &messages};
    instance_ = library.get<fmi2InstantiateTYPE>("fmi2Instantiate")("one", fmi2CoSimulation, library.token(),
                                                                    library.resources(), &callbacks_, 0, 1);
  }
  ~HostedInstance() {
    if (instance_ != nullptr) library_.get<fmi2FreeInstanceTYPE>("fmi2FreeInstance")(instance_);
  }
  HostedInstance(const HostedInstance&) = delete;
  HostedInstance& operator=(const HostedInstance&) = delete;

  [[nodiscard]] bool exists() const { return instance_ != nullptr; }
  [[nodiscard]] fmi2Component self() const { return instance_; }

  fmi2Status start(double mass) {
    fmi2Status worst = library_.get<fmi2SetupExperimentTYPE>("fmi2SetupExperiment")(instance_, 0, 0.0, 0.0, 1, 1.0);
    const fmi2ValueReference reference = library_.references.at("m");
    worst = std::max(worst, library_.get<fmi2SetRealTYPE>("fmi2SetReal")(instance_, &reference, 1, &mass));
    worst = std::max(worst, library_.get<fmi2EnterInitializationModeTYPE>("fmi2EnterInitializationMode")(instance_));
    return std::max(worst, library_.get<fmi2ExitInitializationModeTYPE>("fmi2ExitInitializationMode")(instance_));
  }
  fmi2Status step() {
    const fmi2Status status = library_.get<fmi2DoStepTYPE>("fmi2DoStep")(instance_, 1e-3 * steps_, 1e-3, 0);
    if (status == fmi2OK) ++steps_;
    return status;
  }
  [[nodiscard]] double value(const std::string& name) const {
    double value = 0.0;
    const fmi2ValueReference reference = library_.references.at(name);
    library_.get<fmi2GetRealTYPE>("fmi2GetReal")(instance_, &reference, 1, &value);
    return value;
  }
  [[nodiscard]] std::string bytes() const {
    fmi2FMUstate state = nullptr;
    std::size_t size = 0;
    EXPECT_EQ(library_.get<fmi2GetFMUstateTYPE>("fmi2GetFMUstate")(instance_, &state), fmi2OK);
    EXPECT_EQ(library_.get<fmi2SerializedFMUstateSizeTYPE>("fmi2SerializedFMUstateSize")(instance_, state, &size),
              fmi2OK);
    std::string text(size, '\0');
    EXPECT_EQ(library_.get<fmi2SerializeFMUstateTYPE>("fmi2SerializeFMUstate")(instance_, state, text.data(), size),
              fmi2OK);
    EXPECT_EQ(library_.get<fmi2FreeFMUstateTYPE>("fmi2FreeFMUstate")(instance_, &state), fmi2OK);
    EXPECT_EQ(state, nullptr);
    return text;
  }
  fmi2Status recall(const std::string& bytes, int steps) {
    fmi2FMUstate state = nullptr;
    fmi2Status status = library_.get<fmi2DeSerializeFMUstateTYPE>("fmi2DeSerializeFMUstate")(instance_, bytes.data(),
                                                                                             bytes.size(), &state);
    if (status != fmi2OK) return status;
    status = library_.get<fmi2SetFMUstateTYPE>("fmi2SetFMUstate")(instance_, state);
    library_.get<fmi2FreeFMUstateTYPE>("fmi2FreeFMUstate")(instance_, &state);
    steps_ = steps;
    return status;
  }

  Messages messages{};

 private:
  const Library& library_;
  fmi2CallbackFunctions callbacks_{};
  fmi2Component instance_ = nullptr;
  int steps_ = 0;
};

class Host : public testing::Test {
 protected:
  void make(const std::string& force) {
    std::ofstream(folder_.path() / "pair.xml") << model_of(force);
    document::Diagnostics diagnostics;
    const auto made = export_fmu({.model = folder_.path() / "pair.xml",
                                  .out = folder_.path() / "pair.fmu",
                                  .fmi_version = 2,
                                  .outputs = {"*.body.*"},
                                  .library = TIELINE_FMU_FOLDER},
                                 diagnostics);
    ASSERT_TRUE(made) << diagnostics.describe();
    manifest_ = *made;
    archive_ = archive::Archive::open(folder_.path() / "pair.fmu", diagnostics);
    ASSERT_TRUE(archive_) << diagnostics.describe();
    for (const char* const part : {"binaries", "resources"}) {
      const auto place = archive_->provide_folder(part);
      ASSERT_TRUE(place);
      unpacked_ = place->parent_path();
    }
  }
  static std::set<std::string> entries(const fs::path& folder) {
    std::set<std::string> names;
    std::error_code failure;
    for (const auto& entry : fs::directory_iterator(folder, failure)) names.insert(entry.path().filename().string());
    return names;
  }
  /// Parts of memory that come from files of the FMU.
  [[nodiscard]] std::size_t mapped_files() const {
    std::ifstream maps("/proc/self/maps");
    std::size_t count = 0;
    for (std::string line; std::getline(maps, line);) count += line.find(unpacked_.string()) != line.npos ? 1 : 0;
    return count;
  }

  support::TemporaryFolder folder_{};
  Manifest manifest_{};
  std::optional<archive::Archive> archive_{};
  fs::path unpacked_{};
};

constexpr const char* kGentle = "{100*sin(200*t)}";

TEST_F(Host, InstancesThatTakeTurnsDoNotDisturbEachOther) {
  make(kGentle);
  const Library library(unpacked_, manifest_);
  std::vector<double> alone;
  for (const double mass : {2.0, 5.0}) {
    HostedInstance one(library);
    ASSERT_TRUE(one.exists());
    ASSERT_EQ(one.start(mass), fmi2OK);
    for (int k = 0; k < 20; ++k) ASSERT_EQ(one.step(), fmi2OK);
    alone.push_back(one.value("b.body.position"));
  }
  HostedInstance light(library), heavy(library);
  ASSERT_EQ(light.start(2.0), fmi2OK);
  ASSERT_EQ(heavy.start(5.0), fmi2OK);
  for (int k = 0; k < 20; ++k) {
    ASSERT_EQ(light.step(), fmi2OK);
    ASSERT_EQ(heavy.step(), fmi2OK);
  }
  EXPECT_NE(alone[0], alone[1]);
  EXPECT_EQ(light.value("b.body.position"), alone[0]);
  EXPECT_EQ(heavy.value("b.body.position"), alone[1]);
}

TEST_F(Host, AStateAsBytesContinuesInAnotherInstance) {
  make(kGentle);
  const Library library(unpacked_, manifest_);
  HostedInstance first(library), second(library);
  ASSERT_EQ(first.start(2.0), fmi2OK);
  ASSERT_EQ(second.start(2.0), fmi2OK);
  for (int k = 0; k < 7; ++k) ASSERT_EQ(first.step(), fmi2OK);
  const std::string bytes = first.bytes();
  for (int k = 0; k < 7; ++k) ASSERT_EQ(first.step(), fmi2OK);
  ASSERT_EQ(second.recall(bytes, 7), fmi2OK);
  for (int k = 0; k < 7; ++k) ASSERT_EQ(second.step(), fmi2OK);
  EXPECT_EQ(second.value("a.body.position"), first.value("a.body.position"));
  EXPECT_EQ(second.value("b.body.velocity"), first.value("b.body.velocity"));
  // What is no state is refused, and the instance goes on.
  const double before = second.value("a.body.position");
  EXPECT_NE(second.recall(bytes.substr(0, bytes.size() / 2), 14), fmi2OK);
  EXPECT_NE(second.recall("not a state", 14), fmi2OK);
  EXPECT_EQ(second.value("a.body.position"), before);
  EXPECT_EQ(second.step(), fmi2OK);
}

TEST_F(Host, AFaultInsideIsAStatusWithItsMessage) {
  make("{1/(0.0501-t)^3}");
  const Library library(unpacked_, manifest_);
  HostedInstance broken(library), other(library);
  ASSERT_EQ(broken.start(2.0), fmi2OK);
  ASSERT_EQ(other.start(2.0), fmi2OK);
  ASSERT_EQ(other.step(), fmi2OK);
  fmi2Status status = fmi2OK;
  for (int k = 0; k < 60 && status == fmi2OK; ++k) status = broken.step();
  EXPECT_TRUE(status == fmi2Error || status == fmi2Fatal) << status;
  const auto message = broken.messages.find("logStatusError");
  ASSERT_NE(message, broken.messages.end());
  EXPECT_NE(message->second.find("component 'b'"), std::string::npos) << message->second;
  EXPECT_NE(broken.step(), fmi2OK) << "an instance that has failed stays so";
  EXPECT_EQ(other.step(), fmi2OK) << "the other one goes on";
}

TEST_F(Host, WhatDoesNotBelongToItIsRefusedWithAMessage) {
  make(kGentle);
  Library library(unpacked_, manifest_);
  HostedInstance one(library);
  ASSERT_EQ(one.start(2.0), fmi2OK);
  const fmi2ValueReference unknown = 123456;
  double value = 0.0;
  EXPECT_EQ(library.get<fmi2GetRealTYPE>("fmi2GetReal")(one.self(), &unknown, 1, &value), fmi2Error);
  EXPECT_EQ(library.get<fmi2DoStepTYPE>("fmi2DoStep")(one.self(), 0.5, 1e-3, 0), fmi2Error) << "it is at 0 s";
  EXPECT_EQ(library.get<fmi2DoStepTYPE>("fmi2DoStep")(one.self(), 0.0, -1.0, 0), fmi2Error);
  EXPECT_EQ(one.messages.count("logStatusError"), 3u);
  EXPECT_EQ(one.step(), fmi2OK);
}

TEST_F(Host, LeavesNoThreadFileOrLibraryBehind) {
  make(kGentle);
  const auto threads = entries("/proc/self/task"), files = entries("/proc/self/fd");
  const auto temporary = entries(fs::temp_directory_path());
  std::set<std::string> ours;
  for (int round = 0; round < 3; ++round) {
    {
      const Library library(unpacked_, manifest_);
      HostedInstance one(library), two(library);
      ASSERT_EQ(one.start(2.0), fmi2OK);
      ASSERT_EQ(two.start(3.0), fmi2OK);
      ASSERT_EQ(one.step(), fmi2OK);
      ASSERT_EQ(two.step(), fmi2OK);
      EXPECT_GT(mapped_files(), 0u);
    }
    EXPECT_EQ(entries("/proc/self/task"), threads) << "after " << round + 1 << " rounds";
    EXPECT_EQ(entries("/proc/self/fd").size(), files.size()) << "after " << round + 1 << " rounds";
  }
  EXPECT_EQ(mapped_files(), 0u) << "the library is not unloaded";
  // Other tests have folders there at the same time; those of this process name it or are new in vain.
  for (const std::string& name : entries(fs::temp_directory_path())) {
    if (!temporary.contains(name) && name.find(std::to_string(getpid())) != name.npos) ours.insert(name);
  }
  EXPECT_TRUE(ours.empty()) << *ours.begin();
}

}  // namespace host_test
}  // namespace tieline::fmu_export
