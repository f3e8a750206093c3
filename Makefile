# SPDX-License-Identifier: GPL-2.0-only
# Makefile - people's door; what the module is made of is in Kbuild
#
#   make module      ringlb.ko for KDIR, left in BUILD
#   make userspace   the ringlb tool
#   make sim         do flows survive changes? simulated, natively
#   make check       all tests, in a VM (scripts/check)
#   make demo        see it work (scripts/demo)
#   make bench       what does a packet cost? instructions and times, beside other balancers
#   make bench-quick the same, shorter, held against goals (scripts/bench)
#   make bench-lookup, make fuzz     see selftests/bench, selftests/fuzz
#   make help        this list
#
# KDIR: headers or tree of the kernel to build for: the running kernel's, else the newest
# installed Debian headers. BUILD: where to. W=1: all warnings, as errors.

debian_headers = $(shell ls -d /usr/src/linux-headers-*-$$(dpkg --print-architecture) 2>/dev/null | sort -V | tail -n 1)
KDIR ?= $(or $(wildcard /lib/modules/$(shell uname -r)/build),$(debian_headers))
RELEASE := $(shell sed -n "s/.*UTS_RELEASE \"\(.*\)\"/\1/p" $(KDIR)/include/generated/utsrelease.h 2>/dev/null)
BUILD ?= build/$(RELEASE)
LLVM ?= $(if $(shell grep -s CONFIG_CC_IS_CLANG=y $(KDIR)/.config),1)

# What a change of compiler or architecture must reach: kernel build and probes alike.
kbuild_vars = $(if $(LLVM),LLVM=$(LLVM)) $(if $(ARCH),ARCH=$(ARCH)) $(if $(CROSS_COMPILE),CROSS_COMPILE=$(CROSS_COMPILE))
kbuild = $(MAKE) -C $(KDIR) $(kbuild_vars) $(if $(filter 1,$(W)),W=1 KCFLAGS=-Werror)

all: module userspace

# The sources are linked into BUILD, so that one tree can be built for many kernels.
define link_tree
	@test -n "$(RELEASE)" || { echo "no kernel headers in KDIR='$(KDIR)': install linux-headers-$$(uname -r), or name a directory" >&2; exit 1; }
	@mkdir -p $(1) && cp -rsf $(CURDIR)/Kbuild $(CURDIR)/module $(CURDIR)/uapi $(1)/
	@scripts/probe-kernel.sh $(KDIR) $(1)/module/compat/probed.h $(kbuild_vars)
endef

module:
	$(call link_tree,$(BUILD))
	+$(kbuild) M=$(abspath $(BUILD)) modules

# The same module with faults to switch on, for the test of the tests.
sabotage:
	$(call link_tree,$(BUILD)/sabotage)
	+$(kbuild) M=$(abspath $(BUILD)/sabotage) RINGLB_SABOTAGE=y modules

sparse:
	$(call link_tree,$(BUILD)/sparse)
	scripts/sparse $(KDIR) $(abspath $(BUILD)/sparse) $(kbuild_vars)

userspace:
	$(MAKE) -C userspace

unit:
	$(MAKE) -C selftests/unit

sim:
	$(MAKE) -C selftests/sim run

bench:
	scripts/bench all

bench-quick:
	scripts/bench quick

# A lookup counted and timed, tables' building timed; a table, and lookup.json there.
bench-lookup:
	$(MAKE) -C selftests/bench run

# Each target of selftests/fuzz for so many seconds. Wants clang: scripts/setup fuzz
FUZZ_SECONDS ?= 30
fuzz:
	$(MAKE) -C selftests/fuzz run SECONDS=$(FUZZ_SECONDS)

check:
	scripts/check

check-debug:
	scripts/check-debug

check-smp:
	scripts/check-smp

check-long:
	scripts/check-long

demo:
	scripts/demo

help:
	@sed -n 's/^#   make/  make/p' Makefile

shell:
	scripts/vm shell

install: userspace
	$(MAKE) -C userspace install

# DKMS builds from its own copy of the sources, for each kernel that is installed.
version := $(shell sed -n 's/.*RINGLB_VERSION "\(.*\)"/\1/p' module/version.h)
dkms_tree = $(DESTDIR)/usr/src/ringlb-$(version)

dkms-install:
	install -d $(dkms_tree)/scripts
	cp -r Kbuild Makefile dkms.conf COPYING module uapi $(dkms_tree)/
	cp scripts/probe-kernel.sh $(dkms_tree)/scripts/
	$(if $(DESTDIR),,dkms install ringlb/$(version))

clean:
	$(RM) -r build
	for dir in userspace selftests/*/; do test ! -f $$dir/Makefile || $(MAKE) -C $$dir clean || exit; done

.PHONY: all module sabotage sparse userspace unit sim bench bench-quick bench-lookup fuzz check check-debug check-smp check-long demo help shell install dkms-install clean
