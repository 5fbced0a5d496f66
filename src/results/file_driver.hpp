#pragma once

#include <string>

#include "results/hdf5.hpp"

namespace tieline::results {

/// What the operating system refused, in words; empty while all went well. Must outlive the file.
struct FileTrouble {
  std::string reason{};
};

/// A list of file access properties with a driver of our own: plain reads and writes that HDF5 never sees fail.
///
/// HDF5 cannot give up a file: after a failed write it keeps trying, at the latest when the process ends, may crash
/// there, and can write metadata of rows whose data never arrived. This driver keeps the first failure in `trouble`,
/// pretends success, and from then on leaves the file alone, so that it stays as a killed writer would leave it.
/// Whoever writes looks at `trouble` after each step.
[[nodiscard]] Hdf5Handle access_by_own_driver(FileTrouble& trouble);

}  // namespace tieline::results
