/* The part of the layer that is the same for all versions: values, states, events and the inner solver. */
#include "fmu.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { kMostStates = 16, kMostIndicators = 4 };

static const size_t kSizes[] = {sizeof(double),   sizeof(float),   sizeof(int8_t),   sizeof(uint8_t), sizeof(int16_t),
                                sizeof(uint16_t), sizeof(int32_t), sizeof(uint32_t), sizeof(int64_t), sizeof(uint64_t),
                                sizeof(bool),     sizeof(Text),    sizeof(Blob),     sizeof(bool)};

Fmu* fmu_new(const char* name, const char* token, bool is_cosimulation) {
  if (name == NULL || token == NULL || strcmp(token, model.token) != 0) return NULL;
  if (model.accepts_name && !model.accepts_name(name)) return NULL;
  Fmu* fmu = calloc(1, sizeof *fmu);
  if (fmu == NULL) return NULL;
  snprintf(fmu->name, sizeof fmu->name, "%s", name);
  fmu->is_cosimulation = is_cosimulation;
  fmu->data = calloc(1, model.data_size);
  if (fmu->data == NULL) {
    free(fmu);
    return NULL;
  }
  pthread_mutex_init(&fmu->step_lock, NULL);
  fmu_reset(fmu);
  return fmu;
}

int fmu_step_status(Fmu* fmu) {
  pthread_mutex_lock(&fmu->step_lock);
  const int status = fmu->step_status;
  pthread_mutex_unlock(&fmu->step_lock);
  return status;
}

void fmu_set_step_status(Fmu* fmu, int status) {
  pthread_mutex_lock(&fmu->step_lock);
  fmu->step_status = status;
  pthread_mutex_unlock(&fmu->step_lock);
}

void fmu_free(Fmu* fmu) {
  pthread_mutex_destroy(&fmu->step_lock);
  free(fmu->data);
  free(fmu);
}

void fmu_reset(Fmu* fmu) {
  memset(fmu->data, 0, model.data_size);
  model.start(fmu->data);
  fmu->is_stale = true;
  fmu->is_initializing = fmu->is_over = fmu->is_running = fmu->is_in_event = false;
  fmu->step_start = 0.0;
  fmu->next_event = INFINITY;
}

int fmu_enter(Fmu* fmu, const char* call) { return model.enter ? model.enter(fmu, call) : kOk; }

void fmu_refresh(Fmu* fmu) {
  if (!fmu->is_stale) return;
  if (model.calculate) model.calculate(fmu);
  fmu->is_stale = false;
}

double* fmu_states(Fmu* fmu) { return (double*)(void*)(fmu->data + model.state_offset); }

void* fmu_place(Fmu* fmu, size_t reference) { return fmu->data + model.variables[reference].offset; }

size_t fmu_length(Fmu* fmu, size_t reference, Kind kind) {
  if (reference >= model.variable_count || model.variables[reference].kind != kind) return 0;
  const Variable* variable = &model.variables[reference];
  if (variable->length_from == 0) return variable->length;
  const uint64_t length = *(const uint64_t*)fmu_place(fmu, variable->length_from);
  return length < variable->length ? (size_t)length : variable->length;
}

static int refuse_reference(Fmu* fmu, uint32_t reference) {
  char text[96];
  snprintf(text, sizeof text, "no variable of this type has the value reference %u", (unsigned)reference);
  fmu->log(fmu, kError, "logStatusError", text);
  return kError;
}

/* Variables with clocks are there while these tick. */
static bool is_accessible(Fmu* fmu, uint32_t reference) {
  const size_t clock = model.clock_of && fmu->is_running ? model.clock_of(reference) : 0;
  if (clock == 0 || (fmu->is_in_event && *(const bool*)fmu_place(fmu, clock))) return true;
  char text[96];
  snprintf(text, sizeof text, "the clock of the variable %u does not tick", (unsigned)reference);
  fmu->log(fmu, kError, "logStatusError", text);
  return false;
}

int fmu_get(Fmu* fmu, Kind kind, const uint32_t* references, size_t count, void* values, size_t value_count) {
  const int status = fmu_enter(fmu, "get");
  if (status != kOk) return status;
  fmu_refresh(fmu);
  const size_t size = kSizes[kind];
  size_t done = 0;
  for (size_t i = 0; i < count; ++i) {
    const size_t length = fmu_length(fmu, references[i], kind);
    if (length == 0 || done + length > value_count) return refuse_reference(fmu, references[i]);
    if (!is_accessible(fmu, references[i])) return kError;
    memcpy((unsigned char*)values + done * size, fmu_place(fmu, references[i]), length * size);
    done += length;
  }
  return done == value_count ? kOk : kError;
}

