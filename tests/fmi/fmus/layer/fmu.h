/* What all test FMUs have in common: a model is a table of variables over one block of data and a few functions; the
 * layer makes an FMU of it, of FMI 1.0, 2.0 or 3.0, for model exchange and for co-simulation.
 *
 * The first member of a model's data is its time. A value reference is an index of the table. All of an instance is in
 * its Fmu, so that instances can run in different threads. */
#ifndef TIELINE_TEST_FMU_H
#define TIELINE_TEST_FMU_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
  kFloat64,
  kFloat32,
  kInt8,
  kUInt8,
  kInt16,
  kUInt16,
  kInt32,
  kUInt32,
  kInt64,
  kUInt64,
  kBoolean, /* bool */
  kString,  /* Text */
  kBinary,  /* Blob */
  kClock    /* bool */
} Kind;

typedef struct {
  char text[256];
} Text;

typedef struct {
  size_t size;
  uint8_t bytes[256];
} Blob;

typedef struct {
  Kind kind;
  size_t offset;      /* in the model's data */
  size_t length;      /* elements, at most */
  size_t length_from; /* reference of a UInt64 that holds the number of elements, or 0 */
} Variable;

#define SCALAR(kind, type, member) \
  { kind, offsetof(type, member), 1, 0 }
#define ARRAY(kind, type, member, length) \
  { kind, offsetof(type, member), length, 0 }

/* Statuses have the same numbers in both versions. */
enum { kOk, kWarning, kDiscard, kError, kFatal, kPending };

typedef struct {
  bool need_update;
  bool terminate;
  bool values_changed;
  double next; /* [s], infinity if there is none */
} Events;

typedef struct {
  bool event_needed;
  bool terminate;
  bool early_return;
  double reached; /* [s] */
} StepReport;

typedef struct Fmu Fmu;

typedef struct {
  const char* token; /* the GUID of FMI 1.0 and 2.0 as well */
  size_t data_size;
  const Variable* variables;
  size_t variable_count;
  /* Places of the arrays of continuous states and of their derivatives. */
  size_t state_offset, derivative_offset, state_count;
  size_t indicator_count;
  size_t step_offset;        /* of the largest step of the inner solver of co-simulation [s]; 0: one step */
  bool updates;              /* calls back at each stage of an inner step, where the importer wants it (3.0) */
  void (*start)(void* data); /* fills in the start values */
  void (*calculate)(Fmu*);   /* derivatives and outputs of time, states and inputs */
  void (*indicate)(Fmu*, double* indicators);    /* what changes sign at state events */
  void (*event)(Fmu*, Events*);                  /* one evaluation in event mode, and at the start */
  double (*partial)(Fmu*, size_t of, size_t by); /* partial derivative of one variable by another */
  double (*output_rate)(Fmu*, size_t variable);  /* first derivative of an output by time */
  double (*clock_interval)(Fmu*);                /* of the clocks [s] (3.0) */
  bool (*has_new_interval)(Fmu*);                /* whether it has changed; always, where there is none */
  /* Instead of these two: the interval of one clock, and its qualifier as FMI numbers them; -1 refuses to answer. */
  int (*report_interval)(Fmu*, size_t clock, double* interval);
  double (*clock_shift)(Fmu*, size_t clock);     /* [s]; asked in initialization mode only (3.0) */
  size_t (*clock_of)(size_t variable);           /* without whose tick it may not be accessed; 0: none */
  int (*set_input_rate)(Fmu*, size_t variable, double rate);
  int (*enter)(Fmu*, const char* call); /* before each call of the interface; other than kOk is its answer */
  int (*step)(Fmu*, double begin, double length, StepReport*); /* instead of fmu_step */
  bool (*accepts_name)(const char* instance_name);
  void (*nominals)(Fmu*, double* nominals); /* of the states; all 1 where there is none */
} Model;

extern const Model model;

/* Whether a path, or a URI with the scheme "file", leads to a folder. */
bool fmu_is_folder(const char* path);
bool fmu_is_folder_uri(const char* uri);

struct Fmu {
  char name[128];
  bool is_cosimulation;
  bool uses_event_mode;
  bool may_return_early;
  bool is_stale; /* outputs and derivatives are older than what they depend on */
  bool is_initializing;
  bool is_running;  /* initialized */
  bool is_in_event; /* event mode (3.0) */
  bool is_over;     /* the last step asked to terminate (2.0) */
  bool logs;
  double step_start; /* of the communication step [s] */
  double next_event; /* [s] */
  unsigned char* data;
  /* Of the version that the FMU is made for. */
  void (*log)(Fmu*, int status, const char* category, const char* message);
  /* Reports a stage or, with is_finished, of the end of an inner step; true asks to end the step at *until. */
  bool (*update)(Fmu*, bool is_finished, double* until);
  void (*finished)(Fmu*, int status); /* ends a step that was pending (2.0) */
  const void* callbacks;
  void (*intermediate)(void); /* the importer's intermediate update (3.0) */
  void* environment;
  /* Of a step that runs in a thread of its own. With a lock, as thread sanitizers do not see atomics of FMUs. */
  int step_status;
  pthread_mutex_t step_lock;
  pthread_t step_thread;   /* that thread, where there is one */
  bool has_step_thread;
  bool has_resources; /* the folder of resources that was stated exists */
  /* What the importer has stated, and whether the model wants to end at the next completed step of model exchange. */
  struct {
    bool has_tolerance, no_set, has_step_finished, ends;
    double tolerance;
  } told;
};

static inline double* fmu_time(Fmu* fmu) { return (double*)(void*)fmu->data; }

Fmu* fmu_new(const char* name, const char* token, bool is_cosimulation);
void fmu_free(Fmu*);
void fmu_reset(Fmu*);
int fmu_step_status(Fmu*);
void fmu_set_step_status(Fmu*, int status);
void fmu_refresh(Fmu*); /* calculates where needed */
int fmu_enter(Fmu*, const char* call);
void fmu_update_events(Fmu*, Events*);
void fmu_exit_initialization(Fmu*);
int fmu_step(Fmu*, double begin, double length, StepReport*);

/* Elements of a variable; 0 where the reference is of no variable or of another kind. */
size_t fmu_length(Fmu*, size_t reference, Kind);
void* fmu_place(Fmu*, size_t reference);
int fmu_get(Fmu*, Kind, const uint32_t* references, size_t count, void* values, size_t value_count);
int fmu_set(Fmu*, Kind, const uint32_t* references, size_t count, const void* values, size_t value_count);

double* fmu_states(Fmu*);
int fmu_directional(Fmu*, const uint32_t* of, size_t of_count, const uint32_t* by, size_t by_count, const double* seed,
                    double* sensitivity);
int fmu_adjoint(Fmu*, const uint32_t* of, size_t of_count, const uint32_t* by, size_t by_count, const double* seed,
                double* sensitivity);

/* What restores an instance, one after the other. */
size_t fmu_saved_size(void);
void fmu_save(const Fmu*, unsigned char* bytes);
void fmu_restore(Fmu*, const unsigned char* bytes);

#endif
