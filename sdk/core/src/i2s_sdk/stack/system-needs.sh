#!/bin/sh
# Prints what services need from the system: system-needs.sh [--missing] NAME…
#
#   --missing   only what this system lacks
#   NAME        a service, such as render-latex, or a set of scripts/bootstrap: run, ocr, dev, images, containers,
#               platforms or kernels
#
# One need a line:
#
#   INSTALLER  NAME  CHECK  ARGUMENT  what it is for
#
# INSTALLER is who can install it and NAME what it is called there:
#
#   apt         a package of the distribution
#   uv          a Python of this version, where that of the distribution is older than 3.11
#   playwright  a browser, where the distribution has it as a snap only, which no sandbox can start
#
# CHECK and ARGUMENT say how to see whether it is there; each check is a function below. `i2s-sdk setup` runs this
# script, and so does scripts/bootstrap, before there is a Python. Every distribution that is not Ubuntu, or made from
# it, gets the names of Debian. Variables: OS_RELEASE names the file that names the distribution (default:
# /etc/os-release), venv the environment of the services (default: .venv), python the interpreter that is to make it,
# further has lines of that form with more needs, and unsettled says that a browser which is there may be one of
# another Playwright.
set -eu

only_missing=""
if [ "${1:-}" = --missing ]; then only_missing=yes; shift; fi
os_release=${OS_RELEASE:-/etc/os-release}
venv=${venv:-.venv}
python=${python:-}

distribution() (  # debian, or Ubuntu's code name, such as jammy or noble
    ID=""; VERSION_CODENAME=""; UBUNTU_CODENAME=""
    if [ -r "$os_release" ]; then . "$os_release"; fi
    if [ -n "$UBUNTU_CODENAME" ]; then echo "$UBUNTU_CODENAME"
    elif [ "$ID" = ubuntu ]; then echo "${VERSION_CODENAME:-ubuntu}"
    else echo debian
    fi
)

# --- needs --------------------------------------------------------------------------------

python() {
    case $distribution in
        jammy)  # Ubuntu 22.04 has Python 3.10; its venv is what pip and uv are installed with
            echo "apt python3-venv uv - the Python modules venv and ensurepip, to install uv with"
            echo "uv 3.12 python 3.11 Python 3.11 or newer (that of Ubuntu 22.04 is 3.10)" ;;
        *)
            echo "apt python3 python 3.11 Python 3.11 or newer"
            echo "apt python3-venv venv - the Python modules venv and ensurepip" ;;
    esac
}

latex() {
    cat <<'END'
apt texlive-latex-base command pdflatex the command pdflatex
apt texlive-latex-recommended tex booktabs.sty TeX Live collection latexrecommended
apt texlive-latex-extra tex multirow.sty TeX Live collection latexextra
apt texlive-science tex algorithmicx.sty TeX Live collection mathscience
apt texlive-pictures tex pgfplots.sty TeX Live collection pictures
apt texlive-plain-generic tex simplekv.tex TeX Live collection plaingeneric
apt texlive-fonts-recommended tex phvr8t.tfm TeX Live collection fontsrecommended
apt cm-super tex sfrm1000.pfb TeX Live package cm-super
apt texlive-luatex tex luaotfload.sty TeX Live collection luatex, for LuaLaTeX
apt texlive-xetex tex unicode-bidi.sty TeX Live collection xetex, for XeLaTeX
apt texlive-lang-chinese tex ctex.sty TeX Live collection langchinese, for Chinese in XeLaTeX
apt texlive-lang-arabic tex xepersian.sty TeX Live collection langarabic, for Arabic and Persian
apt poppler-data file /usr/share/poppler/cMap the encodings of Chinese fonts, which pdftoppm needs
apt poppler-utils command pdftoppm the command pdftoppm, of poppler
END
    dejavu
    sandbox
}

