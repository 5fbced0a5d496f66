#include "interchange/modelica_model.hpp"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

#include "interchange/modelica_expression.hpp"
#include "modelica/source_text.hpp"
#include "modelica/token.hpp"
#include "support/temporary_folder.hpp"

namespace tieline::interchange {
namespace modelica_model_test {

/// A file in Modelica with others beside it, and what it is in our format.
class ModelicaFile {
 public:
  explicit ModelicaFile(const std::string& text, const std::string& name = "model.mo") : path_(folder_.path() / name) {
    write(name, text);
  }
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder_.path() / name).parent_path());
    std::ofstream(folder_.path() / name, std::ios::binary) << text;
  }
  /// `part`: the model that is asked for; empty: none.
  std::string read(std::span<const model::Override> overrides = {}, const std::string& part = "") {
    Source source(part.empty() ? path_ : std::filesystem::path(path_.string() + "#" + part));
    auto imported = import_model(source, {.overrides = overrides}, diagnostics);
    if (!imported) return "";
    report = std::move(imported->report);
    const std::string& text = imported->document->source();
    return text.substr(text.find('\n') + 1);
  }
  /// "line:column: error: message", one line each.
  [[nodiscard]] std::string said() const {
    std::string text;
    for (const auto& entry : diagnostics.all()) {
      const std::string line = entry.describe();
      text += (line.starts_with(path_.string()) ? line.substr(path_.string().size() + 1) : line) + "\n";
    }
    return text;
  }

  document::Diagnostics diagnostics{};
  ConversionReport report{};

 private:
  support::TemporaryFolder folder_{};
  std::filesystem::path path_;
};

constexpr const char* kPlant = R"(package Plant
  model Body "A mass"
    extends Tieline.Components.Network(file="mass.xml");
    parameter Real m(unit="kg") = 1 "mass";
    Tieline.Interfaces.Translation left, right;
  end Body;
  model Pair "Two bodies"
    extends Tieline.BaseModel(solver="rk4", step=1e-5);
    parameter Real k(unit="N.m/rad") = 2*1e6;
    parameter Integer N = 2;
    Body body[N](m={1 + 0.5*i for i in 1:N}, each tolerance=1e-9);
    Body last(m=k/1e6 + N) if N > 1 "the last one" annotation(Placement(transformation(extent={{70,-10},{90,10}})));
    Tieline.Connections.Lines.Translation line[N](each stiffness=k, delay={1e-4, 2e-4});
    Tieline.Boundaries.Translation push(as="force", value="{sin(t)}");
  equation
    for i in 1:N - 1 loop
      connect(body[i].right, line[i].from);
      connect(line[i].to, body[i + 1].left);
    end for;
    connect(body[end].right, line[N].from);
    connect(line[N].to, last.left);
    connect(push.port, body[1].left);
    annotation(experiment(StartTime=0, StopTime=0.01, Interval=1e-3));
  end Pair;
end Plant;
)";

TEST(ModelicaModel, ArraysLoopsAndExpressionsBecomeComponentsAndConnections) {
  ModelicaFile file(kPlant);
  EXPECT_EQ(file.read(), R"(<CompositeModel name="Pair">
  <Description>Two bodies</Description>
  <Parameters>
    <Parameter name="k" value="{2*1e6}" unit="N m/rad"/>
    <Parameter name="N" value="2"/>
  </Parameters>
  <Components>
    <Component name="body_1" kind="network" file="mass.xml" tolerance="1e-9">
      <Parameter name="m" value="{1 + 0.5*1}" unit="kg" description="mass"/>
      <Interface name="left" domain="translation"/>
      <Interface name="right" domain="translation"/>
    </Component>
    <Component name="body_2" kind="network" file="mass.xml" tolerance="1e-9">
      <Parameter name="m" value="{1 + 0.5*2}" unit="kg" description="mass"/>
      <Interface name="left" domain="translation"/>
      <Interface name="right" domain="translation"/>
    </Component>
    <Component name="last" kind="network" enabled="{N &gt; 1}" file="mass.xml" diagram_x="2" diagram_y="0">
      <Description>the last one</Description>
      <Parameter name="m" value="{k/1e6 + N}" unit="kg" description="mass"/>
      <Interface name="left" domain="translation"/>
      <Interface name="right" domain="translation"/>
    </Component>
  </Components>
  <Connections>
    <Connection name="line_1" from="body_1.right" to="body_2.left" coupling="line" delay="1e-4" stiffness="{k}"/>
    <Connection name="line_2" from="body_2.right" to="last.left" coupling="line" delay="2e-4" stiffness="{k}"/>
    <Open interface="body_1.left" as="force" value="{sin(t)}"/>
  </Connections>
  <Simulation start="0" stop="0.01" solver="rk4" step="1e-5" write_interval="1e-3"/>
</CompositeModel>
)");
  EXPECT_EQ(file.said(), "");
}

