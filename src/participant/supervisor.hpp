#pragma once

#include <sys/types.h>

namespace tieline::participant {

/// What a supervisor reports to the process that has forked it: one packet each.
struct SupervisorReport {
  enum class Kind : int {
    started,  ///< the number of the program's process
    ended,    ///< the program has ended, with this status of waitpid
  };
  Kind kind = Kind::started;
  int value = 0;
};

/// What it is asked for: one byte each. The end of the connection means `end_all`.
enum class SupervisorOrder : char {
  ask_to_stop = 'T',  ///< SIGTERM to the program and all that it has started, also where these are stopped (SIGCONT)
  end_all = 'K',      ///< SIGKILL to all of them, until nothing is left
};

/// The small process between this one and a program that it has started. Whatever the program starts stays below it,
/// wherever it moves: processes whose parents have ended become its own children (PR_SET_CHILD_SUBREAPER). So all of
/// them are found, and ended, also where the process above was killed and cannot do so any more. It ends by itself once
/// nothing is left below it.
///
/// It is forked and never executes a program, so it does nothing that takes a lock or allocates.
/// Call order, in the new process: `become_supervisor`, fork the program, `supervise`.
void become_supervisor(pid_t above);

/// `connection` is a socket of packets to the process above, `nothing` an open /dev/null; neither is a standard
/// descriptor. All others are closed.
[[noreturn]] void supervise(pid_t program, pid_t above, int connection, int nothing);

}  // namespace tieline::participant