int fmu_set(Fmu* fmu, Kind kind, const uint32_t* references, size_t count, const void* values, size_t value_count) {
  const int status = fmu_enter(fmu, "set");
  if (status != kOk) return status;
  const size_t size = kSizes[kind];
  size_t done = 0;
  for (size_t i = 0; i < count; ++i) {
    const size_t length = fmu_length(fmu, references[i], kind);
    if (length == 0 || done + length > value_count) return refuse_reference(fmu, references[i]);
    if (!is_accessible(fmu, references[i])) return kError;
    memcpy(fmu_place(fmu, references[i]), (const unsigned char*)values + done * size, length * size);
    done += length;
  }
  fmu->is_stale = true;
  return done == value_count ? kOk : kError;
}

int fmu_directional(Fmu* fmu, const uint32_t* of, size_t of_count, const uint32_t* by, size_t by_count,
                    const double* seed, double* sensitivity) {
  if (model.partial == NULL) return kError;
  fmu_refresh(fmu);
  for (size_t i = 0; i < of_count; ++i) {
    sensitivity[i] = 0.0;
    for (size_t j = 0; j < by_count; ++j) sensitivity[i] += model.partial(fmu, of[i], by[j]) * seed[j];
  }
  return kOk;
}

int fmu_adjoint(Fmu* fmu, const uint32_t* of, size_t of_count, const uint32_t* by, size_t by_count, const double* seed,
                double* sensitivity) {
  if (model.partial == NULL) return kError;
  fmu_refresh(fmu);
  for (size_t j = 0; j < by_count; ++j) {
    sensitivity[j] = 0.0;
    for (size_t i = 0; i < of_count; ++i) sensitivity[j] += model.partial(fmu, of[i], by[j]) * seed[i];
  }
  return kOk;
}

/* Saved states. */

typedef struct {
  double step_start, next_event;
} SavedHead;

size_t fmu_saved_size(void) { return sizeof(SavedHead) + model.data_size; }

void fmu_save(const Fmu* fmu, unsigned char* bytes) {
  const SavedHead head = {fmu->step_start, fmu->next_event};
  memcpy(bytes, &head, sizeof head);
  memcpy(bytes + sizeof head, fmu->data, model.data_size);
}

void fmu_restore(Fmu* fmu, const unsigned char* bytes) {
  SavedHead head;
  memcpy(&head, bytes, sizeof head);
  fmu->step_start = head.step_start;
  fmu->next_event = head.next_event;
  memcpy(fmu->data, bytes + sizeof head, model.data_size);
  fmu->is_stale = true;
}

/* Events. */

void fmu_update_events(Fmu* fmu, Events* events) {
  *events = (Events){.next = INFINITY};
  fmu_refresh(fmu);
  if (model.event) model.event(fmu, events);
  fmu->next_event = events->next;
  fmu->is_stale = true;
}

/* Handles what happens now without the importer; true asks to terminate. */
static bool handle_events(Fmu* fmu) {
  Events events;
  do {
    fmu_update_events(fmu, &events);
  } while (events.need_update && !events.terminate);
  return events.terminate;
}

void fmu_exit_initialization(Fmu* fmu) {
  fmu->is_initializing = false;
  fmu->is_running = true;
  fmu->is_in_event = !fmu->is_cosimulation || fmu->uses_event_mode;
  fmu->is_stale = true;
  if (fmu->is_cosimulation && !fmu->uses_event_mode) handle_events(fmu);
}

/* The inner solver of co-simulation: the classical Runge-Kutta method with steps of one length. */

static void stage(Fmu* fmu, double time, const double* states, double* derivatives) {
  memcpy(fmu_states(fmu), states, model.state_count * sizeof *states);
  *fmu_time(fmu) = time;
  fmu->is_stale = true;
  double until;
  if (fmu->update) fmu->update(fmu, false, &until);
  fmu_refresh(fmu);
  memcpy(derivatives, fmu->data + model.derivative_offset, model.state_count * sizeof *derivatives);
}

