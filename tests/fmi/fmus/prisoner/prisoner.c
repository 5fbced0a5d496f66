/* Tries what third-party code in a sandbox must not do, and some things that it must be able to do, and reports what
 * was possible. It tries only if the parameter `outside` names a folder that is not its own. Each output is 1 if it was
 * possible, 0 if not, -1 if it was not tried. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "layer/fmu.h"

typedef struct {
  double time;
  Text outside;
  int32_t reads, writes_beside, writes_outside, removes_outside, changes_mode, opens_socket, opens_local_socket,
      executes, traces, reads_parent, signals_parent, has_thread, finds_token, finds_token_in_proc;
} Prisoner;

#define COUNT(member) SCALAR(kInt32, Prisoner, member)
static const Variable kVariables[] = {SCALAR(kFloat64, Prisoner, time),
                                      SCALAR(kString, Prisoner, outside),
                                      COUNT(reads),
                                      COUNT(writes_beside),
                                      COUNT(writes_outside),
                                      COUNT(removes_outside),
                                      COUNT(changes_mode),
                                      COUNT(opens_socket),
                                      COUNT(opens_local_socket),
                                      COUNT(executes),
                                      COUNT(traces),
                                      COUNT(reads_parent),
                                      COUNT(signals_parent),
                                      COUNT(has_thread),
                                      COUNT(finds_token),
                                      COUNT(finds_token_in_proc)};

static void start(void* data) {
  Prisoner* prisoner = data;
  int32_t* results[] = {
      &prisoner->reads,        &prisoner->writes_beside,      &prisoner->writes_outside,     &prisoner->removes_outside,
      &prisoner->changes_mode, &prisoner->opens_socket,       &prisoner->opens_local_socket, &prisoner->executes,
      &prisoner->traces,       &prisoner->reads_parent,       &prisoner->signals_parent,     &prisoner->has_thread,
      &prisoner->finds_token,  &prisoner->finds_token_in_proc};
  for (size_t i = 0; i < sizeof results / sizeof *results; ++i) *results[i] = -1;
}

static bool can_open(const char* path, int flags) {
  const int file = open(path, flags | O_CLOEXEC, 0644);
  if (file >= 0) close(file);
  return file >= 0;
}

static bool can_read(const char* path) {
  char byte;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool has_read = read(file, &byte, 1) == 1;
  close(file);
  return has_read;
}

static bool can_write_beside(void) {
  static const char kMark;
  Dl_info own;
  char path[4096];
  if (dladdr(&kMark, &own) == 0) return false;
  snprintf(path, sizeof path, "%s.notes", own.dli_fname);
  return can_open(path, O_WRONLY | O_CREAT);
}

static bool can_open_socket(void) {
  const int socket_number = socket(AF_INET, SOCK_STREAM, 0);
  if (socket_number >= 0) close(socket_number);
  return socket_number >= 0;
}

static bool can_open_local_socket(void) {
  const int socket_number = socket(AF_UNIX, SOCK_STREAM, 0);
  if (socket_number >= 0) close(socket_number);
  return socket_number >= 0;
}

static bool can_execute(void) {
  const pid_t child = fork();
  if (child < 0) return false;
  if (child == 0) {
    execl("/bin/true", "true", (char*)NULL);
    _exit(1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool can_trace(void) {
  const pid_t child = fork();
  if (child < 0) return false;
  if (child == 0) {
    alarm(2); /* its parent may not be allowed to end it */
    for (;;) pause();
  }
  const bool has_traced = ptrace(PTRACE_SEIZE, child, NULL, NULL) == 0;
  kill(child, SIGKILL);
  waitpid(child, NULL, __WALL);
  return has_traced;
}

static bool can_read_parent(void) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/mem", (int)getppid());
  return can_open(path, O_RDONLY);
}

static void* do_nothing(void* argument) { return argument; }

static bool can_start_thread(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, do_nothing, NULL) != 0) return false;
  pthread_join(thread, NULL);
  return true;
}

/* A token has 32 hexadecimal digits. */
static bool is_token(const char* text) { return strspn(text, "0123456789abcdef") >= 32; }

static bool can_find_token(void) {
  const char* token = getenv("TIELINE_TOKEN");
  return token != NULL && is_token(token);
}

static bool can_find_token_in_proc(void) {
  static char text[1 << 18];
  static const char kName[] = "TIELINE_TOKEN=";
  FILE* file = fopen("/proc/self/environ", "rb");
  if (file == NULL) return false;
  const size_t size = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[size] = 0;
  for (size_t i = 0; i + sizeof kName <= size; ++i) {
    if (memcmp(text + i, kName, sizeof kName - 1) == 0 && is_token(text + i + sizeof kName - 1)) return true;
  }
  return false;
}

static void try_all(Prisoner* prisoner) {
  char fresh[512], old[512], doomed[512];
  snprintf(fresh, sizeof fresh, "%s/fresh", prisoner->outside.text);
  snprintf(old, sizeof old, "%s/old", prisoner->outside.text);
  snprintf(doomed, sizeof doomed, "%s/doomed", prisoner->outside.text);
  prisoner->reads = can_read(old);
  prisoner->writes_beside = can_write_beside();
  prisoner->writes_outside = can_open(fresh, O_WRONLY | O_CREAT) || can_open(old, O_WRONLY);
  prisoner->changes_mode = chmod(old, 0600) == 0;
  /* It is started more than once. */
  prisoner->removes_outside = unlink(doomed) == 0 || errno == ENOENT;
  prisoner->opens_socket = can_open_socket();
  prisoner->opens_local_socket = can_open_local_socket();
  prisoner->executes = can_execute();
  prisoner->traces = can_trace();
  prisoner->reads_parent = can_read_parent();
  prisoner->signals_parent = kill(getppid(), 0) == 0;
  prisoner->has_thread = can_start_thread();
  prisoner->finds_token = can_find_token();
  prisoner->finds_token_in_proc = can_find_token_in_proc();
}

static int enter(Fmu* fmu, const char* call) {
  Prisoner* prisoner = (Prisoner*)(void*)fmu->data;
  if (strcmp(call, "exit_initialization") == 0 && prisoner->outside.text[0] != 0) try_all(prisoner);
  return kOk;
}

const Model model = {
    .token = "{7c6c43a4-6d1e-4b57-9c1c-0d7a4a6b0010}",
    .data_size = sizeof(Prisoner),
    .variables = kVariables,
    .variable_count = sizeof kVariables / sizeof *kVariables,
    .start = start,
    .enter = enter,
};
