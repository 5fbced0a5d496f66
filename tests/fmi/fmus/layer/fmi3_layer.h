/* What the two files of the layer for FMI 3.0 share. */
#ifndef TIELINE_TEST_FMI3_LAYER_H
#define TIELINE_TEST_FMI3_LAYER_H

#include "fmi/fmi3.h"
#include "fmu.h"

#define DECLARE(name) __attribute__((visibility("default"))) name##TYPE name;
FMI3_ALL_FUNCTIONS(DECLARE)
#undef DECLARE

#define ENTER(call)                               \
  Fmu* fmu = instance;                            \
  do {                                            \
    const int answer = fmu_enter(fmu, call);      \
    if (answer != kOk) return (fmi3Status)answer; \
  } while (0)

/* Fmu.update by way of the importer's intermediate update. */
bool fmi3_update(Fmu*, bool is_finished, double* until);

#endif
