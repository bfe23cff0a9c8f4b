# SPDX-License-Identifier: MIT
# On a bare Debian 12, `make run` and `make check` also install what they need. Releases: docs/releasing.md.
.POSIX:
.PHONY: all run check check-guests check-threads analyze bench install clean setup dist deb check-packages

all: build/build.ninja
	ninja -C build

setup:
	sh scripts/setup.sh

build/build.ninja: setup
	@test -f $@ || meson setup build

# Measures a real program on the emulated server.
run: build/build.ninja
	ninja -C build pmon plugin/pmon-trace.so
	sh scripts/demo.sh

check:
	sh scripts/setup.sh --optional
	sh scripts/check.sh

# Static analysis, optional: an hour and some minutes of processor time.
analyze: setup
	sh scripts/setup.sh --optional
	scripts/analyze.sh

# For each night, half an hour and more: other kernels, and the kernel's driver with deliberate bugs.
check-guests: all
	sh scripts/setup.sh --optional
	sh scripts/check_guests.sh build/pmon

check-threads: setup
	sh scripts/setup.sh --optional
	sh scripts/check_threads.sh

bench: all
	sh scripts/setup.sh --optional
	sh bench/run.sh

dist: build/build.ninja
	sh scripts/dist.sh build

deb: build/build.ninja
	sh scripts/setup.sh --packages
	sh scripts/deb.sh build

# Builds the packages twice, and tests them in a clean system; needs root and Debian's archive.
check-packages: build/build.ninja
	sh scripts/setup.sh --packages
	sh tests/packages/check.sh build

install: all
	meson install -C build

clean:
	rm -rf build build-clang build-sanitize build-threads
