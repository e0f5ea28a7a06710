# The stages that all images are built from. Three images come of it:
#
#   target "empty"     no file at all, and the variables of all images. An image ends with a copy of its finished
#                      stage into it, because what is removed in a later layer still has its size in an earlier one.
#   target "runtime"   Debian with Python, a user, and install-packages
#   target "builder"   that, and pip; images only copy from it
ARG BASE=debian:bookworm-slim

FROM ${BASE} AS debian

FROM scratch AS empty
ENV PATH=/opt/i2s/venv/bin:/usr/local/bin:/usr/bin:/bin \
    HOME=/tmp \
    XDG_CACHE_HOME=/tmp \
    LANG=C.UTF-8 \
    PYTHONDONTWRITEBYTECODE=1

FROM empty AS runtime
COPY --from=debian / /
COPY deploy/images/install-packages /usr/local/bin/
RUN install-packages ca-certificates python3 \
    && /usr/sbin/useradd --system --uid 10001 --user-group --home-dir /tmp --shell /usr/sbin/nologin i2s \
    && find / -xdev -name __pycache__ -path '*/python3*' -prune -exec rm -rf {} +

FROM runtime AS builder
RUN install-packages binutils python3-pip python3-venv \
    && /usr/bin/python3 -m venv --without-pip /opt/i2s/venv
COPY deploy/images/install /usr/local/bin/install-locked
RUN for name in install-ours install-wheels; do ln -s install-locked /usr/local/bin/$name; done
