"""interop.py FOLDER TIELINE [--show]: runs the FMUs of the tests with tools and compares what comes out with closed forms.

A tool is a function in TOOLS that runs a Case and returns the values of its outputs at its end; every case is run by
every tool, in all versions of FMI and by model exchange and co-simulation, where the FMU has them.

Then both tools run the cases of DRIVEN with the same inputs from one file, and their trajectories and the times at which
discrete outputs change are compared, within what the stated tolerance allows. --show prints all differences.

Last, systems of FMUs: Tieline writes one as SSP, FMPy validates it against the schema, and both run it; and Tieline runs
one that is written here, with parameters, a nested system and a transformation.

Models that Tieline exports as FMUs are validated and run by FMPy, and compared with their own runs; so are components
for model exchange, instances with structural parameters and states, and an SSP whose native components are FMUs.
"""

import csv
import math
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

import fmpy
import fmpy.fmi3
import fmpy.ssp.simulation
import fmpy.ssp.ssd
import fmpy.validation
import numpy

TIELINE = sys.argv[2]  # the program
EXCHANGE, CO_SIMULATION = "ModelExchange", "CoSimulation"


@dataclass
class Case:
    """One run of one FMU, and what it must give."""

    fmu: str
    stop: float  # [s]
    expected: dict  # value by the name of an output, at the end; numbers, or lists of them for arrays of FMI 3.0
    start: dict = field(default_factory=dict)  # values by name
    step: float = 0.01  # of communication, and between outputs [s]
    tolerance: float = 1e-6  # of the result, absolute; FMPy's solvers get a hundredth of it
    versions: tuple = (1, 2, 3)
    types: tuple = (EXCHANGE, CO_SIMULATION)


def mass_on_spring(t):
    """Position of `mass` from 0.1 m at rest: m = 1 kg, k = 100 N/m, c = 0.5 N s/m."""
    decay = 0.25
    frequency = math.sqrt(100.0 - decay**2)
    return 0.1 * math.exp(-decay * t) * (math.cos(frequency * t) + decay / frequency * math.sin(frequency * t))


def ball(t, g=9.81, e=0.7):
    """Height of `bouncing_ball` from 1 m at rest, and its bounces so far, before it comes to rest."""
    hit, speed, bounces = math.sqrt(2.0 / g), e * math.sqrt(2.0 * g), 1
    while hit + 2.0 * speed / g < t:
        hit, speed, bounces = hit + 2.0 * speed / g, e * speed, bounces + 1
    return speed * (t - hit) - 0.5 * g * (t - hit) ** 2, bounces


HEIGHT, BOUNCES = ball(1.5)
SPIN = {2: {"velocity[2]": 2.0, "angular_velocity[1]": 3.0}, 3: {"velocity": [0, 2, 0], "angular_velocity": [3, 0, 0]}}
FALLEN = {"position": [0.25, 2.0, -0.5 * 9.81], "quaternion": [math.cos(1.5), math.sin(1.5), 0.0, 0.0]}

CASES = [
    Case("mass", 1.0, {"x": mass_on_spring(1.0)}),
    Case("mass_update", 1.0, {"x": mass_on_spring(1.0)}, versions=(3,), types=(CO_SIMULATION,)),
    Case("wave_mass", 1.0, {"v": 3.0 * (1.0 - math.exp(-2.0)), "force": 12.0 * math.exp(-2.0)},
         start={"m": 2.0, "wave": 12.0, "impedance": 4.0}),
    # An event is found by interpolation within a step of the solver.
    Case("bouncing_ball", 1.5, {"h": HEIGHT, "bounces": BOUNCES}, types=(CO_SIMULATION,)),
    Case("bouncing_ball", 1.5, {"h": HEIGHT, "bounces": BOUNCES}, types=(EXCHANGE,), tolerance=1e-3),
    Case("stair", 3.5, {"counter": 3}),
    # Fifty samples have been taken after the first one.
    Case("controller", 0.505, {"u": 2.0 + 0.5}, start={"r": 1.0}, step=0.005),
    # With mu = 0 it is an oscillator of frequency one.
    Case("vanderpol", 3.0, {"x0": 2.0 * math.cos(3.0), "x1": -2.0 * math.sin(3.0)}, start={"mu": 0.0}),
    Case("feedthrough", 0.1, {"float64_out": 4.5, "int32_out": -7, "boolean_out": True},
         start={"gain": 3.0, "float64_in": 1.5, "int32_in": -7, "boolean_in": True}),
    Case("feedthrough", 0.1, {"vector_out": [3.0, 6.0, 9.0], "uint64_out": 2**63},
         start={"gain": 3.0, "vector_in": [1.0, 2.0, 3.0], "uint64_in": 2**63}, versions=(3,)),
    Case("arm", 1.0, {f"b.{name}[{i + 1}]": value for name, values in FALLEN.items() for i, value in enumerate(values)},
         start=SPIN[2], versions=(1, 2)),
    Case("arm", 1.0, {f"b.{name}": values for name, values in FALLEN.items()}, start=SPIN[3], versions=(3,)),
    Case("nasty", 0.5, {"x": 0.5}, step=0.1),
]


