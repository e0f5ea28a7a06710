# What all images stand on: Debian with Python, a user, and nothing that can raise privileges.
# Two images come of it: target "runtime", and target "builder", which has pip and is only built with.
ARG BASE=debian:bookworm-slim

FROM ${BASE} AS runtime
RUN apt-get update -q \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends ca-certificates python3 \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/* \
    && useradd --system --uid 10001 --user-group --home-dir /tmp --shell /usr/sbin/nologin i2s \
    && find / -xdev -type f -perm /6000 -exec chmod a-s {} + \
    && find / -xdev -name __pycache__ -path '*/python3*' -prune -exec rm -rf {} +
ENV PATH=/opt/i2s/venv/bin:/usr/local/bin:/usr/bin:/bin \
    HOME=/tmp \
    XDG_CACHE_HOME=/tmp \
    LANG=C.UTF-8 \
    PYTHONDONTWRITEBYTECODE=1

FROM runtime AS builder
RUN apt-get update -q \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends python3-pip python3-venv \
    && rm -rf /var/lib/apt/lists/* \
    && /usr/bin/python3 -m venv --without-pip /opt/i2s/venv
COPY deploy/images/install /usr/local/bin/install-locked