html() {
    cat <<'END'
apt jekyll command jekyll the command jekyll
apt jekyll-theme-minima gem minima the theme minima of Jekyll
apt fontconfig command fc-list the command fc-list, for pages with the fonts of the machine
apt fonts-croscore font Arimo-Regular.ttf the fonts Arimo, Tinos and Cousine, which pages are drawn with
apt libatomic1 library libatomic.so.1 the library libatomic, which Playwright's driver needs
END
    noto
    plugins
    sandbox
    browser
}

lilypond() {
    fonts
    sandbox
    # A Python package where the index has a wheel.
    [ "$(uname -m)" = x86_64 ] || echo "apt lilypond command lilypond the command lilypond"
}

figures() {
    noto
    liberation
    echo "apt fonts-wqy-microhei font wqy-microhei.ttc the font WenQuanYi Micro Hei, for Chinese in figures"
    sandbox
}

documents() {
    echo "apt pandoc command pandoc the command pandoc, which converts the tables of documents"
    fonts
    sandbox
}

sandbox() { echo "apt bubblewrap command bwrap the command bwrap, of bubblewrap"; }
noto() { echo "apt fonts-noto-core font NotoSans-Regular.ttf the fonts Noto, for other scripts"; }
liberation() { echo "apt fonts-liberation font LiberationSans-Regular.ttf the fonts Liberation, which scores may name"; }
dejavu() { echo "apt fonts-dejavu-core font DejaVuSans.ttf the fonts DejaVu, which scores may name"; }
fonts() { noto; liberation; dejavu; }

# The plugins of GitHub Pages that Debian has and that need no network; i2s_render_html.jekyll.github_pages has
# the same.
jekyll_plugins="avatar default-layout feed gist include-cache mentions optional-front-matter paginate readme-index redirect-from relative-links seo-tag sitemap titles-from-headings"

plugins() {
    for plugin in $jekyll_plugins; do
        echo "apt ruby-jekyll-$plugin gem jekyll-$plugin the plugin jekyll-$plugin"
    done
}

browser() {
    case $distribution in
        debian) echo "apt chromium-headless-shell command chromium-headless-shell the command chromium-headless-shell" ;;
        *)  # what Playwright itself names for its browser on that release; a test compares the lists
            case $distribution in
                jammy) t64=""; wayland=libwayland-client0 ;;
                *) t64=t64; wayland="" ;;
            esac
            for package in libasound2$t64 libatk-bridge2.0-0$t64 libatk1.0-0$t64 libatspi2.0-0$t64 libcairo2 \
                libcups2$t64 libdbus-1-3 libdrm2 libgbm1 libglib2.0-0$t64 libnspr4 libnss3 libpango-1.0-0 \
                $wayland libx11-6 libxcb1 libxcomposite1 libxdamage1 libxext6 libxfixes3 libxkbcommon0 libxrandr2; do
                echo "apt $package package $package a library of the browser"
            done
            echo "playwright chromium-headless-shell browser - the headless shell of Chromium that Playwright was made for" ;;
    esac
}

debootstrap() { echo "apt debootstrap command debootstrap the command debootstrap"; }

images() {
    echo "apt docker.io command dockerd the command dockerd"
    debootstrap
}

containers() {
    compose=docker-compose
    [ "$distribution" = debian ] || compose=docker-compose-v2
    images
    echo "apt $compose compose - the command docker-compose"
    echo "apt podman command podman the command podman"
    [ "$distribution" != debian ] || echo "apt runsc command runsc the command runsc, of gVisor"
    if [ "$distribution" != jammy ]; then  # Ubuntu 22.04 has podman 3.4, which brings its networks otherwise
        echo "apt netavark helper netavark netavark, which podman's networks need"
        echo "apt aardvark-dns helper aardvark-dns aardvark-dns, which podman's networks need"
    fi
    echo "apt catatonit helper catatonit catatonit, which podman's pods need"
}

kernels() {
    echo "apt qemu-system-x86 command qemu-system-x86_64 the command qemu-system-x86_64"
    echo "apt qemu-system-arm command qemu-system-aarch64 the command qemu-system-aarch64"
    echo "apt e2fsprogs command mke2fs the command mke2fs"
    echo "apt libseccomp2 library libseccomp.so.2 the library libseccomp"
}