def run_with_fmpy(case, file, kind):
    rows = fmpy.simulate_fmu(str(file), fmi_type=kind, stop_time=case.stop, output_interval=case.step,
                             step_size=case.step, relative_tolerance=0.01 * case.tolerance, start_values=case.start,
                             output=list(case.expected), record_events=False)
    return {name: rows[name][-1] for name in case.expected}


def setting(name, value):
    values = value if isinstance(value, (list, tuple)) else [value]
    return f"{name}={' '.join(str(v).lower() if isinstance(v, bool) else str(v) for v in values)}"


def run_with_tieline(case, file, kind):
    with tempfile.TemporaryDirectory() as folder:
        mode = "model_exchange" if kind == EXCHANGE else "co_simulation"
        arguments = ["run", str(file), "--mode", mode, "--stop", str(case.stop), "--out", folder + "/results"]
        for name, value in case.start.items():
            arguments += ["--set", setting(name, value)]
        subprocess.run([TIELINE, *arguments], check=True, capture_output=True, text=True)
        table = folder + "/results.csv"
        subprocess.run([TIELINE, "export", folder + "/results", "--csv", table], check=True, capture_output=True)
        with open(table, newline="") as lines:
            row = list(csv.DictReader(lines))[-1]
    values = {name.split(".", 1)[1].removesuffix(".value"): float(text) for name, text in row.items() if "." in name}
    return {name: [values[f"{name}[{i + 1}]"] for i in range(len(expected))] if isinstance(expected, list)
            else values[name] for name, expected in case.expected.items()}


# The function that runs a case, by the name of its tool.
TOOLS = {"FMPy": run_with_fmpy, "Tieline": run_with_tieline}


@dataclass
class Driven:
    """One run of one FMU with inputs from a file, by both tools. Two rows at one time are a jump."""

    fmu: str
    stop: float  # [s]
    inputs: dict  # rows by the name of an input; the first list is "time" [s]
    outputs: tuple  # continuous ones, whose trajectories are compared
    discrete: tuple = ()  # those whose values and times of change are compared
    start: dict = field(default_factory=dict)
    step: float = 0.01  # of communication [s]
    held: dict = field(default_factory=dict)  # by output: what FMPy's way to hold inputs may add, of its mode
    crossing: float = math.inf  # least rate at which an event indicator crosses zero [1/s], in units of the outputs
    versions: tuple = (2, 3)
    types: tuple = (EXCHANGE, CO_SIMULATION)


# Relative tolerance of both tools' solvers with model exchange. Each step of a solver adds an error of at most this
# share of the largest value; none of the FMUs below amplifies errors. So two results differ by at most this, times the
# largest value, times the number of steps of both. An event is located as exactly as the indicator is known: that
# difference, divided by the rate at which the indicator crosses zero.
ACCURACY = 1e-8
# FMPy's solver (BDF) does not report its steps. At its order five, a step of length h has an error of (w h)^6 where the
# FMU moves with w; after each jump and event it starts at order one, and takes some dozens of steps to get there.
FASTEST = 10.0  # [rad/s]: the mass on its spring
STEPS_OF_A_START = 50
# Both tools call the same solver of a co-simulation FMU with the same steps, and meet events of time exactly: what is
# left is rounding, of values and of times that are counted up, with each of some thousand steps.
ROUNDING = 1e-12

