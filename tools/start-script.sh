#!/bin/sh
# Starts a tool as a component of a run. Adapters for tools follow this script; it works as it stands for a tool that
# takes its model file as the last argument.
#
#   start-script.sh [ARGUMENT...]
#
# TOOL is the program to start (the site file's <Environment> sets it). Everything else comes from the run, in variables
# that begin with TIELINE_; docs/processes.md lists them all.
set -eu

fail() {
  echo "start-script.sh: $1" >&2
  exit 1
}

[ -n "${TIELINE_COMPONENT:-}" ] || fail "TIELINE_COMPONENT is not set: this script is started by a run"
[ -n "${TOOL:-}" ] || fail "TOOL is not set: name the program in the site file, in <Environment name=\"TOOL\" value=\"...\"/>"

# parameter NAME [OTHERWISE]: the value of a parameter that the model gives this component.
parameter() {
  value=$(sed -n "s/^$1 = //p" "${TIELINE_PARAMETER_FILE:-/dev/null}" | sed 's/  # .*$//')
  [ -n "$value" ] || value=${2-}
  [ -n "$value" ] || fail "component '$TIELINE_COMPONENT' has no parameter '$1'"
  printf '%s\n' "$value"
}

# 1. What the run says, for the log.
echo "component $TIELINE_COMPONENT: $TIELINE_START_TIME s to $TIELINE_STOP_TIME s, steps up to ${TIELINE_LARGEST_STEP:-any length}"

# 2. Work where the files of this run belong, so that two runs never write to the same place.
cd "${TIELINE_RUN_FOLDER:-.}"

# 3. Tell the tool what it must know, in its own way. An adapter writes an input file here, for example:
#      speed=$(parameter speed 1000)
#      printf 'SPEED %s\n' "$speed" > input.dat

# 4. Become the tool: `exec` leaves no script between the run and the tool, so that the run sees the tool end, and a
#    request to stop reaches it.
if [ -n "${TIELINE_MODEL_FILE:-}" ]; then
  exec "$TOOL" "$@" "$TIELINE_MODEL_FILE"
fi
exec "$TOOL" "$@"
