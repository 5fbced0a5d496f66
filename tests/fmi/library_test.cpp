#include "fmi/library.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "fmi/test_fmus.hpp"
#include "support/temporary_folder.hpp"
#include "support/zip_bytes.hpp"

namespace tieline::fmi {
namespace library_test {

namespace fs = std::filesystem;

std::string why_not(const LibraryRequest& request) {
  const auto library = Library::open(request);
  return library ? std::string("it was opened") : library.error().message;
}

std::string own_machine() { return std::string(binaries_of("mass", 3).filename()); }

TEST(ChoosePlatform, TakesTheOwnNameFirst) {
  const std::string two = std::string(binaries_of("mass", 2).filename());
  const std::vector<std::string> folders{"win64", two, own_machine(), "darwin64"};
  EXPECT_EQ(value_or_throw(choose_platform(2, folders)).folder, two);
  EXPECT_EQ(value_or_throw(choose_platform(3, folders)).folder, own_machine());
  EXPECT_EQ(value_or_throw(choose_platform(3, folders)).warning, "");
}

TEST(ChoosePlatform, TakesTheOtherVersionsNameWithAWarning) {
#if defined(__x86_64__)
  const PlatformChoice choice = value_or_throw(choose_platform(3, std::vector<std::string>{"linux64"}));
  EXPECT_EQ(choice.folder, "linux64");
  EXPECT_EQ(choice.warning, "binaries/linux64 is the name of FMI 2.0; FMI 3.0 requires binaries/x86_64-linux");
#endif
}

TEST(ChoosePlatform, SaysWhatThereIs) {
  const auto none = choose_platform(3, std::vector<std::string>{"win64", "riscv64-linux"});
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("it has 'win64', 'riscv64-linux'"), std::string::npos) << none.error().message;
  const auto sources = choose_platform(2, {});
  ASSERT_FALSE(sources);
  EXPECT_NE(sources.error().message.find("no machine code"), std::string::npos);
}

TEST(Library, OpensAllVersionsAndTypes) {
  for (const int version : {1, 2, 3}) {
    for (const InterfaceType type : {kExchange, kCoSimulation}) {
      const auto library = open_library("mass", version, type);
      EXPECT_EQ(library->version(), version);
      EXPECT_EQ(library->type(), type);
      EXPECT_EQ(library->fmi1() != nullptr, version == 1);
      EXPECT_EQ(library->fmi2() != nullptr, version <= 2) << "those of 1.0 have them as well";
      EXPECT_EQ(library->fmi3() != nullptr, version == 3);
    }
  }
}

TEST(Library, NamesAllFunctionsThatAreMissing) {
  // A library of FMI 2.0 has none of 3.0's functions.
  const std::string why = why_not({binaries_of("mass", 2), "mass", 3, kCoSimulation});
  EXPECT_EQ(why,
            "'mass.so' does not contain functions of co-simulation: fmi3GetVersion, fmi3FreeInstance, "
            "fmi3EnterInitializationMode, fmi3ExitInitializationMode, fmi3Terminate, fmi3GetFloat64, fmi3SetFloat64, "
            "fmi3InstantiateCoSimulation, fmi3DoStep");
  EXPECT_NE(why_not({binaries_of("mass", 3), "mass", 2, kExchange}).find("fmi2GetDerivatives"), std::string::npos);
}

TEST(Library, SaysWhichLibrariesThereAre) {
  EXPECT_EQ(why_not({binaries_of("mass", 2), "mas", 2, kExchange}),
            "the FMU has no 'mas.so' in '" + std::string(binaries_of("mass", 2).filename()) + "'; there is 'mass.so'");
  EXPECT_NE(why_not({"/nowhere/linux64", "mass", 2, kExchange}).find("no library at all"), std::string::npos);
}

TEST(Library, KnowsFilesOfOtherMachines) {
  const support::TemporaryFolder folder;
  support::write_file(folder.path() / "a.so", "MZ and so on, long enough to be read as a header of something");
  EXPECT_EQ(why_not({folder.path(), "a", 2, kExchange}), "'a.so' is a library for Windows");
  support::write_file(folder.path() / "b.so", "text");
  EXPECT_EQ(why_not({folder.path(), "b", 2, kExchange}), "'b.so' is not a library (it is not an ELF file)");
  std::string head(64, '\0');
  head.replace(0, 7,
               "\x7f"
               "ELF\x01\x01\x01");
  head[18] = 3;
  support::write_file(folder.path() / "c.so", head);
  EXPECT_NE(why_not({folder.path(), "c", 2, kExchange}).find("'c.so' is for 32-bit x86, this machine is"),
            std::string::npos);
}

TEST(Library, AFileThatIsCutOffIsNotLoaded) {
  const support::TemporaryFolder folder;
  std::ifstream in(binaries_of("mass", 2) / "mass.so", std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(in), {}};
  support::write_file(folder.path() / "mass.so", content.substr(0, 1024));
  EXPECT_EQ(why_not({folder.path(), "mass", 2, kExchange}),
            "'mass.so' is truncated: it is shorter than its header states");
}

TEST(Library, SymbolsThatAreNowhereAreNamed) {
  const std::string why = why_not({fs::path(TIELINE_TEST_FMUS) / "libraries", "unresolved", 2, kExchange});
  EXPECT_NE(why.find("the FMU's library cannot be loaded: "), std::string::npos) << why;
  EXPECT_NE(why.find("undefined symbol: what_is_nowhere"), std::string::npos) << why;
}

TEST(Library, HelpersBesideItAreFound) {
  // It is loaded, and then found to be no FMU.
  const std::string why = why_not({fs::path(TIELINE_TEST_FMUS) / "libraries", "helped", 2, kCoSimulation});
  EXPECT_NE(why.find("'helped.so' does not contain functions of co-simulation"), std::string::npos) << why;
}

}  // namespace library_test
}  // namespace tieline::fmi