# The length of such a step [s].
LONGEST_STEP = ACCURACY ** (1.0 / 6.0) / FASTEST
# A force that grows by 20 N/s, in rows 1 ms apart. FMPy sets inputs at its rows; a step of its solver that goes beyond
# the next row is interpolated there, and knows only what was set before. The force is late by a row and a step at most.
# The mass (1 kg) on its spring (100 N/m) moves by twice what is static at most, and with 10 rad/s.
LATE = 20.0 * (0.001 + LONGEST_STEP)
DRIVEN = [
    # A force that jumps, on a mass on a spring.
    Driven("mass", 2.0, {"time": [0, 0.5, 0.5, 1.2, 1.2, 2], "f": [4, 4, 10, 10, -5, -5]}, ("x", "v")),
    # One that grows first. With model exchange, FMPy holds inputs from one row of its output to the next.
    Driven("mass", 2.0, {"time": [0, 0.5, 0.5, 1.2, 1.2, 2], "f": [0, 10, 10, 10, -5, -5]}, ("x", "v"), step=0.001,
           held={EXCHANGE: {"x": 2.0 * LATE / 100.0, "v": 2.0 * LATE / 10.0}}),
    # Numbers, whole numbers and truth values pass through at once. With co-simulation, rows of FMPy have the inputs of
    # the step's start, those of Tieline the inputs of the time of the row: at most what the input changes in a step.
    Driven("feedthrough", 1.0, {"time": [0, 0.4, 0.4, 1], "float64_in": [0, 2, -1, 3], "int32_in": [1, 1, 7, 7],
                                "boolean_in": [0, 0, 1, 1]}, ("float64_out",), ("int32_out", "boolean_out"),
           held={CO_SIMULATION: {"float64_out": 0.01 * 4.0 / 0.6}}),
    # A reference that jumps between two samples of a controller: its control follows at the next one.
    Driven("controller", 0.997, {"time": [0, 0.255, 0.255, 1], "r": [0, 0, 1, 1], "y": [0, 0, 0, 0]}, (), ("u",),
           step=0.005),
    # Bounces, where nothing is driven: the times of state events. The second one is at 0.7 of the first one's speed.
    Driven("bouncing_ball", 1.4, {}, ("h",), ("bounces",), crossing=0.7 * math.sqrt(2.0 * 9.81)),
    Driven("stair", 3.5, {}, (), ("counter",), step=0.1),
]


def write_inputs(case, path):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(case.inputs)
        writer.writerows(zip(*case.inputs.values()))


def drive_with_fmpy(case, file, kind, folder):
    signals = None
    if case.inputs:
        write_inputs(case, folder / "inputs.csv")
        signals = fmpy.read_csv(str(folder / "inputs.csv"))
    rows = fmpy.simulate_fmu(str(file), fmi_type=kind, stop_time=case.stop, step_size=case.step,
                             output_interval=case.step, relative_tolerance=ACCURACY, start_values=case.start, input=signals,
                             output=[*case.outputs, *case.discrete], record_events=True)
    return {name: numpy.asarray(rows[name], float) for name in ("time", *case.outputs, *case.discrete)}


def tieline_arguments(case, file, kind, folder, interval):
    mode = "model_exchange" if kind == EXCHANGE else "co_simulation"
    arguments = [file, "--mode", mode, "--stop", str(case.stop), "--write-interval", str(interval)]
    arguments += ["--step", str(case.step)] if kind == CO_SIMULATION else ["--tolerance", str(ACCURACY)]
    arguments += ["--input", folder / "inputs.csv"] if case.inputs else []
    for name, value in case.start.items():
        arguments += ["--set", setting(name, value)]
    return arguments


def drive_with_tieline(case, file, kind, folder, interval):
    """With a row each `interval` [s]; 0: at every step, and at every event."""
    write_inputs(case, folder / "inputs.csv")
    results, table = folder / f"rows-{interval}", folder / "results.csv"
    subprocess.run([TIELINE, "run", *tieline_arguments(case, file, kind, folder, interval), "--out", results],
                   check=True, capture_output=True, text=True)
    subprocess.run([TIELINE, "export", results, "--csv", table], check=True, capture_output=True)
    with open(table, newline="") as lines:
        rows = list(csv.DictReader(lines))
    columns = {column.split(".", 1)[1].removesuffix(".value"): column for column in rows[0] if "." in column}
    return {name: numpy.array([float(row[columns.get(name, name)]) for row in rows])
            for name in ("time", *case.outputs, *case.discrete)}


def changes(rows, name):
    """Where a value changes: times of the row before and of the row after, of which one is at the event, and the new
    value."""
    return [(float(rows["time"][k - 1]), float(rows["time"][k]), float(rows[name][k]))
            for k in range(1, len(rows["time"])) if rows[name][k] != rows[name][k - 1]]


def bound_of(case, kind, name, events, theirs):
    """How much two results of an output may differ; `events` are our rows at every step."""
    largest = float(numpy.max(numpy.abs(theirs[name]), initial=0.0))
    bound = ROUNDING * max(largest, 1.0)
    if kind == EXCHANGE:
        starts = 1 + len(case.inputs.get("time", [])) + sum(len(changes(theirs, each)) for each in case.discrete)
        steps = case.stop / LONGEST_STEP + STEPS_OF_A_START * starts
        bound += ACCURACY * max(largest, 1.0) * (steps + len(events["time"]))
    return bound


