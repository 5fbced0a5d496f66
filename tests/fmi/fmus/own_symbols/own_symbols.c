/* y = time + what its own functions return: some have the names of functions of libraries that importers use, some are
 * in libraries that come with the FMU, one of them under the name of a library of the system. An FMU that finds others
 * in place of them computes nonsense, or crashes. It writes to the streams of C++, too. */
#include "layer/fmu.h"

#define OWN __attribute__((visibility("default"), noinline))

/* As no library has them: a number in, a number out. */
OWN int CVode(int x) { return x + 1; }
OWN int CVodeCreate(int x) { return x + 2; }
OWN int IDASolve(int x) { return x + 4; }
OWN int N_VNew_Serial(int x) { return x + 8; }
OWN int klu_solve(int x) { return x + 16; }
OWN int H5open(int x) { return x + 32; }
OWN int zip_open(int x) { return x + 64; }
OWN int XML_ParserCreate(int x) { return x + 128; }
OWN int cairo_create(int x) { return x + 256; }
OWN int Mat_Open(int x) { return x + 512; }

/* Beside the FMU's library, in its resources, and in C++. */
int own_solver(int x);       /* 1024 */
int own_resource(int x);     /* 2048 */
int count_in_streams(int x); /* 4096 */

typedef struct {
  double time, y;
} OwnSymbols;

static const Variable kVariables[] = {SCALAR(kFloat64, OwnSymbols, time), SCALAR(kFloat64, OwnSymbols, y)};

static void start(void* data) { (void)data; }

static void calculate(Fmu* fmu) {
  OwnSymbols* own = (OwnSymbols*)(void*)fmu->data;
  int sum = CVode(CVodeCreate(IDASolve(N_VNew_Serial(klu_solve(0)))));
  sum = Mat_Open(cairo_create(XML_ParserCreate(zip_open(H5open(sum)))));
  own->y = own->time + count_in_streams(own_resource(own_solver(sum)));
}

const Model model = {
    .token = "{7c6c43a4-6d1e-4b57-9c1c-0d7a4a6b0023}",
    .data_size = sizeof(OwnSymbols),
    .variables = kVariables,
    .variable_count = sizeof kVariables / sizeof *kVariables,
    .start = start,
    .calculate = calculate,
};
