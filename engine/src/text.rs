//! Text is looked through once before it is parsed: how deep its blocks stand in each other.
//!
//! The parser looks a label up among all blocks around a branch, so that text with tens of thousands of them would take
//! it minutes. Blocks that deep are refused by the gate anyway, in the bytes the text would become.

use crate::bounds;
use crate::failure::{Failure, Result, Status};

/// Parentheses within each other. Folded expressions of compilers' output stay far below.
const PARENTHESES_MAX: usize = 16_384;

/// Fails with `ParseFailed` and the place where the text becomes too deep. What is wrong otherwise is left to the parser.
pub fn check_nesting(text: &str) -> Result<()> {
    let mut scan = Scan { text: text.as_bytes(), at: 0, open: Vec::new(), blocks: 0 };
    while let Some(byte) = scan.peek(0) {
        match byte {
            b'"' => scan.string(),
            b';' if scan.peek(1) == Some(b';') => scan.line(),
            b'(' if scan.peek(1) == Some(b';') => scan.comment(),
            b'(' => scan.parenthesis()?,
            b')' => scan.close(),
            _ if is_word(byte) => scan.word()?,
            _ => scan.at += 1,
        }
    }
    Ok(())
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"$_.-:/\\!#%&'*+<=>?@^`|~".contains(&byte)
}

fn opens_block(word: &[u8]) -> bool {
    matches!(word, b"block" | b"loop" | b"if" | b"try" | b"try_table")
}

struct Scan<'a> {
    text: &'a [u8],
    at: usize,
    /// For each open parenthesis how many blocks were open before it.
    open: Vec<u32>,
    blocks: u32,
}

impl Scan<'_> {
    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.get(self.at + ahead).copied()
    }

    fn string(&mut self) {
        self.at += 1;
        while let Some(byte) = self.peek(0) {
            self.at += if byte == b'\\' { 2 } else { 1 };
            if byte == b'"' {
                return;
            }
        }
    }

    fn line(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    }

    /// Comments of this kind stand in each other.
    fn comment(&mut self) {
        let mut depth = 0u32;
        while self.at < self.text.len() {
            match (self.peek(0), self.peek(1)) {
                (Some(b'('), Some(b';')) => (depth, self.at) = (depth + 1, self.at + 2),
                (Some(b';'), Some(b')')) => (depth, self.at) = (depth - 1, self.at + 2),
                _ => self.at += 1,
            }
            if depth == 0 {
                return;
            }
        }
    }

    fn parenthesis(&mut self) -> Result<()> {
        self.open.push(self.blocks);
        self.at += 1;
        if self.open.len() > PARENTHESES_MAX {
            return Err(self.too_deep("parentheses", PARENTHESES_MAX as u64));
        }
        Ok(())
    }

    /// Closes the blocks that were opened inside.
    fn close(&mut self) {
        self.blocks = self.open.pop().unwrap_or(0);
        self.at += 1;
    }

    fn word(&mut self) -> Result<()> {
        let rest = &self.text[self.at..];
        let length = rest.iter().position(|byte| !is_word(*byte)).unwrap_or(rest.len());
        let word = &rest[..length];
        if opens_block(word) {
            self.blocks += 1;
        } else if word == b"end" {
            self.blocks = self.blocks.saturating_sub(1);
        }
        if u64::from(self.blocks) > bounds::nesting.max {
            return Err(self.too_deep("blocks", bounds::nesting.max));
        }
        self.at += length;
        Ok(())
    }

    fn too_deep(&self, what: &str, most: u64) -> Failure {
        let before = &self.text[..self.at];
        let line = before.iter().filter(|byte| **byte == b'\n').count() as u32 + 1;
        let column = before.iter().rev().take_while(|byte| **byte != b'\n').count() as u32 + 1;
        let message = format!("more than {most} {what} stand in each other; take some of them apart");
        Failure { line_column: Some((line, column)), ..Failure::new(Status::ParseFailed, message) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_too_deep(text: &str) -> bool {
        check_nesting(text).is_err()
    }

    fn nested(count: usize, open: &str, close: &str) -> String {
        format!("(module (func {}{}))", open.repeat(count), close.repeat(count))
    }

    #[test]
    fn blocks_are_counted_however_they_are_written() {
        let most = bounds::nesting.max as usize;
        for (open, close) in
            [("(block ", ")"), ("block $l ", "end "), ("(if (i32.const 1) (then ", "))"), ("loop ", "end ")]
        {
            assert!(!is_too_deep(&nested(most, open, close)), "{open}");
            assert!(is_too_deep(&nested(most + 1, open, close)), "{open}");
        }
    }

    #[test]
    fn blocks_in_a_row_are_not_deep() {
        assert!(!is_too_deep(&nested(10_000, "(block) block end ", "")));
        assert!(!is_too_deep(&nested(10_000, "(if (i32.const 1) (then (nop)) (else (nop))) ", "")));
    }

    #[test]
    fn what_stands_in_strings_names_and_comments_is_not_counted() {
        for words in ["\"(block \\\" (block\" ", ";; (block block\n", "(; block (; (block ;) ;) ", "$block block.x "] {
            assert!(!is_too_deep(&nested(1_000, words, "")), "{words}");
        }
    }

    #[test]
    fn the_place_is_told() {
        let failure = check_nesting(&nested(1_000, "(block\n", ")")).expect_err("it is too deep");
        assert_eq!((failure.status, failure.line_column), (Status::ParseFailed, Some((513, 2))));
    }
}