def differences_of(case, kind, ours, events, theirs):
    """Of our rows, those with all our events, and FMPy's."""
    breaks = [t for rows in (events, theirs) for name in case.discrete for _, t, _ in changes(rows, name)]
    breaks += [float(t) for t in case.inputs.get("time", [])]
    bounds = {name: bound_of(case, kind, name, events, theirs) for name in (*case.outputs, *case.discrete)}
    for name in case.outputs:
        # Well away from jumps: what lies at one is a matter of sides.
        grid = numpy.array([t for t in theirs["time"] if all(abs(t - b) > 2.0 * case.step for b in breaks)])
        own = numpy.interp(grid, ours["time"], ours[name])
        worst = float(numpy.max(numpy.abs(own - numpy.interp(grid, theirs["time"], theirs[name])), initial=0.0))
        bound = bounds[name] + case.held.get(kind, {}).get(name, 0.0)
        if "--show" in sys.argv:
            print(f"{case.fmu}, {kind}: {name} differs by {worst:.3g}, and may by {bound:.3g}")
        if not grid.size or worst > bound:
            yield f"{name} differs by {worst:.3g}, and may by {bound:.3g} ({grid.size} rows)"
    late = max(bounds.values()) / case.crossing + ROUNDING * case.stop
    for name in case.discrete:
        own, other = changes(events, name), changes(theirs, name)
        if len(own) != len(other):
            yield f"{name} changes {len(own)} and {len(other)} times"
            continue
        for (before, at, value), (there_before, there, expected) in zip(own, other):
            apart = min(abs(a - b) for a in (before, at) for b in (there_before, there))
            if "--show" in sys.argv:
                print(f"{case.fmu}, {kind}: {name} changes {apart:.3g} s apart, and may {late:.3g} s")
            if apart > late or value != expected:
                yield (f"{name} becomes {value} at {before:.12g} to {at:.12g} s, and {expected} at {there_before:.12g} "
                       f"to {there:.12g} s; these may be {late:.3g} s apart")
                break


def drive_all(folder):
    failures = runs = 0
    for case in DRIVEN:
        for version in case.versions:
            for kind in case.types:
                runs += 1
                file = folder / f"{case.fmu}_fmi{version}.fmu"
                with tempfile.TemporaryDirectory() as place:
                    try:
                        ours = drive_with_tieline(case, file.absolute(), kind, Path(place), case.step)
                        events = drive_with_tieline(case, file.absolute(), kind, Path(place), 0)
                        theirs = drive_with_fmpy(case, file, kind, Path(place))
                        problems = list(differences_of(case, kind, ours, events, theirs))
                    except Exception as error:  # whatever a tool may throw is its answer
                        problems = [repr(error), getattr(error, "stderr", "") or ""]
                for problem in problems:
                    print(f"{file.name}, {kind}, Tieline and FMPy with the same inputs: {problem}")
                failures += bool(problems)
    print(f"{runs} runs of both tools with the same inputs, {failures} differ")
    return failures


def numbers(value):
    """A value of any shape as a flat list."""
    if hasattr(value, "ravel"):
        value = value.ravel().tolist()
    return list(value) if isinstance(value, (list, tuple)) else [value]


def problems_of(case, values):
    for name, expected in case.expected.items():
        got, wanted = numbers(values[name]), numbers(expected)
        if len(got) != len(wanted) or not all(abs(g - w) <= case.tolerance for g, w in zip(got, wanted)):
            yield f"{name} is {got}, not {wanted}"


def validate(files):
    failures = 0
    for file in files:
        for problem in fmpy.validation.validate_fmu(str(file)):
            print(f"{file.name}: {problem}")
            failures += 1
    print(f"{len(files)} FMUs validated, {failures} problems")
    return failures


def run_all(folder):
    failures = runs = 0
    for case in CASES:
        for version in case.versions:
            for kind in case.types:
                for tool, run in TOOLS.items():
                    runs += 1
                    # FMUs of FMI 1.0 are for one of both ways.
                    name = case.fmu + ("_cs" if version == 1 and kind == CO_SIMULATION else "") + f"_fmi{version}.fmu"
                    place = f"{name}, {kind}, {tool}"
                    try:
                        problems = list(problems_of(case, run(case, folder / name, kind)))
                    except Exception as error:  # whatever a tool may throw is its answer
                        problems = [repr(error)]
                    for problem in problems:
                        print(f"{place}: {problem}")
                    failures += bool(problems)
    print(f"{runs} runs, {failures} wrong")
    return failures


