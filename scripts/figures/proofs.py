"""Figures of the certificates in examples/proofs/, from `taflbase solve --check`."""

from asking import ROOT, figure, need_slow, run

PROOFS = ROOT / "examples" / "proofs"


@figure
def proof_size(name):
    """The size of a certificate in bytes."""
    return (PROOFS / f"{name}.cert").stat().st_size


@figure
def checked(name, count):
    """What the checker counts: positions, inner, by_rule, by_table, tables or plies."""
    need_slow()
    return run("solve", "--check", str(PROOFS / f"{name}.cert"))[0][count]
