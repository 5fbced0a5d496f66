# Entry points for people and CI; the build itself is CMake's (CMakePresets.json).
.DEFAULT_GOAL := help
.PHONY: help packages build demo test check-asan check-tsan bench interop format clean

JOBS ?= $(shell nproc)

help:            ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

packages:        ## install the Debian packages that are missing
	@scripts/install-packages.sh

build: packages  ## build the release preset
	@mkdir -p build
	@cmake --preset release >build/configure.log || { cat build/configure.log; exit 1; }
	@cmake --build --preset release -j $(JOBS)

demo: build      ## run the main demonstration and say where its plot is
	@scripts/demo.sh

test: build      ## run every test
	@ctest --preset release -j $(JOBS)

check-asan: packages  ## run the tests under the address and undefined-behaviour sanitizers
	@scripts/check-sanitized.sh asan $(JOBS)

check-tsan: packages  ## run the tests under the thread sanitizer
	@scripts/check-sanitized.sh tsan $(JOBS)

bench: build     ## run the benchmarks
	@scripts/bench.sh

interop: build   ## let another tool (FMPy, from the network) check and run the FMUs of the tests
	@scripts/interop.sh

format:          ## lay out all C++ files by .clang-format
	@git ls-files '*.cpp' '*.hpp' '*.h' | xargs clang-format -i

clean:           ## remove what was built
	@rm -rf build