TEST(ModelicaModel, SettingsOfTheCommandLineCountForSizesOfArrays) {
  std::string text = kPlant;
  text.replace(text.find("delay={1e-4, 2e-4}"), 18, "each delay=1e-4");
  ModelicaFile file(text);
  const std::vector<model::Override> overrides{{"N", "4"}};
  EXPECT_NE(file.read(overrides).find("name=\"line_4\""), std::string::npos) << file.said();
}

/// Of section 4.5 of [Siemers2005], with two of its four joints; `name` is what the equations call them.
std::string hub(const std::string& name) {
  return "model BeastHubInAdamsCar\n  extends MetaModel.BaseMetaModel;\n"
         "  MetaModel.UserComponents.BeastCarCorner BeastHubUnit(Description=\"A hub\", "
         "SimulationFiles=\"CarCorner.in\",\n"
         "    StartMethod=\"start-beast\");\n"
         "  MetaModel.UserComponents.AdamsCarModel AdamsCar(SimulationFiles=\"car.cmd, tyre.tir\");\n"
         "  MetaModel.Connections.TLMConnection TLM1;\n  MetaModel.Connections.TLMConnection TLM2(zf=1e4, "
         "zfr=0);\nequation\n"
         "  connect(AdamsCar.p1,\n    " +
         name + "1.p1);\n  connect(" + name + "1.p2, BeastHubUnit.p1);\n  connect(AdamsCar.p2, " + name +
         "2.p1);\n  connect(" + name + "2.p2, BeastHubUnit.p2);\nend BeastHubInAdamsCar;\n";
}

TEST(ModelicaModel, ThePapersLibraryIsKnown) {
  ModelicaFile file(hub("TLM"));
  const std::string text = file.read();
  for (const char* part :
       {"<Component name=\"BeastHubUnit\" kind=\"process\" file=\"CarCorner.in\" tool=\"start-beast\">",
        "<Description>A hub</Description>", "tool=\"start-adams\"", "<InputFile path=\"tyre.tir\"/>",
        "<Interface name=\"p4\" domain=\"mechanical3d\"/>",
        "<Connection name=\"TLM1\" from=\"AdamsCar.p1\" to=\"BeastHubUnit.p1\" coupling=\"line\" enabled=\"0\" "
        "impedance=\"0\"",
        "impedance=\"1e4\" free_axes=\"rx, ry, rz\" damping=\"0\" delay=\"0.001\"",
        "<Simulation start=\"0\" stop=\"1\"/>"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  EXPECT_EQ(file.said(),
            "6:39: warning: connection 'TLM1' has the impedance 0: a line without impedance carries no force, so this "
            "connection is disabled; give it the impedance of the joint [N s/m]\n");
}

TEST(ModelicaModel, ThePapersMixedUpNamesAreErrorsWithAProposal) {
  ModelicaFile file(hub("TLMConnection"));
  (void)file.read();
  const std::string said = file.said();
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 4) << said;
  EXPECT_NE(said.find("10:5: error: the model has no component 'TLMConnection1'; 'TLM1', a "
                      "MetaModel.Connections.TLMConnection declared in line 6, is not connected: write 'TLM1' here, or "
                      "declare it as 'TLMConnection1'"),
            std::string::npos)
      << said;
}

TEST(ModelicaModel, NestedModelsAndSeveralFiles) {
  ModelicaFile file(R"(within Lib.Machines;
model Drive
  extends Tieline.BaseModel;
  parameter Real c = 5;
  Parts.Half half(q=2*c, solver="rk4");
  Parts.Wheel wheel;
  Tieline.Connections.Lines.Rotation shaft(impedance=c, delay=1e-4);
equation
  connect(half.out, shaft.from); connect(shaft.to, wheel.hub);
  annotation(experiment(StopTime=1));
end Drive;
)",
                    "Lib/Machines/Drive.mo");
  file.write("Lib/package.mo", "package Lib end Lib;");
  file.write("Lib/Machines/package.mo", "within Lib; package Machines end Machines;");
  file.write("Lib/Parts.mo", R"(within Lib;
package Parts
  model Wheel extends Tieline.Components.Network(file="wheel.xml"); Tieline.Interfaces.Rotation hub; end Wheel;
  model Half
    extends Tieline.BaseModel;
    parameter Real q = 1 "quantity";
    Wheel inner_wheel(tolerance=q*1e-9);
    Tieline.Interfaces.Rotation out;
  equation
    connect(inner_wheel.hub, out);
  end Half;
end Parts;
)");
  const std::string text = file.read();
  for (const char* part :
       {"<Component name=\"half\" kind=\"composite\" solver=\"rk4\">\n      <Parameter name=\"q\" value=\"{2*c}\"/>",
        "<Parameter name=\"q\" value=\"1\" description=\"quantity\"/>", "file=\"../wheel.xml\" tolerance=\"{q*1e-9}\"",
        "<Interface name=\"out\" of=\"inner_wheel.hub\"/>", "from=\"half.out\" to=\"wheel.hub\""}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text << file.said();
  }
  EXPECT_EQ(file.said(), "");
}