PAIR = """<CompositeModel name="pair"><Components>
<Component name="a" kind="fmu" file="{0}"><Fmu mode="co_simulation"/></Component>
<Component name="b" kind="fmu" file="{0}"><Fmu mode="co_simulation"/></Component></Components>
<Connections><Connection from="a.x" to="b.f" from_unit="m" to_unit="m"/>
<Connection from="b.x" to="a.f" from_unit="m" to_unit="m"/></Connections>
<Simulation stop="1" step="{1}"/></CompositeModel>"""

SSP = "http://ssp-standard.org/SSP1/SystemStructure"
# A mass in a system of its own, whose force is twice its position in millimetres, by a connector in metres.
NESTED = f"""<?xml version="1.0" encoding="UTF-8"?>
<ssd:SystemStructureDescription xmlns:ssd="{SSP}Description" xmlns:ssc="{SSP}Common" name="nested" version="1.0">
<ssd:System name="root"><ssd:ParameterBindings><ssd:ParameterBinding source="resources/p.ssv"/></ssd:ParameterBindings>
<ssd:Elements><ssd:System name="inner"><ssd:Connectors>
<ssd:Connector name="force" kind="input"/><ssd:Connector name="place" kind="output"><ssc:Real unit="mm"/></ssd:Connector>
</ssd:Connectors><ssd:Elements><ssd:Component name="m" source="resources/mass.fmu" implementation="ModelExchange">
<ssd:Connectors><ssd:Connector name="x" kind="output"><ssc:Real unit="m"/></ssd:Connector>
<ssd:Connector name="f" kind="input"/></ssd:Connectors></ssd:Component></ssd:Elements><ssd:Connections>
<ssd:Connection startElement="m" startConnector="x" endConnector="place"/>
<ssd:Connection startConnector="force" endElement="m" endConnector="f"/></ssd:Connections></ssd:System></ssd:Elements>
<ssd:Connections><ssd:Connection startElement="inner" startConnector="place" endElement="inner" endConnector="force">
<ssc:LinearTransformation factor="2e-3"/></ssd:Connection></ssd:Connections></ssd:System>
<ssd:Units><ssc:Unit name="m"><ssc:BaseUnit m="1"/></ssc:Unit>
<ssc:Unit name="mm"><ssc:BaseUnit m="1" factor="1e-3"/></ssc:Unit></ssd:Units>
<ssd:DefaultExperiment startTime="0" stopTime="1"/></ssd:SystemStructureDescription>"""
NESTED_VALUES = f"""<ssv:ParameterSet xmlns:ssv="{SSP}ParameterValues" version="1.0" name="p"><ssv:Parameters>
<ssv:Parameter name="inner.m.k"><ssv:Real value="51"/></ssv:Parameter></ssv:Parameters></ssv:ParameterSet>"""


def damped(t, stiffness):
    """Position from 0.1 m at rest: m = 1 kg, c = 0.5 N s/m."""
    frequency = math.sqrt(stiffness - 0.25**2)
    return 0.1 * math.exp(-0.25 * t) * (math.cos(frequency * t) + 0.25 / frequency * math.sin(frequency * t))


def last_value(model, folder, variable):
    subprocess.run([TIELINE, "run", str(model), "--quiet", "--out", folder + "/run"], check=True, capture_output=True)
    table = folder + "/run.csv"
    subprocess.run([TIELINE, "export", folder + "/run", "--csv", table], check=True, capture_output=True)
    with open(table, newline="") as lines:
        return float(list(csv.DictReader(lines))[-1][variable])


def problems_of_systems(folder):
    step = 1e-3
    # Two equal masses that push each other by 1 N/m: both move on a spring of 99 N/m. The other one's place is that of
    # the start of a step: with a lag of a step at most, the force k x(t - lag) damps by k lag, of which half shows in
    # the amplitude at t = 1 s.
    expected, bound = damped(1.0, 99.0), 0.1 * 0.5 * step * 1.0
    with tempfile.TemporaryDirectory() as place:
        model, ssp = place + "/pair.xml", place + "/pair.ssp"
        Path(model).write_text(PAIR.format((folder / "mass_fmi2.fmu").absolute(), step))
        subprocess.run([TIELINE, "convert", model, ssp], check=True, capture_output=True)
        description = fmpy.ssp.ssd.read_ssd(ssp)
        if [element.name for element in description.system.elements] != ["a", "b"]:
            yield "FMPy does not find the components of an SSP of Tieline"
        values = {"FMPy": fmpy.ssp.simulation.simulate_ssp(ssp, stop_time=1.0, step_size=step)["a.x"][-1],
                  "Tieline": last_value(ssp, place, "a.x.value")}
        for tool, value in values.items():
            if abs(value - expected) > bound:
                yield f"{tool} runs an SSP of Tieline to {value}, not {expected}"
    with tempfile.TemporaryDirectory() as place:
        ssp = place + "/nested.ssp"
        with zipfile.ZipFile(ssp, "w") as archive:
            archive.writestr("SystemStructure.ssd", NESTED)
            archive.writestr("resources/p.ssv", NESTED_VALUES)
            archive.write(folder / "mass_fmi2.fmu", "resources/mass.fmu")
        fmpy.ssp.ssd.read_ssd(ssp)  # valid
        # 2e-3 of what 1 m is in mm is 2 N: the spring of 51 N/m is softer by 2 N/m.
        value, expected = last_value(ssp, place, "inner.m.x.value"), damped(1.0, 49.0)
        if abs(value - expected) > 1e-6:
            yield f"Tieline runs a nested SSP to {value}, not {expected}"


