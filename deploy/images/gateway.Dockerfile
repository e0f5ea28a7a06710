# The HTTP gateway, in front of services whose addresses it is given.
ARG RUNTIME=i2s-python
ARG BUILDER=i2s-python-builder
ARG EMPTY=i2s-empty

FROM ${BUILDER} AS packages
COPY build/images/wheels/gateway /wheels
COPY requirements/gateway.txt /
RUN install-locked /gateway.txt
COPY build/images/wheels/ours/i2s_protos-* build/images/wheels/ours/i2s_client-* build/images/wheels/ours/i2s_sdk-* \
    build/images/wheels/ours/i2s_training-* build/images/wheels/ours/i2s_gateway-* /wheels/ours/
RUN install-ours

FROM ${RUNTIME} AS finished
COPY --from=packages /opt/i2s/venv /opt/i2s/venv
COPY deploy/images/live.py /opt/i2s/
COPY deploy/images/finish /opt/i2s/finish
RUN PYTHONPATH=/opt/i2s python3 -m finish i2s-gateway --without-avif

FROM ${EMPTY}
COPY --from=finished / /
ENV I2S_HTTP_LISTEN=0.0.0.0:7780 \
    I2S_HTTP_METRICS_LISTEN=0.0.0.0:9090
USER i2s
WORKDIR /
EXPOSE 7780 9090
HEALTHCHECK --interval=5s --timeout=10s --start-period=60s --retries=5 \
    CMD ["python", "-I", "-S", "/opt/i2s/live.py", "127.0.0.1:9090"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["i2s-sdk", "http"]
