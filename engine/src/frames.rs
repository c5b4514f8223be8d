//! How much native stack a compiled function takes, read from its machine code.
//!
//! The gate reckons with what a function's parameters, locals and operands can need. An optimising compiler may keep far
//! more alive, expressions it found twice or moved out of a loop, so what it made is looked at before it runs.

use crate::plan::FunctionPlan;

/// A generous estimate: every parameter, local, operand and value of a call twice, and what a frame has besides.
pub fn estimate(plan: &FunctionPlan) -> u64 {
    256 + 16 * u64::from(plan.params + plan.locals + plan.operands_max + plan.call_values_max)
}

/// `push %rbp; mov %rsp,%rbp`: how every function starts.
const PROLOGUE: &[u8] = &[0x55, 0x48, 0x89, 0xe5];
/// `mov 0x18(%r10),%r10`: Wasmtime loads the end of the stack, to which it then adds the frame's size.
const LOAD_LIMIT: &[u8] = &[0x4d, 0x8b, 0x52, 0x18];
/// `add $..,%r10` with one byte and with four.
const ADD_BYTE: &[u8] = &[0x49, 0x83, 0xc2];
const ADD_WORD: &[u8] = &[0x49, 0x81, 0xc2];
/// The check stands at the head of the function, large frames having two.
const HEAD: usize = 64;

/// Bytes of stack; 0 for a function without a frame, which needs no check, and the most there is for code of another shape.
pub fn measured(code: &[u8]) -> u64 {
    let head = &code[..code.len().min(HEAD)];
    let find = |bytes: &[u8], from: usize| {
        head[from..].windows(bytes.len()).position(|window| window == bytes).map(|at| from + at + bytes.len())
    };
    let Some(limit) = find(LOAD_LIMIT, 0) else { return if has_no_frame(head) { 0 } else { u64::MAX } };
    match (find(ADD_BYTE, limit), find(ADD_WORD, limit)) {
        (Some(at), word) if word.is_none_or(|word| at < word) && at < head.len() => u64::from(head[at]),
        (_, Some(at)) if at + 4 <= head.len() => {
            u64::from(u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]))
        }
        _ => u64::MAX,
    }
}

/// A function that needs no room goes to work behind the prologue; others make it there, with `sub $..,%rsp`. Further on
/// the same bytes can be a constant of the guest's.
fn has_no_frame(head: &[u8]) -> bool {
    head.strip_prefix(PROLOGUE).is_some_and(|work| !matches!(work, [0x48, 0x81 | 0x83, 0xec, ..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PUSH: [u8; 8] = [0x55, 0x48, 0x89, 0xe5, 0x4c, 0x8b, 0x57, 0x08];

    #[test]
    fn the_size_stands_in_the_check_of_the_stack() {
        let small = [&PUSH[..], LOAD_LIMIT, ADD_BYTE, &[0x20, 0x4c, 0x3b, 0xd4]].concat();
        let large = [&PUSH[..], LOAD_LIMIT, ADD_WORD, &[0xb0, 0x12, 0, 0, 0x4c, 0x3b, 0xd4]].concat();
        assert_eq!((measured(&small), measured(&large)), (0x20, 0x12b0));
    }

    #[test]
    fn code_of_another_shape_is_taken_for_the_worst() {
        assert_eq!(measured(&[0x55, 0x48, 0x83, 0xec, 0x10, 0xc3]), u64::MAX);
        assert_eq!(measured(&[0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x10, 0xc3]), u64::MAX);
        assert_eq!(measured(&[&PUSH[..], LOAD_LIMIT, &[0x90; 8]].concat()), u64::MAX);
    }

    #[test]
    fn a_function_without_a_frame_takes_nothing() {
        assert_eq!(measured(&[0x55, 0x48, 0x89, 0xe5, 0x48, 0x89, 0xec, 0x5d, 0xc3]), 0);
        let constant = [0xb8, 0x48, 0x83, 0xec, 0x00];
        assert_eq!(measured(&[PROLOGUE, &constant[..], &[0x48, 0x89, 0xec, 0x5d, 0xc3]].concat()), 0);
    }
}
