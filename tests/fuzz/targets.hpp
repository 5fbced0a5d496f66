#pragma once

#include <string_view>

/// Readers of what users and other tools write, each as a function of any bytes. None may crash, hang, leak or use
/// memory without bound, whatever it is given. The fuzzers call them with invented inputs, the replay test with the
/// inputs that are kept.
namespace tieline::fuzz {

/// A model file, ours or foreign, with everything that it holds or names: checked and assembled, not run.
void read_model_file(std::string_view input);
/// A library of component types.
void read_library_file(std::string_view input);
/// A site file, and how a program is started by each of its tools: planned, not started.
void read_site_file(std::string_view input);
/// A foreign model file: translated.
void read_foreign(std::string_view input);
/// An SSP, its structure, or a file that a structure names: read.
void read_ssp(std::string_view input);
/// A file in Modelica: parsed, and translated as a model.
void read_modelica(std::string_view input);
/// A number, a name with braces, and a function of time with its switches.
void read_expression(std::string_view input);
/// A text file of rows of numbers.
void read_rows(std::string_view input);
/// A surface of triangles, as STL and as OBJ, and what it encloses.
void read_mesh(std::string_view input);
/// The description of an FMU (modelDescription.xml, terminalsAndIcons.xml).
void read_fmu_description(std::string_view input);
/// An FMU's archive: opened, read and unpacked.
void read_fmu_archive(std::string_view input);
/// A library of machine code, as the dynamic linker sees it, and the linker's cache: read, not loaded.
void read_elf_file(std::string_view input);
/// What a partner sends: the first words of a connection, frames and the values in them.
void read_wire(std::string_view input);
/// Messages of participants and their master, windows of links and states of connections, by the first byte.
void read_messages(std::string_view input);
/// A results.h5: opened, verified and read.
void read_results(std::string_view input);
/// A report.json, scene.json or progress.json, by the first byte.
void read_reports(std::string_view input);
/// A checkpoint.bin, what is behind its header, or the state of a run, by the first byte.
void read_checkpoint(std::string_view input);

}  // namespace tieline::fuzz
