"""The launcher delivers the pipe, and lives as long as the connection."""

import asyncio
import os
import socket

from i2s_render_html.handover import Handover


async def started(handover, pipe):
    """Run the launcher as Playwright does, with the ends of a pipe at 3 and 4."""
    reading, writing = os.pipe()
    actions = [(os.POSIX_SPAWN_DUP2, pipe.fileno(), 3), (os.POSIX_SPAWN_DUP2, writing, 4)]
    command = [handover.program, *handover.arguments]
    process = os.posix_spawn(handover.program, command, {}, file_actions=actions)
    os.close(writing)
    return process, reading


async def test_descriptors_arrive_and_the_launcher_ends_with_the_handover():
    with Handover() as handover, socket.socket() as pipe:
        process, reading = await started(handover, pipe)
        received = await asyncio.wait_for(handover.descriptors(), 30)
        assert os.fstat(received[0]).st_ino == os.fstat(pipe.fileno()).st_ino
        os.write(received[1], b"hello")
        assert os.read(reading, 5) == b"hello"
        assert os.waitpid(process, os.WNOHANG) == (0, 0)
        for descriptor in received:
            os.close(descriptor)
        assert os.read(reading, 1) == b"", "the launcher has kept an end of the pipe"
        os.close(reading)
    _, status = await asyncio.to_thread(os.waitpid, process, 0)
    assert status == 0


async def test_the_socket_is_closed_to_others_and_gone_afterwards():
    with Handover() as handover:
        folder = os.path.dirname(handover.arguments[-1])
        assert os.stat(folder).st_mode & 0o077 == 0
    assert not os.path.exists(folder)
