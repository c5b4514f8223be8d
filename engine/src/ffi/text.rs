//! `petri_wat` and `petri_wasm_text` of the C surface: a module written as text becomes bytes, and bytes become text.

use super::{Bytes, Error, Step, borrow_mut, bytes, guarded};
use crate::bounds::Set;
use crate::failure::{Failure, Status};
use crate::text;

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_wat(
    source: *const u8,
    size: usize,
    bounds: u32,
    out: *mut Bytes,
    error: *mut Error,
) -> i32 {
    guarded(Step::None, error, || {
        // SAFETY: as the header says.
        let (source, out) = unsafe { (bytes(source, size), borrow_mut(out)?) };
        let source = std::str::from_utf8(source).map_err(|error| not_utf8(source, error.valid_up_to()))?;
        text::check(source, Set::of(bounds))?;
        out.give(wat::parse_str(source).map_err(|error| parse_failure(&error))?);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_wasm_text(wasm: *const u8, size: usize, out: *mut Bytes, error: *mut Error) -> i32 {
    guarded(Step::None, error, || {
        // SAFETY: as the header says.
        let (wasm, out) = unsafe { (bytes(wasm, size), borrow_mut(out)?) };
        let text = wasmprinter::print_bytes(wasm);
        let text = text.map_err(|error| Failure::new(Status::Rejected, format!("it has no text: {error}")))?;
        out.give(text.into_bytes());
        Ok(())
    })
}

fn not_utf8(text: &[u8], at: usize) -> Failure {
    let before = &text[..at];
    let line = before.iter().filter(|byte| **byte == b'\n').count() as u32 + 1;
    let column = before.iter().rev().take_while(|byte| **byte != b'\n').count() as u32 + 1;
    Failure { line_column: Some((line, column)), ..Failure::new(Status::ParseFailed, "the text is not UTF-8") }
}

/// `wat` prints its place as `--> <anon>:line:column`; the first line is the message.
fn parse_failure(error: &wat::Error) -> Failure {
    let text = error.to_string();
    let place = text.lines().find_map(|line| line.trim_start().strip_prefix("--> <anon>:"));
    let line_column = place
        .and_then(|place| place.split_once(':'))
        .and_then(|(line, column)| Some((line.parse().ok()?, column.parse().ok()?)));
    let message = text.lines().next().unwrap_or("the text does not parse");
    Failure { line_column, ..Failure::new(Status::ParseFailed, message) }
}
