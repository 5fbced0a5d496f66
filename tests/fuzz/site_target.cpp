#include <fstream>

#include "fuzz/targets.hpp"
#include "kinds/launch_plan.hpp"
#include "kinds/registry.hpp"
#include "model/reader.hpp"
#include "model/site.hpp"
#include "support/temporary_folder.hpp"

namespace tieline::fuzz {
namespace {

/// A component for every tool: what a command asks for is there.
constexpr const char* kModel = R"(<CompositeModel name="m"><Parameters><Parameter name="k" value="3"/></Parameters>
<Components><Component name="a" kind="process" file="a.in" largest_step="1e-6"><Environment name="A" value="{k}"/>
<Parameter name="n" value="{k/2}"/></Component></Components><Simulation stop="1"/></CompositeModel>)";

}  // namespace

void read_site_file(std::string_view input) {
  static const support::TemporaryFolder folder;
  const auto write = [&](const char* name, std::string_view text) {
    const auto file = folder.path() / name;
    std::ofstream(file, std::ios::binary).write(text.data(), static_cast<std::streamsize>(text.size()));
    return file;
  };
  const auto kinds = kinds::kind_descriptions();
  document::Diagnostics diagnostics;
  auto model = model::read_model(write("model.xml", kModel), {}, kinds, diagnostics);
  const model::Site site = model::read_site(write("site.xml", input), diagnostics);
  for (const model::Tool& tool : site.tools) {
    model->components.front().tool = tool.name;
    (void)kinds::launch_plan(model->simulation, model->components.front(), site, folder.path(), diagnostics);
  }
  (void)diagnostics.describe();
}

}  // namespace tieline::fuzz
