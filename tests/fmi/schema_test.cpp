#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

#include "fmi/fmu_file.hpp"
#include "fmi/schema_check.hpp"
#include "test_fmus.hpp"

// Whether descriptions follow the standard. Each rule is broken once, in a description that is right otherwise.

namespace tieline::fmi {
namespace schema_test {

constexpr const char* kGood1 = R"xml(<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="1.0" modelName="m" modelIdentifier="m" guid="{1}" numberOfContinuousStates="1" numberOfEventIndicators="0" generationDateAndTime="2024-02-03T04:05:06Z">
  <UnitDefinitions><BaseUnit unit="rad"><DisplayUnitDefinition displayUnit="deg" gain="57.3"/></BaseUnit></UnitDefinitions>
  <TypeDefinitions><Type name="Angle"><RealType unit="rad"/></Type><Type name="Gear"><EnumerationType><Item name="first"/></EnumerationType></Type></TypeDefinitions>
  <DefaultExperiment startTime="0" stopTime="1" tolerance="1e-4"/>
  <ModelVariables>
    <ScalarVariable name="u" valueReference="1" causality="input"><Real declaredType="Angle" displayUnit="deg" start="0"/></ScalarVariable>
    <ScalarVariable name="x" valueReference="2"><Real start="1" fixed="true" min="0" max="2"/></ScalarVariable>
    <ScalarVariable name="der(x)" valueReference="3"><Real/></ScalarVariable>
    <ScalarVariable name="y" valueReference="2" causality="output" alias="alias"><Real/><DirectDependency><Name>u</Name></DirectDependency></ScalarVariable>
    <ScalarVariable name="n" valueReference="1" variability="parameter"><Integer start="3"/></ScalarVariable>
  </ModelVariables>
  <Implementation><CoSimulation_StandAlone><Capabilities canInterpolateInputs="true"/></CoSimulation_StandAlone></Implementation>
</fmiModelDescription>
)xml";

constexpr const char* kGood2 = R"xml(<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="m" guid="{1}" variableNamingConvention="structured" numberOfEventIndicators="0">
  <CoSimulation modelIdentifier="m" canGetAndSetFMUstate="true" canSerializeFMUstate="true"><SourceFiles><File name="m.c"/></SourceFiles></CoSimulation>
  <ModelExchange modelIdentifier="m"/>
  <UnitDefinitions><Unit name="rad"><BaseUnit rad="1"/><DisplayUnit name="deg" factor="57.3"/></Unit></UnitDefinitions>
  <TypeDefinitions>
    <SimpleType name="Angle"><Real unit="rad"/></SimpleType>
    <SimpleType name="Gear"><Enumeration><Item name="first" value="1"/><Item name="third" value="3"/></Enumeration></SimpleType>
  </TypeDefinitions>
  <LogCategories><Category name="logAll"/></LogCategories>
  <DefaultExperiment startTime="0" stopTime="1" tolerance="1e-4" stepSize="0.1"/>
  <VendorAnnotations><Tool name="a"><Own anything="x"/></Tool></VendorAnnotations>
  <ModelVariables>
    <ScalarVariable name="u" valueReference="1" causality="input"><Real declaredType="Angle" displayUnit="deg" start="0"/></ScalarVariable>
    <ScalarVariable name="x" valueReference="2" initial="exact"><Real start="1" min="0" max="2" nominal="1"/></ScalarVariable>
    <ScalarVariable name="der(x)" valueReference="3"><Real derivative="2"/></ScalarVariable>
    <ScalarVariable name="y[1]" valueReference="4" causality="output"><Real/></ScalarVariable>
    <ScalarVariable name="g.'odd name'" valueReference="5" causality="parameter" variability="tunable"><Enumeration declaredType="Gear" start="3"/></ScalarVariable>
    <ScalarVariable name="c" valueReference="6" causality="calculatedParameter" variability="fixed"><Real/></ScalarVariable>
  </ModelVariables>
  <ModelStructure>
    <Outputs><Unknown index="4" dependencies="1 2" dependenciesKind="dependent constant"/></Outputs>
    <Derivatives><Unknown index="3" dependencies=""/></Derivatives>
    <InitialUnknowns><Unknown index="3"/><Unknown index="4"/><Unknown index="6"/></InitialUnknowns>
  </ModelStructure>
</fmiModelDescription>
)xml";

