"""Hostile scores against the real engine: the right verdict, nothing read, written or left behind.

After every attack an ordinary score gives the very bytes it gave before, from a warm process that no
attack has touched.
"""

from pathlib import Path

import pytest
import pytest_asyncio

from i2s_chassis.jail import PolicyKind
from i2s_chassis.limits import Limits
from i2s_wire.render.rendering import Verdict
from lilypond_attacked import LIMITS, MARK, SMALL, attacked_engine, chosen_tiers

pytestmark = [pytest.mark.security, pytest.mark.asyncio(loop_scope="session")]

#: A system call by its number, as Guile's foreign-function interface makes it.
CALL = """
#(use-modules (system foreign) (rnrs bytevectors))
#(define (call . words)
   (apply (pointer->procedure long (dynamic-func "syscall" (dynamic-link)) (map (lambda _ long) words))
          words))
"""
FORGE = """
#(for-each
  (lambda (fd)
    (catch #t
      (lambda () (let ((port (fdes->outport fd))) (display "done 0 0 0 0 0\\n" port) (force-output port)))
      (lambda _ #f)))
  (iota 250 3))
"""
LIMIT = """
#(let ((limit (bytevector->pointer (make-bytevector 16 0))))
   (if (zero? (call 302 (getppid) 0 (pointer-address limit) 0)) (display "limited")))
"""


@pytest_asyncio.fixture(scope="session", loop_scope="session", params=chosen_tiers())
async def attacked(request):
    async with attacked_engine(request.param) as attacked:
        yield attacked


READS = {
    "system": '#(system "cat SECRETFILE /etc/passwd >&2")',
    "gulp-file": '\\markup #(ly:gulp-file "SECRETFILE")',
    "gulp /etc/passwd": '\\markup #(ly:gulp-file "/etc/passwd")',
    "verbatim-file": '\\markup \\verbatim-file "SECRETFILE"',
    "include": '\\include "SECRETFILE"',
    "open-file": '\\markup #(call-with-input-file "SECRETFILE" (lambda (port) (symbol->string (read port))))',
    "environment of others": '\\markup #(ly:gulp-file "/proc/1/environ")',
    "the zygote's settings": '\\markup #(ly:gulp-file "../zygote.settings")',
    "the zygote's memory": '\\markup #(ly:gulp-file (format #f "/proc/~a/maps" (getppid)))',
    "epsfile": '\\markup \\epsfile #X #5 "SECRETFILE"',
}


@pytest.mark.parametrize("name", READS)
async def test_nothing_outside_can_be_read(attacked, name):
    rendering = await attacked.render(READS[name] + " { c'4 }")
    assert b"root:" not in rendering.log.whole
    assert rendering.verdict in (Verdict.RENDERED, Verdict.RENDERED_WITH_ERRORS, Verdict.COMPILE_ERROR)
    other = READS[name].replace("SECRETFILE", attacked.unreadable).replace("/etc/passwd", attacked.unreadable)
    picture = await attacked.render(other + " { c'4 }")
    assert [one.png for one in rendering.pictures] == [one.png for one in picture.pictures]


async def test_the_environment_holds_nothing_of_the_service(attacked, monkeypatch):
    monkeypatch.setenv("I2S_TOKEN", MARK)
    assert await attacked.shows('\\markup #(or (getenv "I2S_TOKEN") "none")', "\\markup none")
    rendering = await attacked.render(
        "#(for-each (lambda (x) (display x (current-error-port))) (environ)) { c'4 }"
    )
    assert MARK.encode() not in rendering.log.whole


