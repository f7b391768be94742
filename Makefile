# make            builds ./step0
# make demo       installs what is missing, builds, trains configs/demo.json with several schemes and compares them
# make test       the same set-up, then every test that needs no Python
# make check      the tests under AddressSanitizer and UndefinedBehaviorSanitizer
# make NATIVE=1   for this machine's processor only

CC       = gcc
BUILD   ?= build
NEEDS    = openblas libcjson muparser
WARN     = -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wstrict-prototypes -Wpointer-arith -Werror
# The same bits from every clone of a leaf: no contraction to FMA; without -fno-trapping-math some loops do not vectorize.
BITS     = -ffp-contract=off -fno-trapping-math -fno-math-errno
CFLAGS  ?= -O3 -g
ALL_C    = -std=gnu11 -D_GNU_SOURCE $(WARN) $(BITS) -fopenmp -MMD -MP $(if $(NATIVE),-march=native) $(CFLAGS) $(shell pkg-config --cflags $(NEEDS) 2>/dev/null)
LIBS     = $(shell pkg-config --libs libcjson muparser 2>/dev/null) -ldl -lm

MODEL    = $(wildcard model/*.c)
SOURCES  = $(MODEL) $(wildcard data/*.c train/*.c)
SCHEMES  = $(sort $(wildcard configs/schemes/*.json))
OBJECTS  = $(SOURCES:%.c=$(BUILD)/%.o) $(BUILD)/catalogue.o
CORE     = $(filter-out $(BUILD)/train/main.o,$(OBJECTS))
CORE64   = $(patsubst $(BUILD)/%.o,$(BUILD)/real64/%.o,$(filter $(BUILD)/model/%.o,$(OBJECTS))) $(BUILD)/catalogue.o
UNIT     = $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(wildcard tests/unit/test_*.c))
UNIT64   = $(patsubst tests/real64/%.c,$(BUILD)/tests/%,$(wildcard tests/real64/test_*.c))

step0: $(OBJECTS)
	@echo "  LINK $@"
	@$(CC) -fopenmp $(CFLAGS) -o $@ $(OBJECTS) $(LIBS)

.PHONY: .checked all setup test demo check clean lines
all: step0

.checked:
	@missing=$$(CC='$(CC)' .ci/setup --missing); test "$$missing" = nothing || \
	  { echo "step0: missing to build: $$missing- install with: make setup" >&2; exit 1; }

$(OBJECTS): | .checked

setup:
	@.ci/setup

$(BUILD)/%.o: %.c Makefile
	@mkdir -p $(@D)
	@echo "  CC   $<"
	@$(CC) $(ALL_C) -c -o $@ $<

$(BUILD)/real64/%.o: %.c Makefile
	@mkdir -p $(@D)
	@echo "  CC   $< (double)"
	@$(CC) $(ALL_C) -DREAL64 -c -o $@ $<

# The catalogue: each scheme file inside the binary, with its name.
$(BUILD)/catalogue.S: $(SCHEMES) Makefile
	@mkdir -p $(@D)
	@{ echo '.section .rodata'; \
	   for f in $(SCHEMES); do n=$$(basename $$f .json); \
	     echo "name_$$n: .asciz \"$$n\""; echo "text_$$n: .incbin \"$$f\""; echo "end_$$n: .byte 0"; done; \
	   echo '.section .data.rel.ro, "aw"'; echo '.balign 8'; echo '.globl catalogue'; echo 'catalogue:'; \
	   for f in $(SCHEMES); do n=$$(basename $$f .json); echo ".quad name_$$n, text_$$n, end_$$n"; done; \
	   echo '.globl catalogue_count'; echo "catalogue_count: .long $(words $(SCHEMES))"; \
	   echo '.section .note.GNU-stack, "", %progbits'; } > $@

$(BUILD)/catalogue.o: $(BUILD)/catalogue.S
	@$(CC) -c -o $@ $<

# --- tests: every program and script of tests/ is one test that exits 0 or not ---

$(UNIT): $(BUILD)/tests/%: $(BUILD)/tests/unit/%.o $(CORE)
	@$(CC) -fopenmp $(CFLAGS) -o $@ $^ $(LIBS) -lcmocka

$(UNIT64): $(BUILD)/tests/%: $(BUILD)/real64/tests/real64/%.o $(CORE64)
	@$(CC) -fopenmp $(CFLAGS) -o $@ $^ $(LIBS) -lcmocka

.SECONDARY:

test: setup
	@$(MAKE) --no-print-directory test-all

test-all: step0 $(UNIT) $(UNIT64)
	@STEP0=$(CURDIR)/step0 tests/run $(UNIT) $(UNIT64) $(sort $(wildcard tests/cli/*.sh))

clean:
	rm -rf $(BUILD) step0

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
