#pragma once

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmi/instance.hpp"
#include "fmi/library.hpp"

namespace tieline::fmi {

inline constexpr InterfaceType kExchange = InterfaceType::model_exchange;
inline constexpr InterfaceType kCoSimulation = InterfaceType::co_simulation;

/// The unpacked content of a test FMU.
inline std::filesystem::path folder_of(const std::string& name, int version) {
  return std::filesystem::path(TIELINE_TEST_FMUS) / fmt::format("{}_fmi{}", name, version);
}

/// The packed FMU.
inline std::filesystem::path file_of(const std::string& name, int version) {
  return std::filesystem::path(TIELINE_TEST_FMUS) / fmt::format("{}_fmi{}.fmu", name, version);
}

/// binaries/<platform> of a test FMU, which has one.
inline std::filesystem::path binaries_of(const std::string& name, int version) {
  return std::filesystem::directory_iterator(folder_of(name, version) / "binaries")->path();
}

/// The GUID or token, as the description states it.
inline std::string token_of(const std::string& name, int version) {
  std::ifstream in(folder_of(name, version) / "modelDescription.xml");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::string attribute = version == 3 ? "instantiationToken=\"" : "guid=\"";
  const std::size_t begin = text.find(attribute) + attribute.size();
  return text.substr(begin, text.find('"', begin) - begin);
}

template <class T>
T value_or_throw(core::Result<T> result) {
  if (!result) throw std::runtime_error(result.error().describe());
  return std::move(*result);
}

inline void expect_done(core::Result<void> result) {
  if (!result) throw std::runtime_error(result.error().describe());
}

inline std::shared_ptr<const Library> open_library(const std::string& name, int version, InterfaceType type) {
  return value_or_throw(Library::open({binaries_of(name, version), name, version, type}));
}

/// An instance of a test FMU; its counts of states and indicators are for 1.0 and 2.0.
inline std::unique_ptr<Instance> make_instance(const std::string& name, int version, InterfaceType type,
                                               InstanceSettings settings = {}) {
  if (settings.name.empty()) settings.name = name;
  settings.token = token_of(name, version);
  settings.resources = folder_of(name, version) / "resources";
  settings.folder = folder_of(name, version);
  return value_or_throw(Instance::create(open_library(name, version, type), std::move(settings)));
}

inline void set_number(Instance& instance, std::uint32_t reference, double value) {
  expect_done(instance.set(References(&reference, 1), std::span<const double>(&value, 1)));
}

inline double number(Instance& instance, std::uint32_t reference) {
  double value = 0.0;
  expect_done(instance.get(References(&reference, 1), std::span(&value, 1)));
  return value;
}

inline std::int32_t integer(Instance& instance, std::uint32_t reference) {
  std::int32_t value = 0;
  expect_done(instance.get(References(&reference, 1), std::span(&value, 1)));
  return value;
}

inline void set_text(Instance& instance, std::uint32_t reference, const char* value) {
  expect_done(instance.set(References(&reference, 1), std::span<const char* const>(&value, 1)));
}

inline void initialize(Instance& instance, double start = 0.0) {
  expect_done(instance.enter_initialization({start, std::nullopt, std::nullopt}));
  expect_done(instance.exit_initialization());
}

}  // namespace tieline::fmi
