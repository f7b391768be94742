# make            builds ./step0
# make demo       installs what is missing, builds, trains configs/demo.json with several schemes, compares them and ends with a report
# make demo-warmup  a second demo: post-LN, pre-LN and ReZero, with and without warm-up
# make test       the same set-up, then every test that needs no Python
# make reference  what the tests in tests/reference need (they are run by .ci/run)
# make check      the same tests under AddressSanitizer and UndefinedBehaviorSanitizer
# make fuzz       libFuzzer on every reader of files, ten seconds each (SECONDS=900: longer)
# make shakespeare  fetches the text of configs/shakespeare.json
# make NATIVE=1   for this machine's processor only

CC       = gcc
BUILD   ?= build
BIN     ?= step0
# Warnings are errors with the compiler of Debian 12, which CI has; another one's new warnings stop nobody from building.
WERROR  ?= $(if $(filter 12,$(shell $(CC) -dumpversion)),-Werror)
NEEDS    = openblas libcjson muparser
WARN     = -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wstrict-prototypes -Wpointer-arith $(WERROR)
# The same bits from every clone of a leaf: no contraction to FMA; without -fno-trapping-math some loops do not vectorize.
BITS     = -ffp-contract=off -fno-trapping-math -fno-math-errno
CFLAGS  ?= -O3 -g
PACKAGED := $(shell pkg-config --cflags $(NEEDS) 2>/dev/null)
LIBS    := $(shell pkg-config --libs libcjson muparser 2>/dev/null) -ldl -lm
ALL_C    = -std=gnu11 -D_GNU_SOURCE $(WARN) $(BITS) -fopenmp -MMD -MP $(if $(NATIVE),-march=native) $(CFLAGS) $(PACKAGED)

