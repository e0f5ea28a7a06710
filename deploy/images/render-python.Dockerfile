# The renderer of Python programs, with the libraries that programs may import.
ARG RUNTIME=i2s-python
ARG BUILDER=i2s-python-builder

FROM ${BUILDER} AS packages
COPY build/images/wheels/render-python /wheels
COPY build/images/wheels/ours/i2s_protos-* build/images/wheels/ours/i2s_chassis-* \
    build/images/wheels/ours/i2s_render_python-* /wheels/ours/
COPY requirements/render-python.txt /
RUN install-locked /render-python.txt

FROM ${RUNTIME}
RUN apt-get update -q \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends bubblewrap \
        fonts-liberation fonts-noto-core fonts-wqy-microhei \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/* \
    && find / -xdev -type f -perm /6000 -exec chmod a-s {} +
COPY --from=packages /opt/i2s/venv /opt/i2s/venv
COPY deploy/images/start deploy/images/health.py deploy/images/describe.py /opt/i2s/
ENV I2S_RENDER_PYTHON_LISTEN=0.0.0.0:7750 \
    I2S_RENDER_PYTHON_HEALTH_LISTEN=0.0.0.0:8081 \
    I2S_RENDER_PYTHON_METRICS_LISTEN=0.0.0.0:9090 \
    I2S_RENDER_PYTHON_INSECURE_MONITORING=true
USER i2s
WORKDIR /
EXPOSE 7750 8081 9090
HEALTHCHECK --interval=5s --timeout=10s --start-period=120s --retries=5 \
    CMD ["python", "-I", "-S", "/opt/i2s/health.py", "127.0.0.1:8081"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["/opt/i2s/start", "i2s-render-python"]
CMD ["serve"]