run() { python; latex; documents; html; lilypond; figures; }

dev() {
    run
    echo "apt kubernetes-client kubectl 1.21 the command kubectl"
}

needs_of() {
    case $1 in
        render-latex) latex ;;
        render-html) html ;;
        render-lilypond) lilypond ;;
        render-python) figures ;;
        documents) documents ;;
        render-*) sandbox ;;  # of which `further` has the rest
        metrics) ;;
        run | ocr) run ;;
        dev) dev ;;
        images) python; images ;;
        containers) dev; containers ;;
        platforms) dev; debootstrap ;;
        kernels) dev; kernels ;;
        *) echo "system-needs: unknown name '$1'; use a service, run, ocr, dev, images, containers, platforms or kernels" >&2
            return 2 ;;
    esac
}

# --- checks, each with its argument -------------------------------------------------------

have() { (unset -f "$1"; command -v "$1") >/dev/null 2>&1; }  # a function here may have the name of a command
fits() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }
makes_venvs() { "$1" -c 'import ensurepip, venv' >/dev/null 2>&1; }

has_command() { have "$1"; }
has_tex() { have kpsewhich && kpsewhich "$1" >/dev/null 2>&1; }
has_file() { [ -e "$1" ]; }
has_font() { [ -n "$(find /usr/share/fonts /usr/local/share/fonts -name "$1" -print -quit 2>/dev/null)" ]; }
has_library() { ldconfig -p 2>/dev/null | grep -q "$1" || /sbin/ldconfig -p | grep -q "$1"; }
has_helper() { [ -n "$(find /usr/lib/podman /usr/libexec/podman /usr/bin /usr/local/bin -name "$1" -print -quit 2>/dev/null)" ]; }
has_package() { dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q ' installed$'; }
has_compose() { have docker-compose || docker compose version >/dev/null 2>&1; }
has_python() { [ -n "$python" ] || fits "$venv/bin/python"; }
has_venv() { [ -x "$venv/bin/python" ] || { [ -n "$python" ] && makes_venvs "$python"; }; }
has_uv() { has_python || have uv || makes_venvs python3; }
has_browser() {
    [ -z "${I2S_RENDER_HTML_CHROMIUM:-}" ] || return 0
    [ -z "${unsettled:-}" ] || return 1  # a new Playwright may want a new browser, and says itself whether it does
    for driver in "$venv"/lib/python*/site-packages/playwright/driver/package; do
        revision=$(sed -n '/"name": "chromium-headless-shell"/,/}/s/^ *"revision": "\([0-9]*\)",*$/\1/p' "$driver/browsers.json" 2>/dev/null)
        shell="*/chrome-headless-shell"
        [ -z "$revision" ] || shell="*/chromium_headless_shell-$revision/*/chrome-headless-shell"
        [ -z "$(find "$driver/.local-browsers" -path "$shell" -type f -print -quit 2>/dev/null)" ] || return 0
    done
    return 1
}
has_gem() { [ -n "$(find /usr/share/rubygems-integration -path "*/specifications/$1-[0-9]*.gemspec" -print -quit 2>/dev/null)" ]; }
apt_offers() { dpkg --compare-versions "$(LC_ALL=C apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: *\([0-9]\)/\1/p')" ge "$2" 2>/dev/null; }
# Older ones cannot put the manifests together; their tests say so.
has_kubectl() { have kubectl || ! apt_offers kubernetes-client "$1"; }

distribution=$(distribution)
needs=$(for one; do needs_of "$one"; done; printf '%s\n' "${further:-}")
seen=" "
while read -r installer name check argument what <&3; do
    [ -n "$installer" ] || continue
    case "$seen" in *" $name "*) continue ;; esac  # services have needs in common
    seen="$seen$name "
    if [ -n "$only_missing" ] && "has_$check" "$argument"; then continue; fi
    echo "$installer $name $check $argument $what"
done 3<<END
$needs
END
