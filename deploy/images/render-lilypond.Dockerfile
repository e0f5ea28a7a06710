# The score renderer: LilyPond, convert-ly, Ghostscript and their fonts come with the Python package.
#
# There is no such package for arm64, where they are Debian's.
#
# Written from deploy/templates; change it there, and run `make deploy`.
ARG RUNTIME=i2s-python
ARG BUILDER=i2s-python-builder
ARG EMPTY=i2s-empty

FROM ${BUILDER} AS packages
COPY build/images/wheels/render-lilypond /wheels
COPY requirements/render-lilypond.txt /
# convert-ly has a Python of its own: installers, help texts and the byte code of another version are of no use to it.
RUN install-locked /render-lilypond.txt \
    && for python in /opt/i2s/venv/lib/python3*/site-packages/lilypond-binaries/lib/python3.*; do \
        if cd "$python"; then \
            rm -rf ensurepip idlelib lib2to3 pydoc_data tkinter turtledemo; \
            find . -name '*.cpython-311.pyc' -delete; \
        fi; \
    done
COPY build/images/wheels/ours/i2s_protos-* build/images/wheels/ours/i2s_chassis-* \
    build/images/wheels/ours/i2s_render_lilypond-* /wheels/ours/
RUN install-ours

FROM ${RUNTIME} AS finished
RUN install-packages bubblewrap \
        fontconfig fonts-dejavu-core fonts-liberation fonts-noto-core \
        $([ "$(dpkg --print-architecture)" = amd64 ] || echo lilypond) \
    && fc-cache -s
COPY --from=packages /opt/i2s/venv /opt/i2s/venv
COPY deploy/images/start deploy/images/health.py deploy/images/describe.py /opt/i2s/
COPY deploy/images/finish /opt/i2s/finish
# LilyPond writes PNG and PostScript: its fonts for SVG are of no use here.
RUN PYTHONPATH=/opt/i2s python3 -m finish i2s-render-lilypond --without-avif \
        --remove $(cd / && ls -d opt/i2s/venv/lib/python3*/site-packages/lilypond-binaries/share/lilypond/*/fonts/svg \
            usr/share/lilypond/*/fonts/svg)

FROM ${EMPTY}
COPY --from=finished / /
ENV I2S_RENDER_LILYPOND_LISTEN=0.0.0.0:7730 \
    I2S_RENDER_LILYPOND_HEALTH_LISTEN=0.0.0.0:8081 \
    I2S_RENDER_LILYPOND_METRICS_LISTEN=0.0.0.0:9090 \
    I2S_RENDER_LILYPOND_INSECURE_MONITORING=true
USER i2s
WORKDIR /
EXPOSE 7730 8081 9090
HEALTHCHECK --interval=5s --timeout=10s --start-period=120s --retries=5 \
    CMD ["python", "-I", "-S", "/opt/i2s/health.py", "127.0.0.1:8081"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["/opt/i2s/start", "i2s-render-lilypond"]
CMD ["serve"]