TEST(ModelicaModel, StandardTypesTextsConditionsAndSlices) {
  ModelicaFile file(R"(model A
  import SI = Modelica.Units.SI;
  extends Modelica.Icons.Example;
  parameter SI.Mass m = 2;
  parameter String dir = ".";
  parameter Real masses[3] = {1, 2, 3};
  parameter Boolean big = true;
  model Body
    extends Tieline.Components.Network(file=where + "/mass.xml");
    parameter String where = "parts";
    parameter Real m = 1;
    Tieline.Interfaces.Translation left, right;
    Modelica.Blocks.Interfaces.RealInput u[2];
  end Body;
  Body b1(m=masses[2]*Modelica.Constants.pi, where=dir), b2[2,2](each m=m) if big;
  Tieline.Connections.Lines.Translation l[2](each stiffness=1e6, delay=fill(1e-4, 2));
  Tieline.Connections.Gluing gluing(step=1e-5);
equation
  connect(b1.right, l[1].from);
  if big then connect(l[1].to, b2[1,1].left); else connect(l[1].to, b1.left); end if;
  connect(b2[2,:].left, b2[1,:].right);
  connect(b2[2,end].right, l[2:2].from);
  connect(l[2].to, b1.left);
  annotation(experiment(StopTime=1));
end A;
)");
  const std::string text = file.read();
  for (const char* part :
       {"<Parameter name=\"m\" value=\"2\"/>", "<Parameter name=\"big\" value=\"1\"/>", "file=\"./mass.xml\"",
        "value=\"{2*pi}\"", "name=\"b2_2_1\"", "enabled=\"{big}\"",
        "name=\"u\" domain=\"signal\" causality=\"input\" size=\"2\"", "from=\"b1.right\" to=\"b2_1_1.left\"",
        "from=\"b2_2_1.left\" to=\"b2_1_1.right\" coupling=\"glue\"", "from=\"b2_2_2.right\" to=\"b1.left\"",
        "<Gluing step=\"1e-5\"/>"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text << file.said();
  }
  EXPECT_FALSE(file.diagnostics.has_errors()) << file.said();
}

TEST(ModelicaModel, UnitsThatDoNotFitAreNamed) {
  ModelicaFile file(R"(model A
  extends Tieline.BaseModel;
  model Body
    extends Tieline.Components.Network(file="mass.xml");
    parameter Real c(unit="N.s/m") = 1;
    Tieline.Interfaces.Translation left, right;
  end Body;
  parameter Real m(unit="kg") = 2;
  parameter Real d(unit="kg/s") = 2 "the same as N.s/m";
  Body a(c=m), b(c=d);
  Tieline.Connections.Lines.Translation l(stiffness=1e6, delay=m);
equation
  connect(a.right, l.from);
  connect(l.to, b.left);
  annotation(experiment(StopTime=1));
end A;
)");
  (void)file.read();
  const std::string said = file.said();
  EXPECT_NE(said.find("10:12: warning: 'm' is measured in 'kg', but 'c' in 'N s/m'"), std::string::npos) << said;
  EXPECT_NE(said.find("11:64: warning: 'm' is measured in 'kg', but 'delay' in 's'"), std::string::npos) << said;
  EXPECT_EQ(said.find("'d' is measured"), std::string::npos) << said;
}

TEST(ModelicaModel, DataOfRecordsAndEnumerationsAreNumbers) {
  ModelicaFile file(R"(package Bench
  type Grade = enumeration(soft, hard);
  record Rod
    parameter Real k = 1e6;
    parameter Real delay = 1e-4;
    parameter Grade grade = Grade.soft;
  end Rod;
  constant Rod steel(k = 2e6);
  model Body
    extends Tieline.Components.Network(file="mass.xml");
    Tieline.Interfaces.Translation end_;
  end Body;
  partial model Base
    extends Tieline.BaseModel;
    parameter Rod rod = steel;
    parameter Grade wear = Grade.hard;
    parameter Real ratio = rod.k/steel.k;
    Body left, right;
    Tieline.Connections.Lines.Translation line(
      stiffness=rod.k*ratio*(if rod.grade == Grade.hard and wear == Grade.hard then 2 else 1), delay=rod.delay);
  equation
    connect(left.end_, line.from);
    connect(line.to, right.end_);
  end Base;
  model Soft extends Base; end Soft;
  model Hard extends Base(rod(grade=Grade.hard)); end Hard;
end Bench;
)");
  const std::string hard = file.read({}, "Hard");
  EXPECT_EQ(file.diagnostics.error_count(), 0u) << file.said();
  EXPECT_NE(hard.find(R"(<Parameter name="ratio" value="{2e6/2e6}"/>)"), std::string::npos) << hard;
  EXPECT_NE(hard.find(R"(stiffness="{2e6*ratio*(2 == 2 &amp;&amp; 2 == 2 ? 2 : 1)}")"), std::string::npos) << hard;
  const std::string soft = file.read({}, "Bench.Soft");
  EXPECT_NE(soft.find(R"(delay="1e-4" stiffness="{2e6*ratio*(1 == 2 &amp;&amp; 2 == 2 ? 2 : 1)}")"), std::string::npos)
      << soft;
}

TEST(ModelicaModel, TwoSourcesOfOneInputAreAnError) {
  const std::string parts = R"(model M
  extends Tieline.BaseModel;
  model T extends Tieline.Components.Blocks(file="b.xml"); Tieline.Interfaces.SignalInput u; Tieline.Interfaces.SignalOutput y; end T;
  parameter Boolean first = true;
)";
  ModelicaFile file(parts + "  T a, b, c;\nequation\n  connect(a.y, c.u);\n  connect(c.u, b.y);\nend M;\n");
  (void)file.read();
  EXPECT_NE(file.said().find("8:11: error: input 'c.u' has two sources: 'b.y' here, and 'a.y' in line 7"),
            std::string::npos)
      << file.said();
  ModelicaFile either(
      parts + "  T a if first; T b if not first; T c;\nequation\n  connect(a.y, c.u);\n  connect(b.y, c.u);\nend M;\n");
  (void)either.read();
  EXPECT_EQ(either.diagnostics.error_count(), 0u) << either.said();
}

