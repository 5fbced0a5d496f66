#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "document/diagnostics.hpp"
#include "transport/messages.hpp"

namespace tieline::processes {

struct InquiryOptions {
  std::filesystem::path model{};
  std::string component{};
  std::filesystem::path site_file{};  ///< stated; empty: looked for
  bool writes = false;                ///< interfaces that the model does not declare go into its file
  const std::atomic<bool>* cancel = nullptr;
  std::function<void(const std::string&)> on_note{};  ///< lines for people; from another thread
};

/// An interface that a program offers, beside what the model declares.
struct OfferedInterface {
  transport::RegisteredInterface registered{};
  bool is_declared = false;  ///< by the model, under this name
  std::string difference{};  ///< from what is declared, in words; empty: none
};

struct InquiryOutcome {
  std::vector<OfferedInterface> interfaces{};
  std::vector<std::string> not_offered{};  ///< that the model declares
  bool can_save = false;                   ///< the program can report its state
  std::size_t written = 0;                 ///< interfaces that were put into the model's file
};

/// <Interface name="..." .../> as a model declares it.
[[nodiscard]] std::string interface_tag(const transport::InterfaceMessage& interface);

/// Starts the program of a component of kind "process", or awaits it, asks it for its interfaces and lets it go. The
/// deadlines of the model hold. What the model has wrong goes to the diagnostics.
[[nodiscard]] core::Result<InquiryOutcome> inquire(const InquiryOptions& options, document::Diagnostics& diagnostics);

}  // namespace tieline::processes
