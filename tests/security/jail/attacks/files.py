"""Attacks on files: of the host, of the service, of other jobs."""

from __future__ import annotations

import contextlib

from ground import LIMITS, Ground, attack, perl, said

from i2s_chassis.jail import Cause, CellError, OutputError, OutputReason


@attack
async def reads_no_file_of_the_host(ground: Ground) -> None:
    """No file outside of the system's programs opens, whatever its mode."""
    targets = ["/etc/passwd", "/etc/shadow", "/etc/hostname", "/etc/group", "/proc/self/environ"]
    targets += ["/proc/1/cmdline", "/proc/version", "/sys/class/net", str(ground.outside / "secret")]
    ended = await perl(
        ground, 'for (@ARGV) { print "GOT $_\\n" if open(F, "<", $_) || opendir(D, $_) }', *targets
    )
    assert "GOT" not in said(ended), said(ended)


@attack
async def writes_nowhere_but_in_its_folder(ground: Ground) -> None:
    """No file can be made anywhere else."""
    places = ["/tmp", "/var/tmp", "/dev/shm", "/usr", "/usr/bin", "/usr/local", "/etc", "/", "/run", "/dev"]
    places += [str(ground.outside), str(ground.folder), "..", "/proc/self"]
    ended = await perl(ground, 'for (@ARGV) { print "MADE $_\\n" if open(F, ">", "$_/escape") }', *places)
    assert "MADE" not in said(ended), said(ended)
    assert sorted(path.name for path in ground.outside.iterdir()) == ["secret", "socket"]


@attack
async def changes_no_file_of_the_host(ground: Ground) -> None:
    """What is there can be neither removed nor renamed nor linked nor given other rights."""
    secret = ground.outside / "secret"
    program = "unlink $_[0]; rename $_[0], 'x'; link $_[0], 'y'; chmod 0777, $_[0]; truncate $_[0], 0"
    program = f"@_ = @ARGV; {program}"
    await perl(ground, program, str(secret))
    assert secret.read_text() == "secret of the host"
    assert secret.stat().st_mode & 0o777 == 0o644
    assert secret.stat().st_nlink == 1


@attack
async def a_copy_with_mode_and_times_can_be_made(ground: Ground) -> None:
    """What engines do with files of their own works in every tier."""
    async with ground.jail.cell(LIMITS, {"score": b"of the job"}) as cell:
        ended = await cell.run(["cp", "-p", "score", "copy"])
        assert (ended.cause, ended.exit_code) == (Cause.EXITED, 0), said(ended)
        assert await cell.fetch("copy") == b"of the job"


@attack
async def sees_no_other_cell(ground: Ground) -> None:
    """A job that knows the name of another cell gets neither list nor content of it."""
    async with ground.jail.cell(LIMITS, {"private.txt": b"of the neighbour"}) as neighbour:
        names = [path.name for path in ground.folder.iterdir()]
        paths = [str(ground.folder), *(f"{ground.folder}/{name}/private.txt" for name in names)]
        ended = await perl(
            ground, 'for (@ARGV) { print "GOT $_\\n" if open(F, "<", $_) || opendir(D, $_) }', *paths
        )
        assert "GOT" not in said(ended), said(ended)
        assert await neighbour.fetch("private.txt") == b"of the neighbour"


@attack
async def leaves_no_link_that_we_follow(ground: Ground) -> None:
    """Links, pipes and folders in the place of a result are refused, and told."""
    program = (
        "symlink $ARGV[0], 'soft'; link $ARGV[0], 'hard'; mkdir 'folder'; symlink '/etc', 'etc';"
        "system('mkfifo', 'pipe'); open(F, '>', 'plain'); print F 'plain'; close F; link 'plain', 'twin'"
    )
    async with ground.jail.cell(LIMITS) as cell:
        await cell.run(["perl", "-e", program, str(ground.outside / "secret")])
        for name in (
            "soft",
            "hard",
            "folder",
            "pipe",
            "etc/hostname",
            "../secret",
            "/etc/hostname",
            "plain/x",
        ):
            with contextlib.suppress(OutputError):
                raise AssertionError(f"fetched {name}: {await cell.fetch(name)!r}")
        assert set(await cell.list()) <= {"plain", "twin"}


@attack
async def a_large_output_is_refused(ground: Ground) -> None:
    """A result over the bound is not read into the service."""
    async with ground.jail.cell(LIMITS) as cell:
        await cell.run(["sh", "-c", "head -c 100000 /dev/zero > big"])
        try:
            await cell.fetch("big", 50_000)
        except OutputError as error:
            assert error.reason is OutputReason.TOO_LARGE
        else:
            raise AssertionError("fetched it")
        assert (await cell.excerpt("big", 10, 10)).total_bytes == 100_000


@attack
async def the_service_follows_no_link_when_it_writes(ground: Ground) -> None:
    """A file that we lay into a used cell does not land where the job has pointed."""
    async with ground.jail.cell(LIMITS) as cell:
        await cell.run(
            ["perl", "-e", "symlink $ARGV[0], 'd'; symlink $ARGV[0].'/new', 'f'", str(ground.outside)]
        )
        for name in ("d/new", "f"):
            with contextlib.suppress(CellError):
                await cell.write(name, b"ours")
    assert sorted(path.name for path in ground.outside.iterdir()) == ["secret", "socket"]
