# The documents service: pandoc of Debian; PDFium comes with the Python package.
ARG RUNTIME=i2s-python
ARG BUILDER=i2s-python-builder
ARG EMPTY=i2s-empty

FROM ${BUILDER} AS packages
COPY build/images/wheels/documents /wheels
COPY requirements/documents.txt /
RUN install-locked /documents.txt
COPY build/images/wheels/ours/i2s_protos-* build/images/wheels/ours/i2s_chassis-* \
    build/images/wheels/ours/i2s_documents-* /wheels/ours/
RUN install-ours

FROM ${RUNTIME} AS finished
RUN install-packages bubblewrap pandoc \
        fontconfig fonts-dejavu-core fonts-liberation fonts-noto-core \
    && fc-cache -s
COPY --from=packages /opt/i2s/venv /opt/i2s/venv
COPY deploy/images/start deploy/images/health.py deploy/images/describe.py /opt/i2s/
COPY deploy/images/finish /opt/i2s/finish
RUN PYTHONPATH=/opt/i2s python3 -m finish i2s-documents --without-avif

FROM ${EMPTY}
COPY --from=finished / /
ENV I2S_DOCUMENTS_LISTEN=0.0.0.0:7760 \
    I2S_DOCUMENTS_HEALTH_LISTEN=0.0.0.0:8081 \
    I2S_DOCUMENTS_METRICS_LISTEN=0.0.0.0:9090 \
    I2S_DOCUMENTS_INSECURE_MONITORING=true
USER i2s
WORKDIR /
EXPOSE 7760 8081 9090
HEALTHCHECK --interval=5s --timeout=10s --start-period=120s --retries=5 \
    CMD ["python", "-I", "-S", "/opt/i2s/health.py", "127.0.0.1:8081"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["/opt/i2s/start", "i2s-documents"]
CMD ["serve"]
