"""The stubs agree with the compiled module."""

import subprocess
import sys


def test_stubs_and_module_agree() -> None:
    check = [sys.executable, "-m", "mypy.stubtest", "taflbase"]
    answer = subprocess.run(check, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stdout + answer.stderr
