// FMI 1.0, as several exporters write it.

#include <gtest/gtest.h>
#include <set>

#include "fmi/description_files.hpp"

namespace tieline::fmi {
namespace description1_test {

using Floats = std::vector<double>;
using Integers = std::vector<std::int64_t>;

TEST(Description1, ReadsAllOfAWellMadeFile) {
  const auto read = read_text(description_text("dymola1_style.xml"));
  ASSERT_TRUE(read.description) << read.diagnostics.describe();
  const Description& description = *read.description;
  EXPECT_EQ(read.diagnostics.describe(), "");
  EXPECT_EQ(description.version, 1);
  EXPECT_EQ(description.version_text, "1.0");
  EXPECT_EQ(description.model_name, "Machines.Axis");
  EXPECT_EQ(description.token, "{0d1f62c5-30b0-4cf8-a0f5-77c4f1a1c001}");
  EXPECT_EQ(description.description, "An axis & its load");
  EXPECT_TRUE(description.has_structured_names);
  EXPECT_EQ(description.event_indicator_count, 6u);
  EXPECT_EQ(description.experiment.stop_time, 2.5);
  EXPECT_EQ(description.experiment.tolerance, 1e-4);
}

TEST(Description1, DescribesHowTheFmuIsRun) {
  const auto exchange = read_text(description_text("dymola1_style.xml"));
  ASSERT_TRUE(exchange.description);
  EXPECT_FALSE(exchange.description->co_simulation);
  ASSERT_TRUE(exchange.description->model_exchange);
  EXPECT_EQ(exchange.description->model_exchange->model_identifier, "Machines_Axis");
  EXPECT_TRUE(exchange.description->model_exchange->needs_completed_integrator_step);
  EXPECT_FALSE(exchange.description->model_exchange->can_get_and_set_state);
  EXPECT_FALSE(exchange.description->model_exchange->provides_directional_derivatives);

  const auto alone = read_text(description_text("jmodelica1_style.xml"));
  ASSERT_TRUE(alone.description) << alone.diagnostics.describe();
  EXPECT_FALSE(alone.description->model_exchange);
  ASSERT_TRUE(alone.description->co_simulation);
  EXPECT_EQ(alone.description->co_simulation->model_identifier, "Oscillator");
  EXPECT_TRUE(alone.description->co_simulation->can_handle_variable_step_size);
  EXPECT_TRUE(alone.description->co_simulation->can_interpolate_inputs);
  EXPECT_EQ(alone.description->co_simulation->max_output_derivative_order, 2u);
  EXPECT_FALSE(alone.description->co_simulation->needs_execution_tool);

  const auto tool = read_text(description_text("silver1_style.xml"));
  ASSERT_TRUE(tool.description) << tool.diagnostics.describe();
  EXPECT_EQ(tool.diagnostics.describe(), "");
  EXPECT_TRUE(tool.description->co_simulation->needs_execution_tool);
  EXPECT_TRUE(tool.description->co_simulation->can_run_asynchronously);
  EXPECT_EQ(tool.description->co_simulation->mime_type, "application/x-silver");

  std::string by_hand = description_text("silver1_style.xml");
  by_hand.replace(by_hand.find("manualStart=\"false\""), 19, "manualStart=\"true\"");
  EXPECT_TRUE(read_text(by_hand).says("must be started by hand"));

  const auto once = read_text(description_text("simulationx1_style.xml"));
  ASSERT_TRUE(once.description) << once.diagnostics.describe();
  EXPECT_TRUE(once.description->co_simulation->can_be_instantiated_only_once_per_process);
  EXPECT_FALSE(once.description->co_simulation->can_handle_variable_step_size);
}

TEST(Description1, KnowsKindsAsLaterVersionsStateThem) {
  const auto read = read_text(description_text("dymola1_style.xml"));
  const auto expect = [&](const char* name, Causality causality, Variability variability, Initial initial) {
    EXPECT_EQ(read[name].causality, causality) << name;
    EXPECT_EQ(read[name].variability, variability) << name;
    EXPECT_EQ(read[name].initial, initial) << name;
  };
  expect("J", Causality::parameter, Variability::fixed, Initial::exact);
  expect("J_total", Causality::calculated_parameter, Variability::fixed, Initial::calculated);
  expect("preload", Causality::calculated_parameter, Variability::fixed, Initial::approx);
  expect("pi", Causality::local, Variability::constant, Initial::exact);
  expect("phi", Causality::local, Variability::continuous, Initial::exact);
  expect("w", Causality::local, Variability::continuous, Initial::approx);
  expect("der(w)", Causality::local, Variability::continuous, Initial::calculated);
  expect("tau", Causality::input, Variability::continuous, Initial::none);
  expect("speed", Causality::output, Variability::continuous, Initial::calculated);
  expect("running", Causality::output, Variability::discrete, Initial::calculated);
  expect("turns", Causality::local, Variability::discrete, Initial::calculated);
  expect("rated", Causality::output, Variability::discrete, Initial::calculated);
  // An input that never changes is a parameter; a variable for the tool is one as well.
  EXPECT_EQ(read_text(description_text("simulationx1_style.xml"))["stage"].causality, Causality::parameter);
  EXPECT_EQ(read_text(description_text("jmodelica1_style.xml"))["_log_level"].causality, Causality::parameter);
}

TEST(Description1, FillsDeclaredTypesIn) {
  const auto read = read_text(description_text("dymola1_style.xml"));
  EXPECT_EQ(read["phi"].unit, "rad");
  EXPECT_EQ(read["phi"].display_unit, "deg");
  EXPECT_EQ(read["w"].nominal, 100.0);
  EXPECT_EQ(read["J"].min, 0.0);
  EXPECT_EQ(std::get<Floats>(read["J"].start), Floats{0.25});
  ASSERT_NE(read["mode"].declared_type, kNone);
  const TypeDefinition& mode = read.description->types[read["mode"].declared_type];
  ASSERT_EQ(mode.items.size(), 3u);
  EXPECT_EQ(mode.items[2].name, "fast");
  EXPECT_EQ(mode.items[2].value, 3) << "items are counted";
  EXPECT_EQ(std::get<Integers>(read["mode"].start), Integers{2});
  const Unit* const kelvin = read.description->unit_named("K");
  ASSERT_NE(kelvin, nullptr);
  ASSERT_EQ(kelvin->display_units.size(), 1u);
  EXPECT_EQ(kelvin->display_units[0].name, "degC");
  EXPECT_EQ(kelvin->display_units[0].offset, -273.15);
  EXPECT_DOUBLE_EQ(read.description->unit_named("rad")->display_units[0].factor, 57.295779513082323);
}

TEST(Description1, FindsOutputsAndWhatTheyDependOn) {
  const auto read = read_text(description_text("dymola1_style.xml"));
  const Description& description = *read.description;
  const auto& outputs = description.structure.outputs;
  ASSERT_EQ(outputs.size(), 5u);
  EXPECT_EQ(description.variables[outputs[0].variable].name, "reaction");
  EXPECT_FALSE(outputs[0].dependencies) << "it may depend on everything";
  ASSERT_TRUE(outputs[1].dependencies);
  EXPECT_TRUE(outputs[1].dependencies->empty());
  ASSERT_TRUE(outputs[2].dependencies);
  ASSERT_EQ(outputs[2].dependencies->size(), 1u);
  EXPECT_EQ((*outputs[2].dependencies)[0].variable, description.index_of("tau"));
  const auto wrong = read_text(description_text("simulationx1_style.xml"));
  EXPECT_TRUE(wrong.says("a dependency on 'p_on', which does not exist")) << wrong.diagnostics.describe();
  EXPECT_FALSE(wrong.description->structure.outputs[1].dependencies);
}

TEST(Description1, FindsStatesByTheNamesOfTheirDerivatives) {
  const auto read = read_text(description_text("dymola1_style.xml"));
  ASSERT_EQ(read.description->structure.derivatives.size(), 2u);
  EXPECT_EQ(read["der(phi)"].derivative_of, read.description->index_of("phi"));
  EXPECT_EQ(read["der(w)"].derivative_of, read.description->index_of("w"));
  const auto plain = read_text(description_text("fmusdk1_style.xml"));
  ASSERT_TRUE(plain.description) << plain.diagnostics.describe();
  EXPECT_EQ(plain.diagnostics.describe(), "");
  EXPECT_EQ(plain["der(v)"].derivative_of, plain.description->index_of("v"));
  // Arrays are taken apart; a derivative of what is not there does not count.
  const auto arrays = read_text(description_text("jmodelica1_style.xml"));
  EXPECT_EQ(arrays["der(x[2])"].derivative_of, arrays.description->index_of("x[2]"));
  EXPECT_EQ(arrays.description->scalars_of("x").size(), 2u);
  // Where names do not tell, there are as many states as stated.
  const auto unknown = read_text(description_text("simulationx1_style.xml"));
  ASSERT_EQ(unknown.description->structure.derivatives.size(), 4u);
  EXPECT_EQ(unknown.description->structure.derivatives[0].variable, kNone);
}

TEST(Description1, NegatedAliasesHaveReferencesOfTheirOwn) {
  const auto read = read_text(description_text("dymola1_style.xml"));
  const Description& description = *read.description;
  EXPECT_EQ(read["flange.tau"].reference, read["tau"].reference);
  const NegatedAliases& negated = description.negated_aliases;
  ASSERT_EQ(negated.references.size(), 2u);
  EXPECT_TRUE(negated.holds(read["reaction"].reference));
  EXPECT_TRUE(negated.holds(read["stopped"].reference));
  EXPECT_FALSE(negated.holds(read["tau"].reference));
  EXPECT_EQ(negated.own(read["reaction"].reference), 352321536u);
  EXPECT_EQ(negated.own(read["stopped"].reference), 637534208u);
  EXPECT_EQ(negated.own(read["tau"].reference), 352321536u);
  // Nobody else has them.
  std::multiset<std::uint32_t> references;
  for (const Variable& variable : description.variables) references.insert(variable.reference);
  for (std::uint32_t i = 0; i < 2; ++i) EXPECT_EQ(references.count(negated.first + i), 1u);
  // Only one of a set of aliases states the start value.
  const auto other = read_text(description_text("jmodelica1_style.xml"));
  EXPECT_EQ(std::get<Floats>(other["minus_u"].start), Floats{-0.5});
  EXPECT_EQ(other.description->negated_aliases.own(other["minus_u"].reference), 4u);
}

TEST(Description1, TakesWhatIsMeant) {
  const auto read = read_text(
      "<fmiModelDescription modelName='m' modelIdentifier='m' guid='g' numberOfContinuousStates='0' "
      "numberOfEventIndicators='0' copyright='c'><ModelVariables>"
      "<ScalarVariable name='a' valueReference='4294967294' causality='local' variability='fixed' alias='other'>"
      "<Real start='1'/></ScalarVariable>"
      "<ScalarVariable name='b' valueReference='0' alias='negatedAlias'><String/></ScalarVariable>"
      "<ScalarVariable name='c' valueReference='4294967294' alias='negatedAlias'><Real/></ScalarVariable>"
      "</ModelVariables><Implementation><CoSimulation_StandAlone/></Implementation></fmiModelDescription>");
  ASSERT_TRUE(read.description) << read.diagnostics.describe();
  EXPECT_EQ(read.description->version, 1);
  for (const char* words :
       {"the attribute fmiVersion is missing; 1.0 is assumed", "'a': causality 'local' is not known; 'internal'",
        "'a': variability 'fixed' is not known; 'continuous'", "'a': alias 'other' is not known",
        "'b': alias 'negatedAlias' is not known for a String", "<CoSimulation_StandAlone> has no <Capabilities>",
        "copyright"}) {
    EXPECT_TRUE(read.says(words)) << words << "\n" << read.diagnostics.describe();
  }
  EXPECT_EQ(read["a"].causality, Causality::local);
  EXPECT_EQ(read["c"].reference, 1u);
  EXPECT_EQ(read.description->negated_aliases.own(1), 4294967294u);
}

TEST(Description1, RefusesWhatCannotBeRun) {
  const auto refused = [](std::string_view head, std::string_view content, std::string_view words) {
    const auto read = read_text("<fmiModelDescription fmiVersion='1.0' modelName='m' guid='g' " + std::string(head) +
                                "><ModelVariables/>" + std::string(content) + "</fmiModelDescription>");
    EXPECT_FALSE(read.description) << words;
    EXPECT_TRUE(read.says(words)) << words << "\n" << read.diagnostics.describe();
  };
  refused("", "", "the attribute modelIdentifier is missing");
  refused("modelIdentifier='../evil'", "", "modelIdentifier is '../evil', but must be the name of a file");
  refused("modelIdentifier='m'", "<Implementation/>", "neither <CoSimulation_StandAlone> nor <CoSimulation_Tool>");
  refused("modelIdentifier='m' numberOfContinuousStates='4000000000'", "", "4000000000 continuous states");
}

}  // namespace description1_test
}  // namespace tieline::fmi
