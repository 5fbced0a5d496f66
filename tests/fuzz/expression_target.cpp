#include <array>

#include "document/scope.hpp"
#include "document/time_function.hpp"
#include "fuzz/targets.hpp"

namespace tieline::fuzz {

void read_expression(std::string_view input) {
  document::Diagnostics diagnostics;
  document::Scope scope;
  scope.set("k", 3.0);
  scope.define("m", "{k/2}", {"scope", 1, 1});
  // A definition may use any name, itself too.
  scope.define("x", std::string(input), {"scope", 2, 1});
  (void)scope.value_of("x", {"use", 1, 1}, diagnostics);
  (void)scope.evaluate(input, {"number", 1, 1}, diagnostics);
  (void)scope.interpolate(input, {"name", 1, 1}, diagnostics);
  const std::array<std::string, 2> inputs{"u", "v"};
  const std::map<std::string, document::Table> tables{
      {"held", {{0.0, 1.0, 2.0}, {1.0, -1.0, 3.0}, document::Table::Join::hold}},
      {"smooth", {{0.0, 1.0, 2.0}, {1.0, -1.0, 3.0}, document::Table::Join::smooth}}};
  auto function = document::TimeFunction::compile(input, {"function", 1, 1}, scope, inputs, tables, diagnostics);
  if (!function) return;
  const std::array<double, 2> values{0.5, -2.0};
  std::vector<double> guards(static_cast<std::size_t>(function->switch_count()));
  for (const double t : {-1.0, 0.0, 0.3, 1.0, 1e9}) {
    function->update_switches(t, values);
    (void)function->value(t, values);
    function->guards(t, values, guards);
    (void)function->next_break(t);
    (void)function->unseen(t, t + 0.1, 1e-6);
  }
}

}  // namespace tieline::fuzz
