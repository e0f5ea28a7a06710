[% extends "images/NAME.Dockerfile" %]
[% block about %]
# The page renderer: Chromium, Jekyll, and the fonts that pages are drawn with.
[% endblock %]
[% block locked %]
 \
    && strip --strip-all /opt/i2s/venv/lib/python3*/site-packages/playwright/driver/node
[%- endblock %]
[% block system %]
RUN install-packages bubblewrap \
        chromium-headless-shell libatomic1 libsass1 fontconfig fonts-croscore fonts-noto-core \
        jekyll jekyll-theme-minima ruby-jekyll-avatar ruby-jekyll-default-layout ruby-jekyll-feed ruby-jekyll-gist \
        ruby-jekyll-include-cache ruby-jekyll-mentions ruby-jekyll-optional-front-matter ruby-jekyll-paginate \
        ruby-jekyll-readme-index ruby-jekyll-redirect-from ruby-jekyll-relative-links ruby-jekyll-seo-tag \
        ruby-jekyll-sitemap ruby-jekyll-titles-from-headings \
    && fc-cache -s
[% endblock %]
[% block before_finish %]
# Chromium has a software rasteriser of its own (SwiftShader), so Mesa's, which needs LLVM, is not used. Jekyll loads
# libsass by the name that only its development package has. Chromium's resources.pak and layers of Vulkan are for
# windows and debugging; the headless shell opens none of them.
[% endblock %]
[% block finish %]
 \
        --without libgl1-mesa-dri libsass-dev ruby-bundler bundler x11-utils \
        --remove 'usr/bin/gem*' 'usr/bin/bundle*' 'usr/lib/chromium/libVk*' 'usr/lib/chromium/*.TOC' \
        usr/lib/chromium/resources.pak 'usr/lib/chromium/chrome_*_percent.pak' \
    && rm -f /usr/lib/chromium/chrome-sandbox \
    && ln -s libsass.so.1 "$(find /usr/lib -name libsass.so.1 -printf %h)/libsass.so"
[%- endblock %]