constexpr const char* kGood3 = R"xml(<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0.1" modelName="m" instantiationToken="{1}">
  <ModelExchange modelIdentifier="m" vendorsOwn="true"/>
  <CoSimulation modelIdentifier="m" hasEventMode="true" fixedInternalStepSize="0.1"/>
  <UnitDefinitions><Unit name="rad"><BaseUnit rad="1"/><DisplayUnit name="deg" factor="57.3"/></Unit></UnitDefinitions>
  <TypeDefinitions><Float64Type name="Angle" unit="rad"/><EnumerationType name="Gear"><Item name="first" value="1"/></EnumerationType></TypeDefinitions>
  <DefaultExperiment startTime="0" stopTime="1"/>
  <ModelVariables>
    <Float64 name="time" valueReference="0" causality="independent" variability="continuous"/>
    <UInt64 name="n" valueReference="1" causality="structuralParameter" start="2"/>
    <Float64 name="u" valueReference="2" causality="input" declaredType="Angle" start="0 1"><Dimension valueReference="1"/></Float64>
    <Float64 name="x" valueReference="3" initial="exact" start="1"><Alias name="also x"/></Float64>
    <Float64 name="der(x)" valueReference="4" derivative="3"/>
    <Float64 name="y" valueReference="5" causality="output"/>
    <Clock name="tick" valueReference="6" causality="input" intervalVariability="constant" intervalDecimal="0.1"/>
    <Int32 name="held" valueReference="7" clocks="6"/>
    <String name="s" valueReference="8" causality="parameter"><Start value="any"/></String>
    <Binary name="b" valueReference="9" causality="parameter"><Start value="00ff"/></Binary>
    <Float64 name="z" valueReference="10"/>
    <Enumeration name="g" valueReference="11" causality="parameter" declaredType="Gear" start="1"/>
  </ModelVariables>
  <ModelStructure>
    <Output valueReference="5" dependencies="2" dependenciesKind="dependent"/>
    <ContinuousStateDerivative valueReference="4"/>
    <InitialUnknown valueReference="4"/>
    <InitialUnknown valueReference="5"/>
    <EventIndicator valueReference="10"/>
  </ModelStructure>
</fmiModelDescription>
)xml";

std::string found_in(const std::string& text) {
  document::Diagnostics diagnostics;
  check_description_rules(text, diagnostics);
  return diagnostics.describe();
}

/// One change, and what is reported then.
struct Broken {
  const char* from;
  const char* to;
  const char* report;
};

void expect_each(const char* good, const std::vector<Broken>& all) {
  EXPECT_EQ(found_in(good), "");
  for (const Broken& each : all) {
    SCOPED_TRACE(std::string(each.from) + " -> " + each.to);
    std::string text = good;
    const auto at = text.find(each.from);
    ASSERT_NE(at, text.npos);
    text.replace(at, std::string(each.from).size(), each.to);
    const std::string found = found_in(text);
    EXPECT_NE(found.find(each.report), found.npos) << found;
  }
}

