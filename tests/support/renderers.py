"""Every renderer as the contract sees it, see ``renderer_contract``."""

from i2s.render.v1 import render_pb2 as pb
from renderer_contract import Renderer


def _program(lines):
    return pb.LatexSource(document=lines.encode())


def _drawn(width, height):
    return f"from PIL import Image\nImage.new('RGB', ({width}, {height}), 'teal').save('page.png')\n"


PILLOW = Renderer(
    module="pillow_renderer",
    service="render-pillow",
    engine="pillow",
    source="latex",
    good=_program(_drawn(4, 3)),
    broken=(_program("import nothing_such\n"), pb.VERDICT_COMPILE_ERROR),
    endless=_program("while True:\n    pass\n"),
    hostile={
        pb.VERDICT_TIME_LIMIT: _program("while True:\n    pass\n"),
        pb.VERDICT_MEMORY_LIMIT: _program("held = []\nwhile True:\n    held.append(b'x' * (64 << 20))\n"),
        pb.VERDICT_OUTPUT_LIMIT: _program(
            "with open('large', 'wb') as file:\n    while True:\n        file.write(b'x' * (1 << 20))\n"
        ),
        pb.VERDICT_PROCESS_LIMIT: _program("import os\nwhile True:\n    os.fork()\n"),
        pb.VERDICT_PIXEL_LIMIT: _program(_drawn(9000, 9000)),
        pb.VERDICT_CRASHED: _program("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n"),
        pb.VERDICT_NO_OUTPUT: _program("print('no picture')\n"),
        pb.VERDICT_INVALID_INPUT: pb.LatexSource(document=b" \n"),
    },
    refused=[(pb.RenderOptions(page=pb.PageOptions(cut_bottom=1)), "options.page.cut_bottom")],
    reads_file=lambda path: _program(f"print(open({path!r}).read())\n" + _drawn(5, 5)),
    calls_port=lambda port: _program(
        f"import socket\nsocket.create_connection(('127.0.0.1', {port}), timeout=5)\n" + _drawn(5, 5)
    ),
    leaves_process=lambda marker: _program(
        "import subprocess, sys\n"
        f"subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)', {marker!r}],"
        " start_new_session=True)\n" + _drawn(5, 5)
    ),
    arguments=lambda folder: ["--jail-uid-base", "63000"],
)
