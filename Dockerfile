# Builds Tabiya and puts it, alone, on a slim Debian.
#
# It links glibc: none of our machines has the musl target to try a static build with. Where that
# is at hand, the two FROM lines are the whole change: rust:1.95-alpine here, alpine:3 below.

FROM rust:1.95-slim-bookworm AS build
WORKDIR /src

# The dependencies, built behind an empty program: this layer lasts until a manifest changes.
COPY Cargo.toml Cargo.lock ./
RUN mkdir src \
    && echo 'fn main() {}' > src/main.rs \
    && touch src/lib.rs \
    && cargo build --release --locked \
    && rm -r src

# The program. Its files may be older than the empty build, so cargo has to be told.
COPY openings.csv ./
COPY src ./src
RUN touch src/main.rs src/lib.rs \
    && cargo build --release --locked

FROM debian:bookworm-slim

# TLS trusts the roots of the system, and a slim system has none of its own.
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /src/target/release/tabiya /usr/local/bin/

# The working directory is where the book is looked for. Nothing in it is ever written, so
# `--read-only` is fine; all settings come from the environment.
WORKDIR /tabiya
COPY openings.csv LICENSE ./

# The one place that is written: a new volume mounted here belongs to the user as well.
RUN install -d -o 10001 -g 10001 /data
ENV TABIYA_STORE__PATH=/data/tabiya.sqlite

USER 10001:10001

# Exec form, so that the signal reaches the program: games are then finished before it leaves.
STOPSIGNAL SIGTERM
ENTRYPOINT ["tabiya"]