TEST(Schema, RulesOfVersion1) {
  expect_each(
      kGood1,
      {{"guid=\"{1}\" ", "", ":2:1: error: <fmiModelDescription> has no attribute guid; expected any text"},
       {"guid=\"{1}\"", "guid=\" \"", "guid is empty"},
       {"fmiVersion=\"1.0\"", "fmiVersion=\"1.1\"",
        ":2:22: error: <fmiModelDescription>: fmiVersion is '1.1'; expected '1.0'"},
       {"numberOfContinuousStates=\"1\"", "numberOfContinuousStates=\"-1\"",
        "expected a whole number from 0 to 4294967295"},
       {"2024-02-03T04:05:06Z", "Feb 3 2024",
        "warning: <fmiModelDescription>: generationDateAndTime is 'Feb 3 2024'; expected a date and time"},
       {"<Item name=\"first\"/>", "<Item/>", "error: <Item> has no attribute name"},
       {"<Capabilities canInterpolateInputs=\"true\"/>", "", "contains nothing of <Capabilities>; expected one"},
       {"canInterpolateInputs=\"true\"", "canInterpolateInputs=\"yes\"",
        "canInterpolateInputs is 'yes'; expected true or false"},
       {"causality=\"output\"", "causality=\"outputs\"", "expected 'input', 'output', 'internal' or 'none'"},
       {"<Real/></ScalarVariable>", "</ScalarVariable>",
        "contains nothing of <Real>, <Integer>, <Boolean>, <String> or <Enumeration>"},
       {"alias=\"alias\"", "", "warning: 'y' has the value reference of 'x'"},
       {"valueReference=\"2\" causality=\"output\"", "valueReference=\"9\" causality=\"output\"",
        "'y' is an alias, but no variable"},
       {"name=\"n\"", "name=\"u\"", "error: the name 'u' is that of line 7, too"},
       {"declaredType=\"Angle\"", "declaredType=\"Angles\"", "error: 'u': the type 'Angles' is not declared"},
       {"declaredType=\"Angle\"", "declaredType=\"Gear\"",
        "error: 'u' is Real, and its declared type 'Gear' is Enumeration"},
       {"displayUnit=\"deg\" start", "displayUnit=\"grad\" start",
        "warning: 'u': the display unit 'grad' is not defined"},
       {"start=\"1\" fixed", "fixed", "warning: 'x' states fixed, but no start value"},
       {"min=\"0\" max=\"2\"", "min=\"3\" max=\"2\"", "error: 'x': max 2 is below min 3"},
       {"modelIdentifier=\"m\"", "modelIdentifier=\"1 m\"", "warning: modelIdentifier is '1 m'"},
       {"stopTime=\"1\"", "stopTime=\"0\"",
        "warning: <DefaultExperiment>: stopTime is 0; expected more than startTime, 0"}});
}