WRITES = {
    "absolute": '#(with-output-to-file "SECRETFILE.out" (lambda () (display "x")))',
    "over the secret": '#(with-output-to-file "SECRETFILE" (lambda () (display "x")))',
    "/tmp": '#(with-output-to-file "/tmp/i2s-attack" (lambda () (display "x")))',
    "/dev/shm": '#(with-output-to-file "/dev/shm/i2s-attack" (lambda () (display "x")))',
    "the folder above": '#(with-output-to-file "../escaped" (lambda () (display "x")))',
    "the zygote's files": '#(delete-file "../zygote.settings")',
    "a neighbour": '#(mkdir "../job9999")',
    "system": '#(system "echo x > SECRETFILE; echo x > /tmp/i2s-attack; ln -s /etc/passwd link")',
    "a link as the result": '#(symlink "/etc/passwd" "page1.drawing")',
    "a link as the result of cairo": '#(symlink "/etc/passwd" "page1.png")',
    "caches": '#(begin (mkdir "../.cache") (mkdir "../.cache/guile"))',
}


@pytest.mark.parametrize("name", WRITES)
async def test_nothing_outside_can_be_written(attacked, name):
    rendering = await attacked.render(WRITES[name] + " { c'4 }")
    assert rendering.verdict in (Verdict.RENDERED, Verdict.RENDERED_WITH_ERRORS)
    for path in ("/tmp/i2s-attack", "/dev/shm/i2s-attack"):
        assert not Path(path).exists()


@pytest.mark.parametrize("name", ["../x", "/tmp/i2s-attack", "a/../../x"])
async def test_output_under_another_name_is_drawn_and_stays_in_the_sandbox(attacked, name):
    rendering = await attacked.render(f'\\book {{ \\bookOutputName "{name}" {{ c\'4 }} }}')
    assert rendering.verdict is Verdict.RENDERED
    for path in ("/tmp/i2s-attack.ps", "/tmp/i2s-attack.png", "/tmp/x.ps", "/tmp/x.png"):
        assert not Path(path).exists()


OTHERS = {
    "kill the zygote": "#(kill (getppid) SIGKILL)",
    "stop the zygote": "#(kill (getppid) SIGSTOP)",
    "kill everyone": "#(kill -1 SIGKILL)",
    "queue a signal": CALL + '#(if (zero? (call 62 (getppid) 9)) (display "killed"))',
    "trace the zygote": CALL + '#(if (zero? (call 101 16 (getppid) 0 0)) (display "traced"))',
    "limits of the zygote": CALL + LIMIT,
    "priority of the zygote": "#(setpriority PRIO_PROCESS (getppid) 19)",
    "a new namespace": CALL + '#(if (zero? (call 272 #x10000000)) (display "unshared"))',
    "a program in another root": CALL + '#(if (zero? (call 161 0)) (display "rooted"))',
    "write into what was open": FORGE,
    "close everything": CALL + "#(call 436 0 4294967295 0)",
    "connect": "#(let ((s (socket PF_INET SOCK_STREAM 0))) (connect s AF_INET INADDR_LOOPBACK CANARYPORT))",
    "a socket with a path": "#(socket PF_UNIX SOCK_STREAM 0)",
    "shared memory": CALL + '#(if (>= (call 29 4242 4096 #o1666) 0) (display "shared"))',
}


@pytest.mark.parametrize("name", OTHERS)
async def test_nobody_else_can_be_touched(attacked, name):
    rendering = await attacked.render(OTHERS[name] + " { c'4 }")
    assert rendering.verdict in (
        Verdict.RENDERED,
        Verdict.RENDERED_WITH_ERRORS,
        Verdict.COMPILE_ERROR,
        Verdict.NO_OUTPUT,
        Verdict.CRASHED,
    )
    for word in (b"killed", b"traced", b"limited", b"unshared", b"rooted", b"shared"):
        assert word not in rendering.log.whole


@pytest.mark.parametrize(
    ("music", "cold"),
    [
        ("#(let loop () (loop))", False),
        ("#(let loop () (loop))", True),
        ("{ \\repeat unfold 10000000 { c'4 } }", False),
        ("#(define (f n) (if (< n 2) n (+ (f (- n 1)) (f (- n 2))))) #(f 60)", False),
        ('\\markup \\postscript "{} loop"', False),
    ],
)
async def test_endless_work_is_a_time_limit(attacked, music, cold):
    rendering = await attacked.render(music, limits=SMALL, cold=cold)
    assert rendering.verdict is Verdict.TIME_LIMIT
    assert rendering.usage.cpu_seconds < 2.5


