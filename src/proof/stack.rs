//! The stack for recursions along lines of positions.

/// The stack that a step of a recursion may need, and how much is added when less is left.
const STEP_STACK_BYTES: usize = 256 << 10;
const STACK_BYTES: usize = 64 << 20;

/// Takes a step of a recursion along lines that are too long for the stack of a thread. A stack that
/// overflows ends the process, and in a store so it would every later one.
pub(super) fn with_stack<R>(step: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(STEP_STACK_BYTES, STACK_BYTES, step)
}
