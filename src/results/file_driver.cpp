#include "results/file_driver.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <limits>
#include <memory>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "core/system_reason.hpp"

namespace tieline::results {
namespace {

/// The driver's settings in a property list.
struct DriverInfo {
  FileTrouble* trouble = nullptr;
};

/// HDF5 allocates nothing of this itself; the common part must come first.
struct DriverFile {
  H5FD_t common{};
  int descriptor = -1;
  haddr_t allocated = 0;  ///< end of what HDF5 has given out
  haddr_t size = 0;       ///< end of what was written
  FileTrouble* trouble = nullptr;
};

DriverFile* own(H5FD_t* file) { return reinterpret_cast<DriverFile*>(file); }
const DriverFile* own(const H5FD_t* file) { return reinterpret_cast<const DriverFile*>(file); }

void note_trouble(DriverFile& file) {
  if (file.trouble->reason.empty()) file.trouble->reason = core::system_reason(errno);
}

H5FD_t* open_file(const char* name, unsigned flags, hid_t access, haddr_t) {
  const auto* info = static_cast<const DriverInfo*>(H5Pget_driver_info(access));
  if (info == nullptr) return nullptr;
  auto file = std::make_unique<DriverFile>();
  file->trouble = info->trouble;
  file->trouble->reason.clear();  // HDF5 first tries to open the file without creating it
  int mode = (flags & H5F_ACC_RDWR) != 0 ? O_RDWR : O_RDONLY;
  if ((flags & H5F_ACC_TRUNC) != 0) mode |= O_TRUNC;
  if ((flags & H5F_ACC_CREAT) != 0) mode |= O_CREAT;
  if ((flags & H5F_ACC_EXCL) != 0) mode |= O_EXCL;
  file->descriptor = ::open(name, mode | O_CLOEXEC, 0666);
  struct stat status {};
  if (file->descriptor < 0 || ::fstat(file->descriptor, &status) != 0) {
    note_trouble(*file);
    if (file->descriptor >= 0) ::close(file->descriptor);
    return nullptr;
  }
  file->size = static_cast<haddr_t>(status.st_size);
  return &file.release()->common;
}

herr_t close_file(H5FD_t* base) {
  const std::unique_ptr<DriverFile> file(own(base));
  // Network file systems report a full disk only here.
  if (::close(file->descriptor) != 0) note_trouble(*file);
  return 0;
}

int compare_files(const H5FD_t* a, const H5FD_t* b) {
  return own(a)->descriptor < own(b)->descriptor ? -1 : own(a)->descriptor > own(b)->descriptor ? 1 : 0;
}

herr_t query(const H5FD_t*, unsigned long* flags) {
  if (flags != nullptr)
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_SUPPORTS_SWMR_IO | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t get_allocated(const H5FD_t* file, H5FD_mem_t) { return own(file)->allocated; }
haddr_t get_size(const H5FD_t* file, H5FD_mem_t) { return own(file)->size; }
herr_t set_allocated(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  own(file)->allocated = address;
  return 0;
}

herr_t read_bytes(H5FD_t* base, H5FD_mem_t, hid_t, haddr_t address, size_t size, void* buffer) {
  auto* bytes = static_cast<char*>(buffer);
  while (size > 0) {
    const ssize_t count = ::pread(own(base)->descriptor, bytes, size, static_cast<off_t>(address));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return -1;
    if (count == 0) {
      std::memset(bytes, 0, size);  // allocated but never written
      break;
    }
    bytes += count;
    size -= static_cast<size_t>(count);
    address += static_cast<haddr_t>(count);
  }
  return 0;
}

herr_t write_bytes(H5FD_t* base, H5FD_mem_t, hid_t, haddr_t address, size_t size, const void* buffer) {
  DriverFile& file = *own(base);
  file.size = std::max(file.size, address + size);
  const auto* bytes = static_cast<const char*>(buffer);
  while (size > 0 && file.trouble->reason.empty()) {
    const ssize_t count = ::pwrite(file.descriptor, bytes, size, static_cast<off_t>(address));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      note_trouble(file);
      break;
    }
    bytes += count;
    size -= static_cast<size_t>(count);
    address += static_cast<haddr_t>(count);
  }
  return 0;
}

herr_t truncate_file(H5FD_t* base, hid_t, hbool_t) {
  DriverFile& file = *own(base);
  if (file.size == file.allocated) return 0;
  file.size = file.allocated;
  if (file.trouble->reason.empty() && ::ftruncate(file.descriptor, static_cast<off_t>(file.size)) != 0)
    note_trouble(file);
  return 0;
}

/// Readers are kept apart by the marks in the file's head; but HDF5 sets these only for a driver that can lock.
herr_t lock_file(H5FD_t*, hbool_t) { return 0; }
herr_t unlock_file(H5FD_t*) { return 0; }

H5FD_class_t driver_class() {
  H5FD_class_t driver{};
  driver.name = "tieline";
  driver.maxaddr = static_cast<haddr_t>(std::numeric_limits<off_t>::max());
  driver.fc_degree = H5F_CLOSE_WEAK;
  driver.fapl_size = sizeof(DriverInfo);
  driver.open = open_file;
  driver.close = close_file;
  driver.cmp = compare_files;
  driver.query = query;
  driver.get_eoa = get_allocated;
  driver.set_eoa = set_allocated;
  driver.get_eof = get_size;
  driver.read = read_bytes;
  driver.write = write_bytes;
  driver.truncate = truncate_file;
  driver.lock = lock_file;
  driver.unlock = unlock_file;
  constexpr H5FD_mem_t kFreeLists[H5FD_MEM_NTYPES] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(kFreeLists), std::end(kFreeLists), driver.fl_map);
  return driver;
}

}  // namespace

Hdf5Handle access_by_own_driver(FileTrouble& trouble) {
  // HDF5 keeps a pointer to the class of each driver.
  static const H5FD_class_t kDriver = driver_class();
  // Once and for good: a file that is closed last would take its driver's table with it, and read it once more.
  static const hid_t driver = H5FDregister(&kDriver);
  const DriverInfo info{.trouble = &trouble};
  Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_driver(access.id(), driver, &info);
  return access;
}

}  // namespace tieline::results