static void inner_step(Fmu* fmu, double end) {
  const size_t n = model.state_count;
  const double begin = *fmu_time(fmu), h = end - begin;
  static const double kNodes[4] = {0.0, 0.5, 0.5, 1.0}, kWeights[4] = {1.0, 2.0, 2.0, 1.0};
  double x0[kMostStates], x[kMostStates], slope[kMostStates] = {0.0}, sum[kMostStates] = {0.0};
  memcpy(x0, fmu_states(fmu), n * sizeof *x0);
  for (int k = 0; k < 4; ++k) {
    for (size_t i = 0; i < n; ++i) x[i] = x0[i] + kNodes[k] * h * slope[i];
    stage(fmu, k == 3 ? end : begin + kNodes[k] * h, x, slope);
    for (size_t i = 0; i < n; ++i) sum[i] += kWeights[k] * slope[i];
  }
  for (size_t i = 0; i < n; ++i) x[i] = x0[i] + h / 6.0 * sum[i];
  memcpy(fmu_states(fmu), x, n * sizeof *x);
  *fmu_time(fmu) = end;
  fmu->is_stale = true;
}

static void indicate(Fmu* fmu, double* indicators) {
  fmu_refresh(fmu);
  if (model.indicator_count > 0) model.indicate(fmu, indicators);
}

static bool has_crossed(const double* before, const double* after) {
  for (size_t i = 0; i < model.indicator_count; ++i) {
    if ((before[i] > 0.0) != (after[i] > 0.0)) return true;
  }
  return false;
}

/* Steps to the end, or to just behind the first state event before it; true: an event. */
static bool inner_step_to_event(Fmu* fmu, double end) {
  if (model.indicator_count == 0) {
    inner_step(fmu, end);
    return false;
  }
  double before[kMostIndicators], after[kMostIndicators], states[kMostStates];
  const double begin = *fmu_time(fmu);
  memcpy(states, fmu_states(fmu), model.state_count * sizeof *states);
  indicate(fmu, before);
  inner_step(fmu, end);
  indicate(fmu, after);
  if (!has_crossed(before, after)) return false;
  double low = begin, high = end;
  for (int k = 0; k < 200 && nextafter(low, high) < high; ++k) {
    const double middle = low + 0.5 * (high - low);
    memcpy(fmu_states(fmu), states, model.state_count * sizeof *states);
    *fmu_time(fmu) = begin;
    inner_step(fmu, middle);
    indicate(fmu, after);
    if (has_crossed(before, after)) {
      high = middle;
    } else {
      low = middle;
    }
  }
  memcpy(fmu_states(fmu), states, model.state_count * sizeof *states);
  *fmu_time(fmu) = begin;
  inner_step(fmu, high);
  return true;
}

/* The end of the next inner step on the way to the end of the communication step. */
static double inner_end(Fmu* fmu, double end) {
  const double now = *fmu_time(fmu), left = end - now;
  const double longest = model.step_offset ? *(const double*)(const void*)(fmu->data + model.step_offset) : left;
  /* A rounding error does not make a step of its own. */
  const double steps = longest > 0.0 ? ceil(left / longest * (1.0 - 1e-12)) : 1.0;
  const double stop = steps > 1.0 ? now + left / steps : end;
  return fmu->next_event < stop ? fmu->next_event : stop;
}

int fmu_step(Fmu* fmu, double begin, double length, StepReport* report) {
  double end = begin + length;
  *report = (StepReport){.reached = end};
  *fmu_time(fmu) = fmu->step_start = begin;
  fmu->is_stale = true;
  while (*fmu_time(fmu) < end) {
    const double stop = inner_end(fmu, end);
    const bool has_event =
        (stop > *fmu_time(fmu) && inner_step_to_event(fmu, stop)) || *fmu_time(fmu) >= fmu->next_event;
    report->reached = *fmu_time(fmu);
    if (has_event) {
      const bool is_last = report->reached >= end;
      if (fmu->uses_event_mode && (is_last || fmu->may_return_early)) {
        report->event_needed = true;
        report->early_return = report->reached < begin + length;
        return kOk;
      }
      report->terminate = handle_events(fmu);
    }
    double until = end;
    if (fmu->update && fmu->update(fmu, true, &until)) {
      if (until < end) end = until > report->reached ? until : report->reached;
    }
    if (report->terminate) break;
  }
  report->early_return = report->reached < begin + length;
  return kOk;
}

bool fmu_is_folder(const char* path) {
  struct stat status;
  return path != NULL && stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

bool fmu_is_folder_uri(const char* uri) {
  static const char kScheme[] = "file:///";
  if (uri == NULL || strncmp(uri, kScheme, sizeof kScheme - 1) != 0) return false;
  char path[4096];
  size_t length = 0;
  for (const char* c = uri + sizeof kScheme - 2; *c != '\0' && length + 1 < sizeof path; ++c) {
    unsigned code = 0;
    if (*c == '%' && sscanf(c + 1, "%2x", &code) == 1) {
      path[length++] = (char)code;
      c += 2;
    } else {
      path[length++] = *c;
    }
  }
  path[length] = '\0';
  return fmu_is_folder(path);
}