TEST(Schema, RulesOfVersion2) {
  expect_each(
      kGood2,
      {{"guid=\"{1}\" ", "", ":2:1: error: <fmiModelDescription> has no attribute guid"},
       {"<ModelExchange modelIdentifier=\"m\"/>", "<ModelExchange/>",
        ":4:3: error: <ModelExchange> has no attribute modelIdentifier"},
       {"<ModelExchange modelIdentifier=\"m\"/>", "<CoSimulation modelIdentifier=\"m\"/>",
        "error: a second <CoSimulation>; expected one"},
       {"canGetAndSetFMUstate=\"true\"", "",
        "warning: <CoSimulation>: canSerializeFMUstate is true, and canGetAndSetFMUstate is not"},
       {"canSerializeFMUstate", "canSerializeFMUState",
        "warning: <CoSimulation> has no attribute 'canSerializeFMUState' in this version of FMI (did you mean "
        "'canSerializeFMUstate'?)"},
       {"<Item name=\"third\" value=\"3\"/>", "<Item name=\"third\"/>",
        "error: <Item> of 'third' has no attribute value"},
       {"name=\"third\" value=\"3\"", "name=\"third\" value=\"1\"", "error: <Item> of 'third': '1' is there twice"},
       {"<LogCategories><Category name=\"logAll\"/></LogCategories>", "<LogCategories/>",
        "contains nothing of <Category>; expected at least one"},
       {"<Unit name=\"rad\">", "<Unit name=\"rads\">", "warning: 'u': the unit 'rad' is not defined"},
       {"<DisplayUnit name=\"deg\"", "<DisplayUnit name=\"grad\"",
        "warning: 'u': the display unit 'deg' is not defined"},
       {"<VendorAnnotations>", "<TypeDefinitions/><VendorAnnotations>",
        "warning: <TypeDefinitions> comes after <DefaultExperiment>"},
       {"<ModelVariables>", "<Speciality/><ModelVariables>",
        "warning: <Speciality> is not an element of <fmiModelDescription>"},
       {"stepSize=\"0.1\"", "stepSize=\"0\"", "warning: <DefaultExperiment>: stepSize is 0; expected more than 0"},
       {"tolerance=\"1e-4\"", "tolerance=\"1d-4\"",
        "error: <DefaultExperiment>: tolerance is '1d-4'; expected a number"},
       {"name=\"u\"", "name=\"x\"", "error: the name 'x' is that of line 14, too; expected each name once"},
       {"name=\"u\"", "name=\"Angle\"", "warning: the name 'Angle' is that of a declared type, too"},
       {"name=\"u\"", "name=\"2u\"", ":14:21: warning: '2u' is not a structured name"},
       {"causality=\"input\"", "causality=\"input\" initial=\"exact\"",
        "error: 'u' has causality input, variability continuous and initial exact; expected variability discrete or "
        "continuous, and no initial"},
       {"displayUnit=\"deg\" start=\"0\"", "displayUnit=\"deg\"",
        "error: 'u' (input) has no start value; expected one"},
       {"start=\"1\" min", "min", "error: 'x' (local, initial exact) has no start value"},
       {"initial=\"exact\"", "", "warning: 'x' has a start value, and initial is calculated; expected none"},
       {"start=\"1\" min", "start=\"5\" min", "warning: 'x': the start value 5 is out of bounds; expected 0 to 2"},
       {"nominal=\"1\"", "nominal=\"0\"", "error: 'x': the nominal value is 0; expected more than 0"},
       {"derivative=\"2\"", "derivative=\"9\"", "error: 'der(x)' is the derivative of '9', which does not exist"},
       {"derivative=\"2\"", "derivative=\"3\"",
        "error: 'der(x)' is the derivative of 'der(x)'; expected a continuous real variable other than itself"},
       {"<Real derivative=\"2\"/>", "<Real/>", "error: 'der(x)' is listed as a derivative, and does not state of what"},
       {"variability=\"tunable\"", "",
        "error: 'g.'odd name'' has causality parameter, variability discrete and initial exact; expected variability "
        "fixed or tunable"},
       {"Gear\" start=\"3\"", "Gear\" start=\"2\"",
        "error: 'g.'odd name'': the start value '2' is not an item of 'Gear'"},
       {"declaredType=\"Gear\" ", "", "error: <Enumeration> of 'g.'odd name'' has no attribute declaredType"},
       {"variability=\"fixed\"", "variability=\"Fixed\"",
        "variability is 'Fixed'; expected 'constant', 'fixed', 'tunable', 'discrete' or 'continuous'"},
       {"valueReference=\"6\"", "valueReference=\"-6\"",
        "valueReference is '-6'; expected a whole number from 0 to 4294967295"},
       {"<Outputs><Unknown index=\"4\"", "<Outputs><Unknown index=\"2\"",
        "error: the output 'y[1]' is missing in <ModelStructure>"},
       {"<Outputs><Unknown index=\"4\"", "<Outputs><Unknown index=\"2\"",
        "error: 'x' is listed as an output, and has causality local"},
       {"<Outputs><Unknown index=\"4\"", "<Outputs><Unknown index=\"0\"",
        "error: output '0' does not exist; expected the number of a variable"},
       {"dependencies=\"1 2\"", "dependencies=\"1 20\"", "error: the output depends on '20', which does not exist"},
       {"dependent constant", "dependent", "error: the output has 2 dependencies and 1 kinds of them"},
       {"dependent constant", "dependent linear",
        "dependenciesKind is 'dependent linear'; expected a list, each 'dependent'"},
       {"<Unknown index=\"6\"/>", "", "warning: 'c' is computed at the start and missing among the initial unknowns"},
       {"<Unknown index=\"6\"/>", "<Unknown index=\"6\"/><Unknown index=\"2\"/>",
        "warning: 'x' is listed as an initial unknown"},
       {"<Unknown index=\"6\"/>", "<Unknown index=\"6\"/><Unknown index=\"6\"/>",
        "error: initial unknown 'c' is there twice"}});
}

