#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/component.hpp"
#include "document/diagnostics.hpp"
#include "model/interfaces.hpp"

namespace tieline::kinds {

struct BuildRequest;

/// How a component can be computed as one system with others, if signals without delay join them.
enum class Joining {
  none,
  equations,  ///< solved together
  steps,      ///< stepped together, where nothing but signals is joined to it
};

/// Whether an output of a component follows one of its inputs at the same time.
enum class Feed { none, unknown, direct };

/// A component that has been read but not yet built: what a connection needs to know, and how to build it.
struct Blueprint {
  std::vector<model::InterfaceInfo> interfaces{};
  /// False if the content has errors: then `interfaces` are those that are beyond doubt, so that their connections
  /// can be checked, and there is nothing else.
  bool is_complete = true;
  /// Reports what depends on the connections; `is_connected[i]`: interface i takes part in one.
  std::function<void(const std::vector<bool>& is_connected, document::Diagnostics& diagnostics)> check{};
  std::function<std::unique_ptr<core::Component>(const BuildRequest& request)> build{};
  /// Frames in those of interfaces, where connections in space join them; for kinds that accept them.
  struct EndFrame {
    std::string interface {};
    core::Pose pose{};
  };
  /// Why connections in space cannot end at other frames of an interface; empty: they can. Unset: none can.
  std::function<std::string(const std::string& interface)> end_frame_obstacle{};
  std::vector<EndFrame> end_frames{};
  /// Why motions that open ends give interfaces in space do not fit; empty: they do, or there are none.
  std::function<std::string(const BuildRequest& request)> motion_problem{};
  /// A file of which one process can have no more than one; empty: nothing of the kind.
  std::filesystem::path once_per_process{};
  /// Makes what stands for it where another process computes it from the start on; empty: nothing of the kind.
  std::function<std::unique_ptr<core::Component>(const std::string& name)> build_far{};
  Joining joining = Joining::none;
  /// Of a signal that comes in and one that goes out, by the names of their members; empty: `unknown_feed` for all.
  std::function<Feed(const std::string& input, const std::string& output)> feed{};
  Feed unknown_feed = Feed::unknown;
  /// Of the same names: whether the output may jump at a time that follows from the input; empty: never.
  std::function<bool(const std::string& input, const std::string& output)> switches{};
  /// What it builds is an OdeComponent whose equations are MovablePorts: signals of a loop can be solved with it.
  bool can_be_joined = false;
  bool starts_in_equilibrium = false;  ///< as its model asks for, with what it is joined to
  /// Why it can have no part in an equilibrium, in words; empty: it can, or stands still.
  std::string equilibrium_obstacle{};
  std::string schedule{};   ///< that it states for being stepped together with others; empty: none
  bool has_bodies = false;  ///< its results have bodies in space
  bool is_program = false;  ///< a program of its own, which joins a run through the plug-in
  /// Third-party code, which has a process of its own unless the model states isolate="false".
  bool is_isolated_by_default = false;
  /// It starts the tool that exported it.
  bool starts_programs = false;
  /// Puts all its files on disk before its code is loaded; the folder that they are in. Empty: there are none.
  std::function<core::Result<std::filesystem::path>()> unpack{};
};

}  // namespace tieline::kinds
