# The LaTeX renderer: TeX Live, poppler, and what the service makes once: formats, fonts and the package index.
#
#   TEX   Debian packages of TeX Live; texlive-full for everything (about 3 GB)
#
# Written from deploy/templates; change it there, and run `make deploy`.
ARG RUNTIME=i2s-python
ARG BUILDER=i2s-python-builder
ARG EMPTY=i2s-empty

FROM ${BUILDER} AS packages
COPY build/images/wheels/render-latex /wheels
COPY requirements/render-latex.txt /
RUN install-locked /render-latex.txt
COPY build/images/wheels/ours/i2s_protos-* build/images/wheels/ours/i2s_chassis-* \
    build/images/wheels/ours/i2s_render_latex-* /wheels/ours/
RUN install-ours

FROM ${RUNTIME} AS finished
ARG TEX="texlive-latex-base texlive-latex-recommended texlive-latex-extra texlive-science texlive-pictures texlive-plain-generic texlive-fonts-recommended cm-super texlive-luatex texlive-xetex texlive-lang-chinese texlive-lang-arabic"
RUN install-packages ${TEX} poppler-utils poppler-data bubblewrap fonts-dejavu-core
COPY --from=packages /opt/i2s/venv /opt/i2s/venv
COPY deploy/images/start deploy/images/health.py deploy/images/describe.py /opt/i2s/
COPY sdk/core/src/i2s_sdk/tasks/latex/preambles /opt/i2s/preambles
COPY deploy/images/finish /opt/i2s/finish
# No run of TeX reads the files of tex4ht (LaTeX to HTML), sources (those of fonts neither: the service lets no run
# start Metafont), what installs packages of TeX, or the formats of other programs and of LaTeX under development.
RUN PYTHONPATH=/opt/i2s python3 -m finish i2s-render-latex --without-avif \
        --remove usr/share/texlive/tlpkg \
        usr/share/texlive/texmf-dist/tex4ht usr/share/texlive/texmf-dist/source \
        usr/share/texlive/texmf-dist/fonts/source \
        'var/lib/texmf/web2c/*/*-dev.fmt' var/lib/texmf/web2c/luatex var/lib/texmf/web2c/pdftex/latex.fmt

FROM ${EMPTY} AS service
COPY --from=finished / /
ENV I2S_RENDER_LATEX_LISTEN=0.0.0.0:7710 \
    I2S_RENDER_LATEX_HEALTH_LISTEN=0.0.0.0:8081 \
    I2S_RENDER_LATEX_METRICS_LISTEN=0.0.0.0:9090 \
    I2S_RENDER_LATEX_INSECURE_MONITORING=true \
    I2S_RENDER_LATEX_PREAMBLE=/opt/i2s/preambles/paper.tex,/opt/i2s/preambles/helm.tex

FROM service AS seed
USER i2s
RUN i2s-render-latex index
# The service itself makes its formats before it serves, in its jail, and passes its canary with them. Their preambles
# are those of this image, which any user that the image is run as copies.
RUN { i2s-render-latex serve --listen 127.0.0.1:7710 & } \
    && python /opt/i2s/health.py 127.0.0.1:8081 600 \
    && kill -TERM $! && wait $! \
    && test -n "$(ls /tmp/i2s-render-latex/formats/*.fmt)" \
    && chmod -R a+rX /tmp/i2s-render-latex

FROM service
COPY --from=seed /tmp/i2s-render-latex /var/cache/i2s-render-latex
USER i2s
WORKDIR /
EXPOSE 7710 8081 9090
HEALTHCHECK --interval=5s --timeout=10s --start-period=120s --retries=5 \
    CMD ["python", "-I", "-S", "/opt/i2s/health.py", "127.0.0.1:8081"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["/opt/i2s/start", "i2s-render-latex"]
CMD ["serve"]
