# The SVG renderer.
#
# Written from deploy/templates; change it there, and run `make deploy`.
ARG RUNTIME=i2s-python
ARG BUILDER=i2s-python-builder
ARG EMPTY=i2s-empty

FROM ${BUILDER} AS packages
COPY build/images/wheels/render-svg /wheels
COPY requirements/render-svg.txt /
RUN install-locked /render-svg.txt
COPY build/images/wheels/ours/i2s_protos-* build/images/wheels/ours/i2s_chassis-* \
    build/images/wheels/ours/i2s_render_svg-* /wheels/ours/
RUN install-ours

FROM ${RUNTIME} AS finished
RUN install-packages bubblewrap fonts-liberation fonts-dejavu-core fonts-noto-core fonts-wqy-microhei
COPY --from=packages /opt/i2s/venv /opt/i2s/venv
COPY deploy/images/start deploy/images/health.py deploy/images/describe.py /opt/i2s/
COPY deploy/images/finish /opt/i2s/finish
RUN PYTHONPATH=/opt/i2s python3 -m finish i2s-render-svg

FROM ${EMPTY}
COPY --from=finished / /
ENV I2S_RENDER_SVG_LISTEN=0.0.0.0:7752 \
    I2S_RENDER_SVG_HEALTH_LISTEN=0.0.0.0:8081 \
    I2S_RENDER_SVG_METRICS_LISTEN=0.0.0.0:9090 \
    I2S_RENDER_SVG_INSECURE_MONITORING=true
USER i2s
WORKDIR /
EXPOSE 7752 8081 9090
HEALTHCHECK --interval=5s --timeout=10s --start-period=120s --retries=5 \
    CMD ["python", "-I", "-S", "/opt/i2s/health.py", "127.0.0.1:8081"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["/opt/i2s/start", "i2s-render-svg"]
CMD ["serve"]