def run_systems(folder):
    try:
        problems = list(problems_of_systems(folder))
    except Exception as error:  # whatever a tool may throw is its answer
        problems = [repr(error), getattr(error, "stderr", "") or ""]
    for problem in problems:
        print(problem)
    print(f"systems of FMUs as SSP, {len(problems)} problems")
    return len(problems)


# Exported models: the arguments of the export behind the model, start values, and the variables that are compared.
EXPORTED = [
    ("two-bodies/two-bodies.xml", ["--output", "body?.body.position"], {"m2": 7.0},
     ("body1.body.position", "body2.body.position")),
    ("electric-drive/electric-drive.xml", ["--output", "*velocity", "*.current"], {}, ()),
]


def run_exported(folder):
    """Exports models, lets FMPy validate and run them, and compares with `tieline run`: the same solvers take the same
    steps, if communication points are ends of windows, so that only rounding is left."""
    failures = runs = 0
    examples = Path(__file__).resolve().parent.parent / "examples"
    for model, arguments, start, names in EXPORTED:
        settings = [argument for name, value in start.items() for argument in ("--set", f"{name}={value}")]
        with tempfile.TemporaryDirectory() as place:
            results, table = place + "/results", place + "/results.csv"
            subprocess.run([TIELINE, "run", examples / model, *settings, "--out", results, "--quiet"], check=True,
                           capture_output=True)
            subprocess.run([TIELINE, "export", results, "--csv", table], check=True, capture_output=True)
            with open(table, newline="") as lines:
                rows = list(csv.DictReader(lines))
            for version in ("2.0", "3.0"):
                runs += 1
                file = place + f"/model{version[0]}.fmu"
                subprocess.run([TIELINE, "export-fmu", examples / model, "-o", file, "--fmi", version, *arguments],
                               check=True, capture_output=True)
                problems = list(fmpy.validation.validate_fmu(file))
                experiment = fmpy.read_model_description(file).defaultExperiment
                theirs = fmpy.simulate_fmu(file, stop_time=float(experiment.stopTime), start_values=start,
                                           step_size=float(experiment.stepSize), output_interval=float(experiment.stepSize),
                                           output=list(names) or None)
                shown = names or [name for name in theirs.dtype.names if name in rows[0]]
                for name in shown:
                    ours = numpy.interp(theirs["time"], [float(row["time"]) for row in rows],
                                        [float(row[name]) for row in rows])
                    worst = float(numpy.max(numpy.abs(ours - theirs[name])))
                    largest = float(numpy.max(numpy.abs(ours)))
                    if worst > 1e-6 * largest:
                        problems.append(f"{name} differs by {worst:.3g} of {largest:.3g}")
                for problem in problems:
                    print(f"{model} as an FMU of FMI {version}, FMPy: {problem}")
                failures += bool(problems)
    print(f"{runs} exported models validated and run, {failures} wrong")
    return failures


# Components for model exchange: the model, the component, and outputs of its interfaces that are compared with a run of the
# same component alone, which has nothing at its interfaces.
EXCHANGED = [
    ("two-bodies/two-bodies.xml", "body2", ("end.position", "end.velocity")),
    ("hydraulic-servo/hydraulic-servo.xml", "actuator", ("position",)),
    ("torsion-drive/torsion-drive.xml", "controller", ("torque",)),
]


