[% extends "images/NAME.Dockerfile" %]
[% block about %]
# The renderer of Python programs, with the libraries that programs may import.
[% endblock %]
[% block system %]
RUN install-packages bubblewrap \
        fonts-liberation fonts-noto-core fonts-wqy-microhei
[% endblock %]
