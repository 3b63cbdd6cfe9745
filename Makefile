# For OpenBench: `make EXE=name` leaves an engine of that name here, made for this machine.
#
# Without a command it speaks UCI. Everybody else builds with cargo, see README.md.

EXE = tabiya
ifeq ($(OS),Windows_NT)
    override EXE := $(basename $(EXE)).exe
endif

.PHONY: all
all:
	RUSTFLAGS="-C target-cpu=native" cargo rustc --locked --release --features uci --bin tabiya -- --emit link=$(EXE)
