/* y = time + what libraries say that come with the FMU, and that have names and functions of libraries that importers
 * have loaded. One of them needs the other. */
#include "layer/fmu.h"

const char* zip_libzip_version(void);                                                      /* beside: libzip.so.4 */
int H5get_libversion(unsigned* major_version, unsigned* minor_version, unsigned* release); /* in its resources */

typedef struct {
  double time, y;
} OwnLibrary;

static const Variable kVariables[] = {SCALAR(kFloat64, OwnLibrary, time), SCALAR(kFloat64, OwnLibrary, y)};

static void start(void* data) { (void)data; }

static void calculate(Fmu* fmu) {
  OwnLibrary* own = (OwnLibrary*)(void*)fmu->data;
  unsigned version[3] = {0, 0, 0};
  H5get_libversion(&version[0], &version[1], &version[2]);
  /* "own-1" */
  own->y = own->time + 100.0 * (zip_libzip_version()[4] - '0') + version[0];
}

const Model model = {
    .token = "{7c6c43a4-6d1e-4b57-9c1c-0d7a4a6b0029}",
    .data_size = sizeof(OwnLibrary),
    .variables = kVariables,
    .variable_count = sizeof kVariables / sizeof *kVariables,
    .start = start,
    .calculate = calculate,
};
