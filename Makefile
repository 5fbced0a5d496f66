# Entry points for people and CI; the build itself is CMake's (CMakePresets.json).
.DEFAULT_GOAL := help
.PHONY: help packages program build page demo test check-headers check-asan check-tsan bench interop format clean

JOBS ?= $(shell nproc)
PREPARE = mkdir -p build && scripts/install-packages.sh
CONFIGURE = cmake --preset $(1) >build/configure.log || { cat build/configure.log; exit 1; }

help:            ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 15

packages:        ## install the Debian packages that building and testing need
	@$(PREPARE) program page test

program:         ## build the program alone
	@$(PREPARE) program
	@$(call CONFIGURE,program)
	@cmake --build --preset program -j $(JOBS)

build: packages  ## build everything: program, libraries, page, tests
	@$(call CONFIGURE,release)
	@cmake --build --preset release -j $(JOBS)

page:            ## make the page that `tieline animate` fills (needs a network the first time)
	@$(PREPARE) program page
	@$(call CONFIGURE,program)
	@cmake --build --preset program --target tieline_page

demo: program    ## build the program, run the main demonstration and say where its plot is
	@scripts/demo.sh

test: build      ## build everything and run every test
	@ctest --preset release -j $(JOBS)

check-headers: packages  ## compile every header alone
	@$(call CONFIGURE,release)
	@cmake --build --preset release --target tieline_headers_alone -j $(JOBS)

check-asan: packages  ## run the tests under the address and undefined-behaviour sanitizers
	@scripts/check-sanitized.sh asan $(JOBS)

check-tsan: packages  ## run the tests under the thread sanitizer
	@scripts/check-sanitized.sh tsan $(JOBS)

bench: packages  ## build and run the benchmarks
	@$(call CONFIGURE,bench)
	@cmake --build --preset bench -j $(JOBS)
	@scripts/bench.sh

interop: build   ## let another tool (FMPy, from the network) check and run the FMUs of the tests
	@scripts/interop.sh

format:          ## lay out all C++ files by .clang-format
	@git ls-files '*.cpp' '*.hpp' '*.h' | xargs clang-format -i

clean:           ## remove what was built
	@rm -rf build
