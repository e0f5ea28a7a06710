# The command i2s-sdk with the bundled examples, for jobs.
#
#   DATASETS   none: reads folders; hub: also data sets of hf: and Parquet files
ARG RUNTIME=i2s-python
ARG BUILDER=i2s-python-builder
ARG EMPTY=i2s-empty

FROM ${BUILDER} AS packages
ARG DATASETS=none
COPY build/images/wheels/sdk-${DATASETS} /wheels
# Of the services that botocore describes, runs in object stores use S3 and what signs in to it.
RUN install-locked /wheels/*.txt \
    && cd /opt/i2s/venv/lib/python3*/site-packages/botocore/data \
    && find . -mindepth 1 -type d ! -path './s3*' ! -path './sts*' ! -path './sso*' ! -path './signin*' -prune -exec rm -rf {} +
COPY build/images/wheels/ours/i2s_protos-* build/images/wheels/ours/i2s_client-* build/images/wheels/ours/i2s_sdk-* /wheels/ours/
RUN install-ours

FROM ${RUNTIME} AS finished
# `kubectl cp` copies folders with the tar of the container.
RUN install-packages tar
COPY --from=packages /opt/i2s/venv /opt/i2s/venv
# Where results go: a volume that is mounted here belongs to the user.
RUN install -d -o i2s -g i2s /runs
COPY deploy/images/finish /opt/i2s/finish
RUN PYTHONPATH=/opt/i2s python3 -m finish i2s-sdk --without-avif

FROM ${EMPTY}
COPY --from=finished / /
USER i2s
WORKDIR /runs
STOPSIGNAL SIGTERM
ENTRYPOINT ["i2s-sdk"]
CMD ["--help"]
