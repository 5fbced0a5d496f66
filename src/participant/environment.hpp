#pragma once

#include <map>
#include <string>
#include <vector>

namespace tieline::participant {

/// Environment variables by their names; sorted, so that they are reported in one order.
using Environment = std::map<std::string, std::string>;

/// This process's own environment with `additions`, which count where both have a name; as execve() wants it:
/// "name=value".
[[nodiscard]] std::vector<std::string> environment_with(const Environment& additions);

/// Takes a secret out of this process's environment: its value, empty where there is none. Afterwards neither what is
/// loaded, nor what is started, nor /proc finds it.
[[nodiscard]] std::string take_secret(const char* name);

}  // namespace tieline::participant
