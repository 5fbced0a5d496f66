/* Has the name of a library of the system, and another version of it. */
__attribute__((visibility("default"))) const char* zip_libzip_version(void);
const char* zip_libzip_version(void) { return OWN_VERSION; }
