[% extends "images/NAME.Dockerfile" %]
[% block about %]
# The score renderer: LilyPond, convert-ly, Ghostscript and their fonts come with the Python package.
#
# There is no such package for arm64, where they are Debian's.
[% endblock %]
[% block before_locked %]
# convert-ly has a Python of its own: installers, help texts and the byte code of another version are of no use to it.
[% endblock %]
[% block locked %]
 \
    && for python in /opt/i2s/venv/lib/python3*/site-packages/lilypond-binaries/lib/python3.*; do \
        if cd "$python"; then \
            rm -rf ensurepip idlelib lib2to3 pydoc_data tkinter turtledemo; \
            find . -name '*.cpython-311.pyc' -delete; \
        fi; \
    done
[%- endblock %]
[% block system %]
RUN install-packages bubblewrap \
        fontconfig fonts-dejavu-core fonts-liberation fonts-noto-core \
        $([ "$(dpkg --print-architecture)" = amd64 ] || echo lilypond) \
    && fc-cache -s
[% endblock %]
[% block before_finish %]
# LilyPond writes PNG and PostScript: its fonts for SVG are of no use here.
[% endblock %]
[% block finish %]
 --without-avif \
        --remove $(cd / && ls -d opt/i2s/venv/lib/python3*/site-packages/lilypond-binaries/share/lilypond/*/fonts/svg \
            usr/share/lilypond/*/fonts/svg)
[%- endblock %]
