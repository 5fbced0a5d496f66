#pragma once

#include <string>

namespace tieline::core {

/// Why a call of the system failed, for people: the text of an errno. Where a limit was reached it says which, and how
/// to raise it.
[[nodiscard]] std::string system_reason(int error);
/// The same where a process or a thread could not be started.
[[nodiscard]] std::string reason_of_no_process(int error);

}  // namespace tieline::core
