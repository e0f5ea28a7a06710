[% extends "images/NAME.Dockerfile" %]
[% block about %]
# The LaTeX renderer: TeX Live, poppler, and what the service makes once: formats, fonts and the package index.
#
#   TEX   Debian packages of TeX Live; texlive-full for everything (about 3 GB)
[% endblock %]
[% block system %]
ARG TEX="texlive-latex-base texlive-latex-recommended texlive-latex-extra texlive-science texlive-pictures texlive-plain-generic texlive-fonts-recommended cm-super texlive-luatex texlive-xetex texlive-lang-chinese texlive-lang-arabic"
RUN install-packages ${TEX} poppler-utils poppler-data bubblewrap fonts-dejavu-core
[% endblock %]
[% block files %]
COPY sdk/core/src/i2s_sdk/tasks/latex/preambles /opt/i2s/preambles
[% endblock %]
[% block before_finish %]
# No run of TeX reads the files of tex4ht (LaTeX to HTML), sources (those of fonts neither: the service lets no run
# start Metafont), what installs packages of TeX, or the formats of other programs and of LaTeX under development.
[% endblock %]
[% block finish %]
 --without-avif \
        --remove usr/share/texlive/tlpkg \
        usr/share/texlive/texmf-dist/tex4ht usr/share/texlive/texmf-dist/source \
        usr/share/texlive/texmf-dist/fonts/source \
        'var/lib/texmf/web2c/*/*-dev.fmt' var/lib/texmf/web2c/luatex var/lib/texmf/web2c/pdftex/latex.fmt
[%- endblock %]
[% block stage %] AS service[% endblock %]
[% block variables %]
 \
    I2S_RENDER_LATEX_PREAMBLE=/opt/i2s/preambles/paper.tex,/opt/i2s/preambles/helm.tex
[%- endblock %]
[% block seed %]

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
[% endblock %]