async def test_waiting_is_a_time_limit_too(attacked):
    limits = Limits(cpu_seconds=3.0, wall_seconds=3.0, processes=12)
    assert (await attacked.render("#(read-char (car (pipe)))", limits=limits)).verdict is Verdict.TIME_LIMIT


@pytest.mark.parametrize("cold", [False, True])
async def test_memory_without_end_is_a_memory_limit(attacked, cold):
    music = "#(let loop ((kept '())) (loop (cons (make-vector 1000000 0) kept)))"
    rendering = await attacked.render(music, limits=Limits(cpu_seconds=20, processes=12), cold=cold)
    assert rendering.verdict is Verdict.MEMORY_LIMIT


@pytest.mark.parametrize("cold", [False, True])
@pytest.mark.parametrize(
    "bomb",
    [
        "#(let loop () (primitive-fork) (loop))",  # ends by itself, with all that it has started
        "#(let loop () (if (zero? (primitive-fork)) (let wait () (sleep 1) (wait)) (loop)))",
    ],
)
async def test_a_bomb_of_processes_is_a_limit(attacked, bomb, cold):
    rendering = await attacked.render(bomb, cold=cold)
    # Each of them is as large as LilyPond, so either limit may be met first.
    assert rendering.verdict in (Verdict.PROCESS_LIMIT, Verdict.MEMORY_LIMIT)


FLOOD = '#(let loop () (display "abcdefghijklmnopqrstuvwxyz") (loop))'


@pytest.mark.parametrize(
    ("music", "cold"),
    [
        (FLOOD, False),
        (FLOOD, True),
        (
            '#(with-output-to-file "f" (lambda () (let loop () (display (make-string 9999 #\\x)) (loop))))',
            False,
        ),
        ("#(let loop ((n 0)) (close (open-output-file (number->string n))) (loop (+ n 1)))", False),
        ('#(let loop () (mkdir "a") (chdir "a") (loop))', False),
    ],
)
async def test_a_flood_of_output_is_an_output_limit(attacked, music, cold):
    rendering = await attacked.render(music, limits=Limits(cpu_seconds=20, processes=12), cold=cold)
    assert rendering.verdict is Verdict.OUTPUT_LIMIT
    assert len(rendering.log.whole) <= LIMITS.log_bytes + 100


@pytest.mark.parametrize("size", ["10000\\mm", "100000\\mm"])
async def test_enormous_paper_is_a_pixel_limit_before_anything_is_drawn(attacked, size):
    music = f"\\paper {{ paper-width = {size} paper-height = {size} }} {{ c'4 }}"
    rendering = await attacked.render(music)
    assert rendering.verdict is Verdict.PIXEL_LIMIT
    assert "raster" not in {stage.name for stage in rendering.stages}


async def test_enormous_paper_by_postscript_stays_within_the_limits(attacked):
    rendering = await attacked.render('\\markup \\postscript "<< /PageSize [90000 90000] >> setpagedevice"')
    assert rendering.verdict in (
        Verdict.NO_OUTPUT,
        Verdict.MEMORY_LIMIT,
        Verdict.PIXEL_LIMIT,
        Verdict.TIME_LIMIT,
        Verdict.OUTPUT_LIMIT,
    )


async def test_more_pages_than_allowed_are_a_page_limit(attacked):
    music = "{ \\repeat unfold 4 { c'1 \\pageBreak } }"
    assert (await attacked.render(music, limits=Limits(processes=12, pages=3))).verdict is Verdict.PAGE_LIMIT


