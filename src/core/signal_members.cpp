#include "core/signal_members.hpp"

#include <charconv>

namespace tieline::core {

std::string member_name(std::string_view interface, int size, int member) {
  std::string name(interface);
  return size == 1 ? name : name + "[" + std::to_string(member) + "]";
}

MemberReference split_member(std::string_view name) {
  const std::size_t open = name.rfind('[');
  if (open == name.npos || !name.ends_with(']')) return {name, 0};
  const char* const end = name.data() + name.size() - 1;
  int member = 0;
  const auto [stop, failure] = std::from_chars(name.data() + open + 1, end, member);
  if (failure != std::errc{} || stop != end || member < 1) return {name, 0};
  return {name.substr(0, open), member};
}

}  // namespace tieline::core