TEST(ModelicaModel, OneOfSeveralModelsCanBeNamed) {
  ModelicaFile file(R"(package Two
  model A extends Tieline.BaseModel; annotation(experiment(StopTime=1)); end A;
  model B extends A; annotation(experiment(StopTime=2)); end B;
end Two;
)");
  EXPECT_NE(file.read({}, "A").find("name=\"A\""), std::string::npos) << file.said();
  // What a model states of its run goes before what it extends states.
  const std::string b = file.read({}, "Two.B");
  EXPECT_NE(b.find("name=\"B\""), std::string::npos) << file.said();
  EXPECT_NE(b.find("stop=\"2\""), std::string::npos) << b;
  EXPECT_EQ(file.said(), "");
  EXPECT_EQ(file.read({}, "Two.C"), "");
  EXPECT_NE(file.said().find("the file contains no model 'Two.C' (did you mean 'Two.A'?)"), std::string::npos)
      << file.said();
}

TEST(ModelicaModel, ResourcesAreFiles) {
  ModelicaFile file(R"(package P
  model M
    extends Tieline.BaseModel;
    parameter Integer k = 3;
    Tieline.Components.Network a(file=Modelica.Utilities.Files.loadResource("modelica://P/mass.xml"));
    Tieline.Components.Network b(file="mass" + String(k) + ".xml");
    annotation(experiment(StopTime=1));
  end M;
end P;
)");
  const std::string text = file.read();
  EXPECT_EQ(file.diagnostics.error_count(), 0u) << file.said();
  EXPECT_NE(text.find(R"(<Component name="a" kind="network" file="mass.xml")"), std::string::npos) << text;
  EXPECT_NE(text.find(R"(<Component name="b" kind="network" file="mass3.xml")"), std::string::npos) << text;
}

TEST(ModelicaModel, ModelsInFilesOfAPackageAreFound) {
  ModelicaFile file("package Plant end Plant;", "Plant/package.mo");
  file.write("Plant/Run.mo", "within Plant; model Run extends Tieline.BaseModel; end Run;");
  EXPECT_NE(file.read().find("name=\"Run\""), std::string::npos) << file.said();
}

