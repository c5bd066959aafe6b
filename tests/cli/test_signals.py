"""A signal at any moment: the program says that it was interrupted, with the exit code for it."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pdf_search.signals import ALL, ENDING, Interrupting, exit_code, held, receiving

ROOT = Path(__file__).parents[2]
# The program, with a signal as it begins to import a module.
IMPORTING = """
import signal, sys
module, number = sys.argv.pop(1), int(sys.argv.pop(1))
def hook(event, args):
    if event == "import" and args[0] == module:
        signal.raise_signal(number)
sys.addaudithook(hook)
from pdf_search.__main__ import main
main()
"""
IN_PROGRAM = """
import signal, sys
from pdf_search.signals import Interrupting, begin_program, last_words, receiving
begin_program()
with last_words(lambda: "go on with: resume"), receiving(Interrupting()):
    {body}
print("it went on")
"""
TWICE = """
    try: signal.raise_signal(signal.SIGTERM)
    finally: signal.raise_signal(signal.SIGTERM)"""
IN_FINALISER = """
    class Held:
        def __del__(self): signal.raise_signal(signal.SIGTERM)
    Held()"""
# As compiled modules do with an exception that Python code raises while they are imported.
IN_IMPORT = """
    sys.path.insert(0, sys.argv[1])
    import compiled"""
COMPILED = """
import signal
try: signal.raise_signal(signal.SIGTERM)
except BaseException: raise ImportError("a part is missing") from None
"""


@pytest.fixture(autouse=True)
def _handlers() -> Iterator[None]:
    # The tests themselves may run under nohup.
    before = {number: signal.signal(number, signal.SIG_DFL) for number in ENDING}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def program(script: str, *words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", script, *map(str, words)]
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("number", ENDING)
def test_they_are_interrupts(number: signal.Signals) -> None:
    with receiving(Interrupting()), pytest.raises(KeyboardInterrupt) as raised:
        signal.raise_signal(number)
    assert exit_code(raised.value) == exit_code(number) == 128 + number
    assert exit_code(KeyboardInterrupt()) == 130
    assert signal.getsignal(number) is signal.SIG_DFL


def test_in_a_library_a_second_one_is_an_interrupt_too() -> None:
    with receiving(Interrupting()):
        for _ in range(3):
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize("module", ["typer", "pdf_search.cli.verbs.train", "sqlalchemy"])
@pytest.mark.parametrize("number", ALL)
def test_while_the_program_is_imported(tmp_path: Path, module: str, number: int) -> None:
    done = program(IMPORTING, module, int(number), "list", "--out", tmp_path)
    assert (done.returncode, done.stderr) == (128 + number, "interrupted\n")


@pytest.mark.parametrize("body", [TWICE, IN_FINALISER, IN_IMPORT])
def test_where_an_interrupt_may_be_lost_the_program_ends_at_once(tmp_path: Path, body: str) -> None:
    (tmp_path / "compiled.py").write_text(COMPILED)
    done = program(IN_PROGRAM.format(body=body), tmp_path)
    assert (done.returncode, done.stderr, done.stdout) == (143, "go on with: resume\n", "")


def test_those_held_back_are_received_by_the_handlers_of_before() -> None:
    received: list[int] = []
    with receiving(lambda number, _: received.append(number)):
        with held():
            signal.signal(signal.SIGTERM, signal.SIG_DFL)  # as a library does
            signal.raise_signal(signal.SIGTERM)
            assert not received
        assert received == [signal.SIGTERM]


@pytest.mark.parametrize("number", ENDING)
def test_what_is_ignored_stays_ignored(number: signal.Signals) -> None:
    signal.signal(number, signal.SIG_IGN)  # as nohup does
    with receiving(Interrupting()):
        signal.raise_signal(number)


@pytest.mark.parametrize("leaves", [True, False])
def test_printing_to_a_terminal_that_was_closed_is_no_error(leaves: bool) -> None:
    master, terminal = pty.openpty()
    script = "import sys; sys.stdin.read()\n"
    if leaves:
        script += "from pdf_search.signals import begin_handling as leave; leave()\n"
    command = [sys.executable, "-c", f"{script}print('the end')"]
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=terminal, env=env) as printing:
        os.close(terminal)
        os.close(master)
    assert printing.returncode == 0 if leaves else printing.returncode


def test_one_while_the_interpreter_ends_does_not_change_the_exit_code() -> None:
    script = (
        "import os, signal, sys\n"
        "from pdf_search.__main__ import main\n"
        "class Late:\n"
        "    def __del__(self): os.kill(os.getpid(), signal.SIGTERM)\n"
        "sys.modules['late'] = Late()  # deleted after the handlers\n"
        "sys.argv = ['pdf-search', '--version']\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], check=False, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("pdf-search ")
