/* Has the name of a library of the system, and needs the other library of the FMU. */
const char* zip_libzip_version(void);
__attribute__((visibility("default"))) int H5get_libversion(unsigned* major_version, unsigned* minor_version,
                                                            unsigned* release);
int H5get_libversion(unsigned* major_version, unsigned* minor_version, unsigned* release) {
  *major_version = 70U + (unsigned)(zip_libzip_version()[4] - '0');
  *minor_version = *release = 0U;
  return 0;
}
