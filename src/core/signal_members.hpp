#pragma once

#include <string>
#include <string_view>

/// Signals of any size: an interface `y` of n numbers has the members `y[1]` to `y[n]`, each of which is a port of its
/// own. Where n is 1 the port has the name of the interface, and `y[1]` is another name of it.
namespace tieline::core {

/// More numbers in one signal are an expression gone wrong.
inline constexpr int kLargestSignal = 100'000;

/// The port of a member, counted from 1.
[[nodiscard]] std::string member_name(std::string_view interface, int size, int member);

struct MemberReference {
  std::string_view interface {};
  int member = 0;  ///< counted from 1; 0: none was named
};

/// Takes `y[2]` apart; what does not end with a number in brackets is the name of an interface.
[[nodiscard]] MemberReference split_member(std::string_view name);

}  // namespace tieline::core