@pytest.mark.parametrize(
    "program",
    [
        "(SECRETFILE) (r) file pop",
        "(/etc/passwd) run",
        "(%pipe%id) (w) file pop",
        "(/tmp/i2s-attack) (w) file pop",
        "(../escaped) (w) file closefile",
        "quit",
        "<< /OutputFile (%pipe%id) >> setpagedevice",
        "<< /OutputDevice /pdfwrite /OutputFile (page1.drawing) >> setpagedevice",
        "<< /OutputDevice /pdfimage8 /OutputFile (page1.drawing) >> setpagedevice",
        "<< /Compression (Flate) >> setpagedevice",
        "(page1.drawing) (w) file dup (%PDF-1.3) writestring closefile",
    ],
)
async def test_postscript_of_a_score_reaches_nothing(attacked, program):
    rendering = await attacked.render(f'\\markup \\postscript "{program}"')
    assert rendering.verdict in (Verdict.NO_OUTPUT, Verdict.RENDERED)
    assert not Path("/tmp/i2s-attack").exists()


@pytest.mark.parametrize(
    ("music", "verdicts"),
    [
        ("#(kill (getpid) SIGKILL)", {Verdict.RENDERED_WITH_ERRORS, Verdict.COMPILE_ERROR}),  # refused
        ("#(kill (getpid) SIGSEGV)", {Verdict.CRASHED}),
        ("#(kill (getpid) 40)", {Verdict.CRASHED}),
        (
            CALL + "#(pointer->bytevector (make-pointer 8) 8) #(call 231 0)",
            {Verdict.CRASHED, Verdict.NO_OUTPUT},
        ),
        ("#(primitive-_exit 0)", {Verdict.NO_OUTPUT}),
        ("#(primitive-exit 0)", {Verdict.NO_OUTPUT}),
        ("#(exit 0)", {Verdict.RENDERED_WITH_ERRORS, Verdict.NO_OUTPUT, Verdict.COMPILE_ERROR}),
        ("#(throw 'quit 0)", {Verdict.RENDERED_WITH_ERRORS, Verdict.NO_OUTPUT, Verdict.COMPILE_ERROR}),
    ],
)
async def test_an_early_end_has_its_own_verdict(attacked, music, verdicts):
    assert (await attacked.render(music + " { c'4 }")).verdict in verdicts


async def test_processes_that_outlive_a_job_are_killed_and_reported(attacked):
    daemon = (
        "#(if (zero? (primitive-fork)) (begin (setsid) (if (zero? (primitive-fork))"
        " (let loop () (usleep 100000) (loop))) (primitive-_exit 0))) { c'4 }"
    )
    rendering = await attacked.render(daemon)
    assert rendering.verdict is Verdict.RENDERED
    assert PolicyKind.LEFT_BEHIND in {event.kind for event in rendering.events}


async def test_a_clone_that_asks_not_to_be_waited_for_is_found_all_the_same(attacked):
    clone = CALL + "#(if (zero? (call 56 0 0 0 0 0)) (let loop () (usleep 100000) (loop))) { c'4 }"
    rendering = await attacked.render(clone)
    assert PolicyKind.LEFT_BEHIND in {event.kind for event in rendering.events}


async def test_what_a_job_redefines_is_gone_with_it(attacked):
    music = "#(module-set! (resolve-module '(lily)) 'lilypond-file (lambda _ (display \"poisoned\"))) { c'4 }"
    rendering = await attacked.render(music)
    assert rendering.verdict is Verdict.RENDERED
    later = await attacked.render("{ d'4 }")
    assert b"poisoned" not in later.log.whole


async def test_forged_results_change_nothing_for_the_next(attacked):
    forged = (
        '#(with-output-to-file "score.ps" (lambda () (display "%!PS\\n%%Pages: 1\\n")))'
        '#(with-output-to-file "score.paper" (lambda () (display "100 100\\n")))'
        "#(primitive-_exit 0)"
    )
    assert (await attacked.render(forged)).verdict is Verdict.NO_OUTPUT
    lying = '#(with-output-to-file "score.paper" (lambda () (display "nan -1\\n"))) '
    assert (await attacked.render(lying + "{ c'4 }")).verdict is Verdict.RENDERED