def run_exchanged(folder):
    """Exports components for model exchange; FMPy validates them and solves them with CVODE, to be compared with Tieline's
    own run of the same FMU for co-simulation."""
    failures = runs = 0
    examples = Path(__file__).resolve().parent.parent / "examples"
    for model, component, names in EXCHANGED:
        for version in ("2.0", "3.0"):
            runs += 1
            with tempfile.TemporaryDirectory() as place:
                files = {EXCHANGE: place + "/exchange.fmu", CO_SIMULATION: place + "/steps.fmu"}
                for kind, file in files.items():
                    subprocess.run([TIELINE, "export-fmu", examples / model, "-o", file, "--fmi", version, "--component",
                                    component, *(["--model-exchange"] if kind == EXCHANGE else [])],
                                   check=True, capture_output=True)
                problems = list(fmpy.validation.validate_fmu(files[EXCHANGE]))
                stop = float(fmpy.read_model_description(files[EXCHANGE]).defaultExperiment.stopTime)
                results = {kind: fmpy.simulate_fmu(file, fmi_type=kind, stop_time=stop, step_size=stop / 1000,
                                                   output_interval=stop / 100, relative_tolerance=1e-9, output=list(names))
                           for kind, file in files.items()}
                for name in names:
                    # Model exchange has rows at events beside those at the same times.
                    ours = results[CO_SIMULATION][name]
                    theirs = numpy.interp(results[CO_SIMULATION]["time"], results[EXCHANGE]["time"],
                                          results[EXCHANGE][name])
                    worst, largest = float(numpy.max(numpy.abs(ours - theirs))), float(numpy.max(numpy.abs(ours)))
                    # In each of some hundred steps both err by 1e-9 to 1e-8 of their states, CVODE beside that by 1e-9
                    # of their nominals, which are 1 for what is zero at the start.
                    if worst > 1e-6 * largest + 1e-8:
                        problems.append(f"{name} differs by {worst:.3g} of {largest:.3g}")
            for problem in problems:
                print(f"{component} of {model} for model exchange, FMI {version}, FMPy: {problem}")
            failures += bool(problems)
    print(f"{runs} components for model exchange validated and run, {failures} wrong")
    return failures


FALLING = """<CompositeModel name="falling"><Components><Component name="a" kind="network"><Network>
<Ground name="ground"/><Mass name="ball" mass="1" position="0.02"/><Load name="weight" node="ball" force="-9.81"/>
<BumpStop name="stop" from="ground" to="ball" stiffness="1e5" damping="20" lower="0" upper="1"/>
<Interface name="end" node="ball"/></Network></Component></Components><Simulation stop="0.1"/></CompositeModel>"""


def run_to_events(folder):
    """A mass falls onto a stop: where FMPy has an event mode, a step of the FMU returns at the contact."""
    problems = []
    with tempfile.TemporaryDirectory() as place:
        model, file = place + "/falling.xml", place + "/falling.fmu"
        Path(model).write_text(FALLING)
        subprocess.run([TIELINE, "export-fmu", model, "-o", file, "--fmi", "3.0"], check=True, capture_output=True)
        rows = fmpy.simulate_fmu(file, stop_time=0.07, step_size=0.01, output_interval=0.01, use_event_mode=True,
                                 early_return_allowed=True)
        events = [t for t in rows["time"] if abs(100.0 * t - round(100.0 * t)) > 1e-6]
        expected = math.sqrt(2.0 * 0.02 / 9.81)
        # Found to 1e-6 of the step.
        if not events or abs(events[0] - expected) > 2e-6 * 0.01:
            problems.append(f"steps return at {events}, not at {expected}")
    for problem in problems:
        print(f"events in co-simulation, FMPy: {problem}")
    print(f"events in co-simulation, {len(problems)} problems")
    return len(problems)


# Masses that nobody sees, and one on a spring (100 N/m) that starts with 1 m/s; `n` is its mass, and their number.
CHAIN = """<CompositeModel name="chain"><Parameters><Parameter name="n" value="2"/></Parameters><Components>
<Repeat index="i" count="{n}"><Component name="c{i}" kind="network"><Network><Mass name="m" mass="1"/></Network></Component>
</Repeat><Component name="s" kind="network"><Network><Ground name="g"/><Mass name="m" mass="{n}" velocity="1"/>
<Spring name="k" from="g" to="m" stiffness="100"/></Network></Component></Components>
<Simulation stop="1" save_interval="0.01"/></CompositeModel>"""


class Slave:
    """An instance of an exported FMU of FMI 3.0, in steps of 10 ms."""

    def __init__(self, file, place, n):
        description = fmpy.read_model_description(file)
        by_name = {variable.name: variable for variable in description.modelVariables}
        self.output, number = by_name["s.m.position"].valueReference, by_name["n"]
        if number.causality != "structuralParameter":
            raise ValueError("n is no structural parameter")
        self.fmu = fmpy.fmi3.FMU3Slave(guid=description.guid, unzipDirectory=place, instanceName=f"n{n}",
                                       modelIdentifier=description.coSimulation.modelIdentifier)
        self.fmu.instantiate()
        self.fmu.enterConfigurationMode()
        self.fmu.setFloat64([number.valueReference], [n])
        self.fmu.exitConfigurationMode()
        self.fmu.enterInitializationMode(startTime=0.0, stopTime=1.0)
        self.fmu.exitInitializationMode()

    def step(self, first, last):
        for k in range(first, last):
            self.fmu.doStep(k * 0.01, 0.01)
        return self.fmu.getFloat64([self.output])[0]


