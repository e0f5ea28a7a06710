[% block about %]
# The [[ one.title ]].
[% endblock %]
#
# [[ written ]]
ARG RUNTIME=i2s-python
ARG BUILDER=i2s-python-builder
ARG EMPTY=i2s-empty

FROM ${BUILDER} AS packages
[% if one.name in own %]
COPY build/images/wheels/[[ one.name ]] /wheels
COPY requirements/[[ one.name ]].txt /
[% block before_locked %]
[% endblock %]
RUN install-locked /[[ one.name ]].txt[% block locked %][% endblock %]

COPY build/images/wheels/ours/i2s_protos-* build/images/wheels/ours/i2s_chassis-* \
    build/images/wheels/ours/i2s_[[ one.name | replace("-", "_") ]]-* /wheels/ours/
RUN install-ours
[% else %]
# Its wheel, and the wheels of all that it needs.
COPY build/images/wheels/[[ one.name ]] /wheels
RUN install-wheels
[% endif %]

FROM ${RUNTIME} AS finished
[% block system %]
RUN install-packages [[ packages | join(" ") ]]
[%- if "fontconfig" in packages %]
 \
    && fc-cache -s
[%- endif %]

[% endblock %]
COPY --from=packages /opt/i2s/venv /opt/i2s/venv
COPY deploy/images/start deploy/images/health.py deploy/images/describe.py /opt/i2s/
[% block files %]
[% endblock %]
COPY deploy/images/finish /opt/i2s/finish
[% block before_finish %]
[% endblock %]
RUN PYTHONPATH=/opt/i2s python3 -m finish i2s-[[ one.name ]][% block finish %][% endblock %]


FROM ${EMPTY}[% block stage %][% endblock %]

COPY --from=finished / /
ENV [[ one.name | variable ]]_LISTEN=0.0.0.0:[[ one.port ]] \
    [[ one.name | variable ]]_HEALTH_LISTEN=0.0.0.0:8081 \
    [[ one.name | variable ]]_METRICS_LISTEN=0.0.0.0:9090 \
    [[ one.name | variable ]]_INSECURE_MONITORING=true[% block variables %][% endblock %]

[% block seed %]
[% endblock %]
USER i2s
WORKDIR /
EXPOSE [[ one.port ]] 8081 9090
HEALTHCHECK --interval=5s --timeout=10s --start-period=120s --retries=5 \
    CMD ["python", "-I", "-S", "/opt/i2s/health.py", "127.0.0.1:8081"]
STOPSIGNAL SIGTERM
[% if one.nesting %]
# It is run with the seccomp profile deploy/seccomp/i2s-namespace.json.
LABEL org.image2struct.seccomp=i2s-namespace
[% endif %]
ENTRYPOINT ["/opt/i2s/start", "i2s-[[ one.name ]]"]
CMD ["serve"]
