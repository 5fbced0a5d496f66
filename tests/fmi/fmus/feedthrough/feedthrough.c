/* Outputs that follow inputs at once, of all types: numbers times `gain` (integers as they are), other values as they
 * are. Two of these with gains that multiply to less than one make an algebraic loop with one solution. */
#include <string.h>

#include "layer/fmu.h"

enum { kMost = 8 };

typedef struct {
  double time;
  double gain;
  double float64_in, float64_out;
  float float32_in, float32_out;
  int8_t int8_in, int8_out;
  uint8_t uint8_in, uint8_out;
  int16_t int16_in, int16_out;
  uint16_t uint16_in, uint16_out;
  int32_t int32_in, int32_out;
  uint32_t uint32_in, uint32_out;
  int64_t int64_in, int64_out;
  uint64_t uint64_in, uint64_out;
  bool boolean_in, boolean_out;
  Text string_in, string_out;
  Blob binary_in, binary_out;
  int64_t choice_in, choice_out; /* an enumeration of FMI 3.0 */
  int32_t mode_in, mode_out;     /* an enumeration of FMI 2.0 */
  double vector_in[3], vector_out[3];
  uint64_t size;
  double list_in[kMost], list_out[kMost]; /* `size` elements */
  Text words_in[2], words_out[2];
} Feedthrough;

#define PAIR(kind, member) SCALAR(kind, Feedthrough, member##_in), SCALAR(kind, Feedthrough, member##_out)
#define PAIR_OF_ARRAYS(kind, member, length) \
  ARRAY(kind, Feedthrough, member##_in, length), ARRAY(kind, Feedthrough, member##_out, length)

enum { kFloat64In = 2, kFloat64Out = 3, kSize = 32 };

static const Variable kVariables[] = {
    SCALAR(kFloat64, Feedthrough, time),
    SCALAR(kFloat64, Feedthrough, gain),
    PAIR(kFloat64, float64), /* 2, 3 */
    PAIR(kFloat32, float32),
    PAIR(kInt8, int8),
    PAIR(kUInt8, uint8),
    PAIR(kInt16, int16), /* 10, 11 */
    PAIR(kUInt16, uint16),
    PAIR(kInt32, int32),
    PAIR(kUInt32, uint32),
    PAIR(kInt64, int64),
    PAIR(kUInt64, uint64), /* 20, 21 */
    PAIR(kBoolean, boolean),
    PAIR(kString, string),
    PAIR(kBinary, binary),
    PAIR(kInt64, choice),
    PAIR_OF_ARRAYS(kFloat64, vector, 3), /* 30, 31 */
    SCALAR(kUInt64, Feedthrough, size),
    {kFloat64, offsetof(Feedthrough, list_in), kMost, kSize},
    {kFloat64, offsetof(Feedthrough, list_out), kMost, kSize},
    PAIR_OF_ARRAYS(kString, words, 2),
    PAIR(kInt32, mode), /* 37, 38 */
};

static void start(void* data) {
  Feedthrough* f = data;
  f->gain = 1.0;
  f->size = 2;
  f->choice_in = 1;
  f->mode_in = 1;
}

static void calculate(Fmu* fmu) {
  Feedthrough* f = (Feedthrough*)(void*)fmu->data;
  f->float64_out = f->gain * f->float64_in;
  f->float32_out = (float)f->gain * f->float32_in;
  f->int8_out = f->int8_in;
  f->uint8_out = f->uint8_in;
  f->int16_out = f->int16_in;
  f->uint16_out = f->uint16_in;
  f->int32_out = f->int32_in;
  f->uint32_out = f->uint32_in;
  f->int64_out = f->int64_in;
  f->uint64_out = f->uint64_in;
  f->boolean_out = f->boolean_in;
  f->string_out = f->string_in;
  f->binary_out = f->binary_in;
  f->choice_out = f->choice_in;
  f->mode_out = f->mode_in;
  for (int i = 0; i < 3; ++i) f->vector_out[i] = f->gain * f->vector_in[i];
  for (int i = 0; i < kMost; ++i) f->list_out[i] = f->gain * f->list_in[i];
  memcpy(f->words_out, f->words_in, sizeof f->words_out);
}

static double partial(Fmu* fmu, size_t of, size_t by) {
  const Feedthrough* f = (const Feedthrough*)(const void*)fmu->data;
  if (of == by) return 1.0;
  return of == kFloat64Out && by == kFloat64In ? f->gain : 0.0;
}

const Model model = {
    .token = "{7c6c43a4-6d1e-4b57-9c1c-0d7a4a6b0009}",
    .data_size = sizeof(Feedthrough),
    .variables = kVariables,
    .variable_count = sizeof kVariables / sizeof *kVariables,
    .start = start,
    .calculate = calculate,
    .partial = partial,
};