TEST(ModelicaModel, MistakesAreNamedAllAtOnce) {
  ModelicaFile file(R"(model M
  extends Tieline.BaseModel(tolerence=1);
  model A extends Tieline.Components.Network(file="a.xml"); Tieline.Interfaces.Translation left; end A;
  A a(tolerance=kk);
  Tieline.Components.Netwrk b;
  Tieline.Connections.Lines.Translation line, unused;
  Real x;
equation
  connect(a.lefft, line.from);
  connect(c.left, line.to);
  connect(a[2].left, a.left);
  x = 1;
  annotation(experiment(StopTime=1));
end M;
)");
  (void)file.read();
  for (const char* part :
       {"2:29: error: 'Tieline.BaseModel' has no 'tolerence' (did you mean 'tolerance'?)",
        "4:17: error: 'kk' cannot be written as a number of a composite model: 'kk' is not known here",
        "5:3: error: there is no class 'Netwrk' in 'Tieline.Components', part of 'Tieline.Components.Netwrk' (did you "
        "mean 'Network'?)",
        "6:47: error: the connection 'unused' is not connected to anything",
        "7:8: warning: 'x' is a Real, which has no meaning in a composite model; it is left out",
        "9:13: error: component 'a' has no interface 'lefft' (did you mean 'left'?)",
        "10:11: error: the model has no component 'c'", "11:11: error: 'a' has 0 dimensions, not 1",
        "12:3: warning: an equation has no meaning in a composite model"}) {
    EXPECT_NE(file.said().find(part), std::string::npos) << part << "\n" << file.said();
  }
}

TEST(ModelicaModel, AnEndThatIsConnectedTwiceNamesBothPartners) {
  ModelicaFile file(R"(model M
  extends Tieline.BaseModel;
  model A extends Tieline.Components.Network(file="a.xml"); Tieline.Interfaces.Translation left; end A;
  A a, b, c;
  Tieline.Connections.Lines.Translation line(stiffness=1e5, delay=1e-4);
equation
  connect(a.left, line.from);
  connect(b.left, line.to);
  connect(c.left, line.to);
  annotation(experiment(StopTime=1));
end M;
)");
  (void)file.read();
  EXPECT_NE(file.said().find("9:11: error: the end 'to' of connection 'line' is connected 2 times, to 'b.left', "
                             "'c.left'; expected one interface"),
            std::string::npos)
      << file.said();
}

TEST(ModelicaModel, SurvivesEveryWordThatIsLeftOutDoubledOrReplaced) {
  const modelica::SourceText source("plant", kPlant);
  document::Diagnostics ignored;
  const auto tokens = modelica::tokenize(source, ignored);
  std::size_t readings = 0;
  for (std::size_t i = 0; i + 1 < tokens.size(); i += 11) {
    for (const std::string& replacement :
         {std::string(), std::string(tokens[i].text) + " " + std::string(tokens[i].text), std::string("end"),
          std::string("(")}) {
      std::string text = kPlant;
      text.replace(tokens[i].offset, tokens[i].text.size(), replacement);
      ModelicaFile file(text);
      const std::string read = file.read();
      EXPECT_TRUE(!read.empty() || file.diagnostics.has_errors()) << text;
      ++readings;
    }
  }
  EXPECT_GT(readings, 60u);
}

TEST(ModelicaExpression, OurExpressionsInModelica) {
  const ModelicaNames names = [](std::string_view name) -> std::optional<std::string> {
    return name == "unknown" ? std::nullopt : std::optional(modelica::quoted_identifier(name));
  };
  const auto number = [&](std::string_view text) { return number_to_modelica(text, names).value_or("-"); };
  EXPECT_EQ(number("1e-5"), "1e-5");
  EXPECT_EQ(number("{2*k/m - -end}"), "2*k/m - -'end'");
  EXPECT_EQ(number("{a^b^c}"), "a^(b^c)");
  EXPECT_EQ(number("{2*(a < b)}"), "2*(if (a < b) then 1 else 0)");
  EXPECT_EQ(number("{a && b != 0 ? ln(a) : asinh(b)}"),
            "if a <> 0 and b <> 0 then log(a) else Tieline.Functions.asinh(b)");
  EXPECT_EQ(number("{min(a, b, 3) + sum(a, b)}"), "min({a, b, 3}) + sum({a, b})");
  EXPECT_EQ(number("{unknown + 1}"), "-");
  EXPECT_EQ(number("{f(x)}"), "-");
  EXPECT_EQ(condition_to_modelica("{a}", names).value_or("-"), "a <> 0");
  EXPECT_EQ(condition_to_modelica("0", names).value_or("-"), "false");
}

}  // namespace modelica_model_test
}  // namespace tieline::interchange
