# The page renderer: Chromium, Jekyll, and the fonts that pages are drawn with.
#
# Written from deploy/templates; change it there, and run `make deploy`.
ARG RUNTIME=i2s-python
ARG BUILDER=i2s-python-builder
ARG EMPTY=i2s-empty

FROM ${BUILDER} AS packages
COPY build/images/wheels/render-html /wheels
COPY requirements/render-html.txt /
RUN install-locked /render-html.txt \
    && strip --strip-all /opt/i2s/venv/lib/python3*/site-packages/playwright/driver/node
COPY build/images/wheels/ours/i2s_protos-* build/images/wheels/ours/i2s_chassis-* \
    build/images/wheels/ours/i2s_render_html-* /wheels/ours/
RUN install-ours

FROM ${RUNTIME} AS finished
RUN install-packages bubblewrap \
        chromium-headless-shell libatomic1 libsass1 fontconfig fonts-croscore fonts-noto-core \
        jekyll jekyll-theme-minima ruby-jekyll-avatar ruby-jekyll-default-layout ruby-jekyll-feed ruby-jekyll-gist \
        ruby-jekyll-include-cache ruby-jekyll-mentions ruby-jekyll-optional-front-matter ruby-jekyll-paginate \
        ruby-jekyll-readme-index ruby-jekyll-redirect-from ruby-jekyll-relative-links ruby-jekyll-seo-tag \
        ruby-jekyll-sitemap ruby-jekyll-titles-from-headings \
    && fc-cache -s
COPY --from=packages /opt/i2s/venv /opt/i2s/venv
COPY deploy/images/start deploy/images/health.py deploy/images/describe.py /opt/i2s/
COPY deploy/images/finish /opt/i2s/finish
# Chromium has a software rasteriser of its own (SwiftShader), so Mesa's, which needs LLVM, is not used. Jekyll loads
# libsass by the name that only its development package has. Chromium's resources.pak and layers of Vulkan are for
# windows and debugging; the headless shell opens none of them.
RUN PYTHONPATH=/opt/i2s python3 -m finish i2s-render-html \
        --without libgl1-mesa-dri libsass-dev ruby-bundler bundler x11-utils \
        --remove 'usr/bin/gem*' 'usr/bin/bundle*' 'usr/lib/chromium/libVk*' 'usr/lib/chromium/*.TOC' \
        usr/lib/chromium/resources.pak 'usr/lib/chromium/chrome_*_percent.pak' \
    && rm -f /usr/lib/chromium/chrome-sandbox \
    && ln -s libsass.so.1 "$(find /usr/lib -name libsass.so.1 -printf %h)/libsass.so"

FROM ${EMPTY}
COPY --from=finished / /
ENV I2S_RENDER_HTML_LISTEN=0.0.0.0:7720 \
    I2S_RENDER_HTML_HEALTH_LISTEN=0.0.0.0:8081 \
    I2S_RENDER_HTML_METRICS_LISTEN=0.0.0.0:9090 \
    I2S_RENDER_HTML_INSECURE_MONITORING=true
USER i2s
WORKDIR /
EXPOSE 7720 8081 9090
HEALTHCHECK --interval=5s --timeout=10s --start-period=120s --retries=5 \
    CMD ["python", "-I", "-S", "/opt/i2s/health.py", "127.0.0.1:8081"]
STOPSIGNAL SIGTERM
# It is run with the seccomp profile deploy/seccomp/i2s-namespace.json.
LABEL org.image2struct.seccomp=i2s-namespace
ENTRYPOINT ["/opt/i2s/start", "i2s-render-html"]
CMD ["serve"]