def run_instances(folder):
    """Two instances of different structure take turns; one goes back to a state, also as bytes."""
    problems = []
    with tempfile.TemporaryDirectory() as place:
        model, file = place + "/chain.xml", place + "/chain.fmu"
        Path(model).write_text(CHAIN)
        subprocess.run([TIELINE, "export-fmu", model, "-o", file, "--fmi", "3.0", "--output", "s.m.position"], check=True,
                       capture_output=True)
        unpacked = fmpy.extract(file, place + "/unpacked")
        two, three = Slave(file, unpacked, 2.0), Slave(file, unpacked, 3.0)
        for k in range(50):
            values = {2.0: two.step(k, k + 1), 3.0: three.step(k, k + 1)}
        for mass, value in values.items():
            frequency = math.sqrt(100.0 / mass)
            expected = math.sin(0.5 * frequency) / frequency
            # Some hundred steps, each with an error of 1e-8 of a tenth of a metre.
            if abs(value - expected) > 1e-7:
                problems.append(f"a mass of {mass} kg is at {value}, not at {expected}")
        state = two.fmu.getFMUState()
        later = two.step(50, 60)
        two.fmu.setFMUState(state)
        if two.step(50, 60) != later:
            problems.append("a state that is restored gives other bits")
        restored = two.fmu.deserializeFMUState(two.fmu.serializeFMUState(state))
        two.fmu.setFMUState(restored)
        if two.step(50, 60) != later:
            problems.append("a state from bytes gives other bits")
        for each in (state, restored):
            two.fmu.freeFMUState(each)
        for slave in (two, three):
            slave.fmu.terminate()
            slave.fmu.freeInstance()
    for problem in problems:
        print(f"instances of an exported FMU, FMPy: {problem}")
    print(f"instances, structure and states of an exported FMU, {len(problems)} problems")
    return len(problems)


def run_native_system(folder):
    """An SSP with native components as FMUs, run by FMPy: with the step for which it was written, and with half of it. At
    the first, its line has the stiffness of the model's, and the error is that of a delay of a step."""
    examples = Path(__file__).resolve().parent.parent / "examples"
    problems = []
    with tempfile.TemporaryDirectory() as place:
        ssp, results, table = place + "/pair.ssp", place + "/run", place + "/run.csv"
        model = examples / "two-bodies/two-bodies.xml"
        subprocess.run([TIELINE, "convert", model, ssp, "--fmus"], check=True, capture_output=True)
        subprocess.run([TIELINE, "run", model, "--out", results, "--stop", "0.01", "--quiet"], check=True,
                       capture_output=True)
        subprocess.run([TIELINE, "export", results, "--csv", table], check=True, capture_output=True)
        with open(table, newline="") as lines:
            rows = list(csv.DictReader(lines))
        fmpy.ssp.ssd.read_ssd(ssp)  # valid
        step = 1e-5
        theirs = fmpy.ssp.simulation.simulate_ssp(ssp, stop_time=0.01, step_size=step)
        for name in ("body1.end.position", "body2.end.position"):
            # FMPy writes the values at the end of a step with the time of its start.
            ours = numpy.interp(theirs["time"] + step, [float(row["time"]) for row in rows],
                                [float(row[name]) for row in rows])
            worst, largest = float(numpy.max(numpy.abs(ours - theirs[name]))), float(numpy.max(numpy.abs(ours)))
            if "--show" in sys.argv:
                print(f"{name} of an SSP of FMUs differs by {worst:.3g} of {largest:.3g}")
            # The averages of a step delay a wave by half a step more: the bar is softer by a half.
            if worst > 0.05 * largest:
                problems.append(f"{name} differs by {worst:.3g} of {largest:.3g}")
    for problem in problems:
        print(f"an SSP of native components as FMUs, FMPy: {problem}")
    print(f"a system of native components as SSP, {len(problems)} problems")
    return len(problems)


def main():
    folder = Path(sys.argv[1])
    files = sorted(folder.glob("*.fmu"))
    if not files:
        sys.exit(f"there are no FMUs in {folder}")
    failures = validate(files) + run_all(folder) + drive_all(folder) + run_systems(folder) + run_exported(folder)
    failures += run_exchanged(folder) + run_to_events(folder) + run_instances(folder)
    failures += run_native_system(folder)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
