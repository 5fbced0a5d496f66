#include "fmi/binary_check.hpp"

#include <gtest/gtest.h>

#include "fmi/elf_file.hpp"
#include "fmi/fmu_file.hpp"
#include "fmi/linker_paths.hpp"
#include "fmi/test_fmus.hpp"
#include "support/temporary_folder.hpp"
#include "support/zip_bytes.hpp"

namespace tieline::fmi {
namespace binary_check_test {

namespace fs = std::filesystem;

std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A copy of an unpacked test FMU that something is done to.
class CheckedCopy {
 public:
  explicit CheckedCopy(const std::string& name, int version = 3) : root_(folder_.path() / name) {
    fs::copy(folder_of(name, version), root_, fs::copy_options::recursive);
  }
  [[nodiscard]] fs::path binaries() const { return fs::directory_iterator(root_ / "binaries")->path(); }
  [[nodiscard]] const fs::path& root() const { return root_; }
  [[nodiscard]] BinaryReport report(InterfaceType type = kCoSimulation) const {
    document::Diagnostics diagnostics;
    auto archive = open_fmu(root_, diagnostics);
    if (!archive) throw std::runtime_error(diagnostics.describe());
    const auto description = read_description(*archive, diagnostics);
    return check_binary(*archive, *description, type);
  }

 private:
  support::TemporaryFolder folder_;
  fs::path root_;
};

TEST(ElfFile, ShowsWhatTheLinkerNeeds) {
  const auto elf = value_or_throw(read_elf(bytes_of(binaries_of("own_symbols", 3) / "own_symbols.so")));
  EXPECT_EQ(elf.machine, own_machine());
  const auto needs = [&](const std::string& name) {
    return std::find(elf.needed.begin(), elf.needed.end(), name) != elf.needed.end();
  };
  EXPECT_TRUE(needs("libsundials_cvode.so.6") && needs("libown_resource.so") && needs("libstdc++.so.6"));
  EXPECT_EQ(elf.rpath + elf.runpath, "$ORIGIN:$ORIGIN/../../resources");
  EXPECT_TRUE(elf.defines("CVode") && elf.defines("fmi3DoStep"));
  EXPECT_FALSE(elf.defines("own_solver") || elf.defines("fmi2DoStep") || elf.defines(""));
  const bool has_version = std::any_of(elf.needed_versions.begin(), elf.needed_versions.end(), [](const auto& needed) {
    return needed.file == "libc.so.6" && needed.name.starts_with("GLIBC_2.");
  });
  EXPECT_TRUE(has_version);
}

TEST(ElfFile, NoCutLeadsOutside) {
  const std::string whole = bytes_of(binaries_of("mass", 2) / "mass.so");
  for (std::size_t size = 0; size < whole.size(); size += 97) {
    // In memory of just that size, so that a sanitizer sees what is read behind it.
    const std::string cut(whole.data(), size);
    (void)read_elf(cut);
  }
}

TEST(LinkerPaths, KnowThisMachine) {
  const LinkerPaths paths = LinkerPaths::own();
  const bool has_folder = std::any_of(paths.standard.begin(), paths.standard.end(),
                                      [](const fs::path& folder) { return fs::exists(folder / "libc.so.6"); });
  EXPECT_TRUE(has_folder || paths.cache.contains("libc.so.6"));
}

TEST(LinkerPaths, AdviceNamesPackages) {
  EXPECT_EQ(advice_on_library("libgfortran.so.5"), "install the package libgfortran5");
  EXPECT_NE(advice_on_library("libpython3.9.so.1.0").find("libpython3.9"), std::string::npos);
  EXPECT_EQ(advice_on_library("libboost_date_time.so.1.74.0"), "install the package libboost-date-time1.74.0");
  EXPECT_NE(advice_on_library("libwhatever.so").find("LD_LIBRARY_PATH"), std::string::npos);
}

TEST(CheckBinary, FindsNothingWrongWithOurs) {
  for (const char* name : {"mass", "own_symbols", "odd"}) {
    for (const int version : {2, 3}) {
      for (const InterfaceType type : {kExchange, kCoSimulation}) {
        const BinaryReport report = CheckedCopy(name, version).report(type);
        EXPECT_TRUE(report.problems.empty()) << name << ": " << (report.problems.empty() ? "" : report.problems[0]);
        EXPECT_TRUE(report.warnings.empty());
        EXPECT_FALSE(report.libraries.empty());
      }
    }
  }
}

TEST(CheckBinary, NamesLibrariesThatAreMissing) {
  const CheckedCopy copy("own_symbols");
  fs::remove(copy.binaries() / "libsundials_cvode.so.6");
  fs::remove(copy.root() / "resources" / "libown_resource.so");
  // The system's library of the first name may be there, and would be taken.
  const BinaryReport report = copy.report();
  ASSERT_FALSE(report.problems.empty());
  EXPECT_EQ(
      report.problems.back(),
      "'own_symbols.so' needs the library 'libown_resource.so', which is not on this machine; set LD_LIBRARY_PATH "
      "to its folder, or pack it into the FMU beside its library");
}

TEST(CheckBinary, FindsTheLibraryInAnotherFolder) {
  const CheckedCopy copy("mass");
  fs::rename(copy.binaries(), copy.root() / "binaries" / "linux_amd64");
  const BinaryReport report = copy.report();
  EXPECT_TRUE(report.problems.empty());
  ASSERT_EQ(report.warnings.size(), 1U);
  EXPECT_EQ(report.warnings[0],
            "the library for this machine is in 'binaries/linux_amd64', which is not where FMI 3.0 wants it");
  fs::copy(copy.root() / "binaries" / "linux_amd64", copy.root() / "binaries" / "lin");
  EXPECT_NE(copy.report().problems.at(0).find("no machine code for this machine"), std::string::npos);
}

TEST(CheckBinary, NamesFunctionsThatAreMissing) {
  const CheckedCopy copy("mass");
  fs::copy(binaries_of("mass", 2) / "mass.so", copy.binaries() / "mass.so", fs::copy_options::overwrite_existing);
  EXPECT_NE(copy.report().problems.at(0).find("'mass.so' does not contain functions of co-simulation: fmi3GetVersion"),
            std::string::npos);
}

TEST(CheckBinary, NamesVersionsThatAreTooNew) {
  const CheckedCopy copy("mass", 2);
  std::string bytes = bytes_of(copy.binaries() / "mass.so");
  const auto at = bytes.find("GLIBC_2.2.5");
  ASSERT_NE(at, std::string::npos);
  bytes.replace(at, 11, "GLIBC_2.9.9");
  support::write_file(copy.binaries() / "mass.so", bytes);
  const BinaryReport report = copy.report();
  ASSERT_FALSE(report.problems.empty());
  EXPECT_NE(report.problems[0].find("needs version GLIBC_2.9.9 of 'lib"), std::string::npos) << report.problems[0];
}

}  // namespace binary_check_test
}  // namespace tieline::fmi