MODEL    = $(wildcard model/*.c)
SOURCES  = $(MODEL) $(wildcard data/*.c train/*.c train/*/*.c)
SCHEMES  = $(sort $(wildcard configs/schemes/*.json))
# Without dygraphs (Debian: libjs-dygraphs) step0 builds all the same, and compare --html says what is missing.
DYGRAPHS ?= /usr/share/javascript/dygraphs
PAGE     = $(sort $(wildcard train/report/page/*)) $(wildcard $(DYGRAPHS)/dygraph.min.js $(DYGRAPHS)/dygraph.css)
EMBEDDED = $(BUILD)/catalogue.o $(BUILD)/report_piece.o
OBJECTS  = $(SOURCES:%.c=$(BUILD)/%.o) $(EMBEDDED)
CORE     = $(filter-out $(BUILD)/train/main.o,$(OBJECTS))
CORE64   = $(patsubst $(BUILD)/%.o,$(BUILD)/real64/%.o,$(filter $(BUILD)/model/%.o,$(OBJECTS))) $(BUILD)/catalogue.o
UNIT     = $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(wildcard tests/unit/test_*.c))
UNIT64   = $(patsubst tests/real64/%.c,$(BUILD)/tests/%,$(wildcard tests/real64/test_*.c))

$(BIN): $(OBJECTS)
	@echo "  LINK $@"
	@$(CC) -fopenmp $(CFLAGS) -o $@ $(OBJECTS) $(LIBS)

.PHONY: .checked all setup test test-programs test-all demo demo-warmup check fuzz reference shakespeare clean
all: $(BIN)

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

# embed ARRAY,FILES: assembly of an array that holds each file's name (of a scheme, its stem), its text with a NUL behind,
# and where the text ends; and their count.
define embed
@mkdir -p $(@D)
@{ echo '.section .rodata'; n=0; \
   for f in $(2); do n=$$((n + 1)); \
     echo "name_$$n: .asciz \"$$(basename $$f .json)\""; echo "text_$$n: .incbin \"$$f\""; echo "end_$$n: .byte 0"; done; \
   echo '.section .data.rel.ro, "aw"'; echo '.balign 8'; echo '.globl $(1)'; echo '$(1):'; \
   for n in $$(seq $(words $(2))); do echo ".quad name_$$n, text_$$n, end_$$n"; done; \
   echo '.globl $(1)_count'; echo "$(1)_count: .long $(words $(2))"; \
   echo '.section .note.GNU-stack, "", %progbits'; } > $@
endef

# The catalogue inside the binary, and the page of the report.
$(BUILD)/catalogue.S: $(SCHEMES) configs/schemes Makefile
	$(call embed,catalogue,$(SCHEMES))

$(BUILD)/report_piece.S: $(PAGE) train/report/page $(wildcard $(DYGRAPHS)) Makefile
	$(call embed,report_piece,$(PAGE))

$(EMBEDDED): %.o: %.S
	@$(CC) -c -o $@ $<

# --- tests: every program and script of tests/ is one test that exits 0 or not ---

$(UNIT): $(BUILD)/tests/%: $(BUILD)/tests/unit/%.o $(CORE)
	@mkdir -p $(@D)
	@$(CC) -fopenmp $(CFLAGS) -o $@ $^ $(LIBS) -lcmocka

$(UNIT64): $(BUILD)/tests/%: $(BUILD)/real64/tests/real64/%.o $(CORE64)
	@mkdir -p $(@D)
	@$(CC) -fopenmp $(CFLAGS) -o $@ $^ $(LIBS) -lcmocka

$(BUILD)/tests/dump: $(BUILD)/tests/reference/dump.o $(CORE)
	@mkdir -p $(@D)
	@$(CC) -fopenmp $(CFLAGS) -o $@ $^ $(LIBS)

$(BUILD)/tests/leaves: $(BUILD)/tests/cli/leaves.o $(CORE)
	@mkdir -p $(@D)
	@$(CC) -fopenmp $(CFLAGS) -o $@ $^ $(LIBS)

.SECONDARY:

# What tests/reference needs: python tests/reference/test_NAME.py --step0 ./step0
reference: $(BIN) $(BUILD)/tests/dump

# Builds with all cores, where the caller has not said with how many.
ALL_CORES = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(shell nproc))

test: setup
	@$(MAKE) --no-print-directory $(ALL_CORES) test-programs
	@$(MAKE) --no-print-directory test-all

test-programs: $(BIN) $(UNIT) $(UNIT64) $(BUILD)/tests/leaves

test-all: test-programs
	@STEP0=$(CURDIR)/$(BIN) tests/run $(UNIT) $(UNIT64) $(sort $(wildcard tests/cli/*.sh))

# The same under sanitizers, beside which gcc warns of things that are not there.
SANITIZED = BUILD=build/san BIN=build/san/step0 WERROR= CFLAGS="-O1 -g -fsanitize=address,undefined -fno-omit-frame-pointer -DNO_CLONES"
check:
	@$(MAKE) --no-print-directory $(ALL_CORES) test-programs $(SANITIZED)
	@ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=halt_on_error=1 $(MAKE) --no-print-directory test-all $(SANITIZED)

# libFuzzer on every reader of files, so many SECONDS each; needs clang and its runtime (Debian 12: clang-14, libclang-rt-14-dev).
fuzz:
	@BUILD=$(BUILD)/fuzz SECONDS_EACH=$(or $(SECONDS),10) tests/fuzz/run

WRAPPED = _exit malloc calloc realloc aligned_alloc free file_bytes file_bytes_within access truncate
READERS = $(filter $(BUILD)/model/% $(BUILD)/data/% $(BUILD)/train/config/% $(BUILD)/train/run/% $(BUILD)/train/compare/%,$(CORE)) \
          $(filter $(patsubst %.c,$(BUILD)/%.o,$(wildcard train/*.c)),$(CORE)) $(BUILD)/catalogue.o

$(BUILD)/readers.a: $(READERS)
	@ar rcs $@ $^

$(BUILD)/fuzz_%: $(BUILD)/tests/fuzz/%.o $(BUILD)/tests/fuzz/harness.o $(BUILD)/readers.a
	@$(CC) -fsanitize=fuzzer $(CFLAGS) $(WRAPPED:%=-Wl,--wrap=%) -o $@ $^ $(LIBS)

shakespeare: data/tinyshakespeare.txt

data/tinyshakespeare.txt:
	curl -fL -o $@ https://raw.githubusercontent.com/karpathy/char-rnn/master/data/tinyshakespeare/input.txt

# --- the demo: the network at step 0, then five schemes, what they did, a report, and what the best one writes ---

DEMO     = init.scheme=gpt2,zero_proj,bert,xavier_normal,normal1 seed=1
DEMO_DIR = runs/make_demo

demo: setup
	@$(MAKE) --no-print-directory $(ALL_CORES) step0
	@rm -rf $(DEMO_DIR)
	@echo "The network at step 0 (step0 probe configs/demo.json init.scheme=gpt2,bert):"
	@./step0 probe configs/demo.json init.scheme=gpt2,bert
	@echo; echo "Five schemes, 24 layers, no warm-up; about two minutes (step0 sweep configs/demo.json $(DEMO)):"
	@./step0 sweep configs/demo.json $(DEMO) --out $(DEMO_DIR)
	@best=$(DEMO_DIR)/scheme=$$(./step0 compare $(DEMO_DIR) 2>/dev/null | sed -n '2s/ .*//p'); \
	  echo; echo "What the best one writes (step0 sample $$best):"; echo; ./step0 sample $$best --tokens 400
	@echo; echo "The report: $(DEMO_DIR)/report.html"

# --- the second demo: who needs warm-up ---

WARMUP_DIR = runs/demo-warmup

demo-warmup: setup
	@$(MAKE) --no-print-directory $(ALL_CORES) step0
	@rm -rf $(WARMUP_DIR)
	@echo "Training configs/demo-warmup.json (12 layers, lr 1.5e-3): post-LN, pre-LN, and no norms (ReZero), without and with 100 steps of warm-up; under three minutes."
	@./step0 sweep configs/demo-warmup.json init.scheme=post_ln,gpt2 train.warmup_steps=0,100 seed=1 --out $(WARMUP_DIR) >/dev/null
	@./step0 sweep configs/demo-warmup.json init.scheme=rezero --out $(WARMUP_DIR)

clean:
	rm -rf $(BUILD) step0

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