TEST(Schema, RulesOfVersion3) {
  expect_each(
      kGood3,
      {{"instantiationToken=\"{1}\"", "", "error: <fmiModelDescription> has no attribute instantiationToken"},
       {"3.0.1", "3.0.01", "fmiVersion is '3.0.01'; expected a version such as 3.0 or 3.0.1"},
       {"hasEventMode=\"true\"", "canReturnEarlyAfterIntermediateUpdate=\"true\"",
        "and providesIntermediateUpdate is not; expected both"},
       {"fixedInternalStepSize=\"0.1\"", "fixedInternalStepSize=\"0\"",
        "error: fixedInternalStepSize is 0; expected more than 0"},
       {"valueReference=\"5\" causality", "valueReference=\"4\" causality",
        "error: 'y' has the value reference 4 of 'der(x)'"},
       {"<Float64 name=\"time\" valueReference=\"0\" causality=\"independent\" variability=\"continuous\"/>", "",
        "warning: there is no independent variable"},
       {"name=\"y\" valueReference=\"5\" causality=\"output\"",
        "name=\"y\" valueReference=\"5\" causality=\"independent\"", "error: 'y' is independent, as is 'time'"},
       {"causality=\"structuralParameter\"", "causality=\"parameter\"",
        "expected the value reference of a structural parameter of type UInt64"},
       {"<Dimension valueReference=\"1\"/>", "<Dimension/>",
        "error: a dimension of 'u' has no size; expected either start or valueReference"},
       {"<Dimension valueReference=\"1\"/>", "<Dimension valueReference=\"1\" start=\"2\"/>", "has two sizes"},
       {"<Alias name=\"also x\"/>", "<Alias name=\"y\"/>", "error: the name 'y' is that of line 12, too"},
       {"intervalVariability=\"constant\" ", "", "error: <Clock> of 'tick' has no attribute intervalVariability"},
       {"intervalDecimal=\"0.1\"", "", "error: the clock 'tick' is constant and states no interval"},
       {"intervalDecimal=\"0.1\"", "intervalCounter=\"1\"", "states no resolution; expected one"},
       {"causality=\"input\" intervalVariability", "causality=\"output\" intervalVariability",
        "error: the output clock 'tick' is 'constant'; expected triggered"},
       {"clocks=\"6\"", "clocks=\"5\"", "error: 'held' names the clock '5'; expected the value reference of a <Clock>"},
       {"<Start value=\"any\"/>", "", "error: 's' (parameter, initial exact) has no start value"},
       {"<Start value=\"00ff\"/>", "<Start value=\"0f0\"/>",
        "value is '0f0'; expected two hexadecimal digits for each byte"},
       {"<Int32 name=\"held\"", "<Int32 variability=\"continuous\" name=\"held\"",
        "error: 'held' is Int32 and continuous; expected discrete"},
       {"start=\"0 1\"", "start=\"0 a\"", "start is '0 a'; expected a list, each a number"},
       {"derivative=\"3\"", "derivative=\"33\"",
        "error: 'der(x)' is the derivative of '33', which does not exist; expected the value reference of a variable"},
       {"name=\"z\" valueReference=\"10\"", "name=\"z\" valueReference=\"10\" variability=\"discrete\"",
        "error: the event indicator 'z' is discrete Float64"},
       {"<Output valueReference=\"5\" dependencies=\"2\" dependenciesKind=\"dependent\"/>", "",
        "error: the output 'y' is missing in <ModelStructure>"},
       {"declaredType=\"Gear\" start=\"1\"", "declaredType=\"Gear\" start=\"2\"",
        "error: 'g': the start value '2' is not an item of 'Gear'"}});
}

TEST(Schema, CountsWhatRepeats) {
  std::string text = kGood2;
  std::string more;
  for (int i = 0; i < 10; ++i) {
    more += "<ScalarVariable name=\"p" + std::to_string(i) + "\" valueReference=\"" + std::to_string(100 + i) +
            "\" odd=\"1\"><Real/></ScalarVariable>\n";
  }
  text.replace(text.find("  </ModelVariables>"), 0, more);
  const std::string found = found_in(text);
  EXPECT_NE(found.find("warning: and 7 more: unknown attributes"), found.npos) << found;
  EXPECT_EQ(found.find("'p3'"), found.npos) << found;
}

TEST(Schema, FmusOfTheTestsFollowIt) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TIELINE_TEST_FMUS)) {
    if (entry.path().extension() != ".fmu") continue;
    document::Diagnostics diagnostics;
    const auto fmu = open_fmu(entry.path(), diagnostics);
    ASSERT_TRUE(fmu);
    check_description_rules(*fmu, diagnostics);
    EXPECT_EQ(diagnostics.describe(), "") << entry.path();
    ++count;
  }
  EXPECT_GT(count, 60U);
}

}  // namespace schema_test
}  // namespace tieline::fmi
