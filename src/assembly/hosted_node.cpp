#include "assembly/hosted_node.hpp"

#include <algorithm>

namespace tieline::assembly {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

constexpr std::string_view kState = "hosted state";
constexpr std::string_view kTracks = "hosted start";

void put_tracks(core::ArchiveWriter& archive, core::Component& node) {
  for (core::Component* part : node.parts()) {
    for (const core::Port& port : part->ports()) core::save_track(archive, port.incoming);
  }
}

std::string tracks_of(core::Component& node) {
  core::ArchiveWriter archive;
  archive.tag(kTracks);
  put_tracks(archive, node);
  return std::move(archive).take();
}

/// Tracks between the members of a group are drawn where the group is computed: the master has none of them, and what
/// it has not must not replace the samples that the members have exchanged at their start.
void take_tracks(core::ArchiveReader& archive, core::Component& node) {
  for (core::Component* part : node.parts()) {
    for (core::Port& port : part->ports()) {
      wave::Track sent = port.incoming;  // which keeps how it extrapolates
      core::restore_track(archive, sent);
      if (!sent.empty()) port.incoming = std::move(sent);
    }
  }
}

/// What a port reports of itself, and what it reports at the start.
struct PortFacts {
  wave::Interpolation preferred = wave::Interpolation::cubic;
  bool follows_wave = false, has_position = true, is_bundled = false;
};

}  // namespace

HostedNode::HostedNode(std::unique_ptr<core::Component> node) : Component(node->name()), node_(std::move(node)) {}

Error HostedNode::elsewhere() const {
  return {.code = ErrorCode::unsupported, .message = "it is computed by another process", .component = name()};
}

Result<void> HostedNode::start(double t0) {
  time_ = t0;
  state_.clear();
  if (!start_) return elsewhere();
  auto reported = start_(tracks_of(*node_));
  if (!reported) return reported.error();
  try {
    core::ArchiveReader archive(*reported);
    archive.expect_tag("hosted samples");
    for (core::Component* part : node_->parts()) {
      for (core::Port& port : part->ports()) {
        const auto facts = archive.get<PortFacts>();
        port.preferred = facts.preferred;
        port.follows_wave = facts.follows_wave, port.has_position = facts.has_position;
        port.is_bundled = facts.is_bundled;
        port.outbox = archive.get_vector<wave::Sample>();
      }
    }
  } catch (const core::ArchiveError& problem) {
    return Error{.code = ErrorCode::protocol, .message = problem.what(), .component = name()};
  }
  return {};
}

Result<void> HostedNode::save(core::ArchiveWriter& archive) const {
  archive.put_text(state_.empty() ? tracks_of(*node_) : state_);
  return {};
}

Result<void> HostedNode::restore(core::ArchiveReader& archive) {
  state_ = archive.get_text();
  core::ArchiveReader content(state_);
  content.get_text();
  take_tracks(content, *node_);
  return {};
}

std::string hosted_state(const std::string& reported, core::Component& node) {
  core::ArchiveWriter inner, archive;
  inner.tag(kState);
  put_tracks(inner, node);
  inner.append(reported);
  archive.put_text(inner.bytes());
  return std::move(archive).take();
}

std::string take_hosted_state(const std::string& state, core::Component& node) {
  core::ArchiveReader archive(state);
  const std::string inner = archive.get_text();
  core::ArchiveReader content(inner);
  const std::string tag = content.get_text();
  if (tag == kTracks) {
    take_tracks(content, node);
    return {};
  }
  if (tag != kState) throw core::ArchiveError("this is not the state of a hosted component");
  // The component's own state has these tracks, too; until it is restored, it starts with others.
  for (core::Component* part : node.parts()) {
    for (std::size_t i = 0; i < part->ports().size(); ++i) {
      wave::Track passed_over;
      core::restore_track(content, passed_over);
    }
  }
  return std::string(content.rest());
}

Result<std::string> start_hosted(const std::string& tracks, core::Component& node, double t0) {
  try {
    core::ArchiveReader archive(tracks);
    archive.expect_tag(kTracks);
    take_tracks(archive, node);
  } catch (const core::ArchiveError& problem) {
    return Error{.code = ErrorCode::protocol, .message = problem.what()};
  }
  for (core::Component* part : node.parts()) {
    for (core::Port& port : part->ports()) port.outbox.clear();
  }
  if (auto started = node.start(t0); !started) return started.error();
  core::ArchiveWriter archive;
  archive.tag("hosted samples");
  for (core::Component* part : node.parts()) {
    for (core::Port& port : part->ports()) {
      archive.put(PortFacts{port.preferred, port.follows_wave, port.has_position, port.is_bundled});
      archive.put_span<wave::Sample>(port.outbox);
      port.outbox.clear();
    }
  }
  return std::move(archive).take();
}

}  // namespace tieline::assembly
