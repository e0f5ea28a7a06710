"""The command i2s-render-typst."""

from functools import partial

from i2s_chassis.renderer.command import run_worker
from i2s_render_typst.settings import TypstSettings
from i2s_wire.renderers import RENDER_TYPST

main = partial(run_worker, RENDER_TYPST, TypstSettings)

if __name__ == "__main__":
    main()
