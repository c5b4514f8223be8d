//! Text is looked through once before it is parsed: how deep its blocks stand in each other, how many
//! fields it has and how many words these.
//!
//! The parser looks a label up among all blocks around a branch, so that text with tens of thousands of them would take
//! it minutes; and it keeps half a kilobyte for each field, which can be written in six bytes. What is refused here the
//! gate would refuse anyway, in the bytes the text would become.

use crate::bounds::{self, Set};
use crate::failure::{Failure, Result, Status};

/// Parentheses within each other. Folded expressions of compilers' output stay far below.
const PARENTHESES_MAX: usize = 16_384;

/// Custom sections that text may write. Tools write a few.
const CUSTOM_SECTIONS_MAX: u64 = 1_024;
/// Fields of a kind that a module of petri's has one of, or none.
const OTHERS_MAX: u64 = 64;

/// Fails with `ParseFailed` and the place where the text becomes too deep or too much. What is wrong otherwise is left to
/// the parser.
pub fn check(text: &str, set: Set) -> Result<()> {
    let kinds = &KINDS[set as usize];
    let mut scan = Scan {
        set,
        kinds,
        text: text.as_bytes(),
        at: 0,
        open: Vec::new(),
        blocks: 0,
        is_opened: false,
        fields_depth: 1,
        fields: [0; KINDS_COUNT],
        words: [0; KINDS_COUNT],
        field: KINDS_COUNT - 1,
    };
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

/// Annotations are skipped, but for the one that stands for a section.
fn is_field(word: &[u8]) -> bool {
    word == b"@custom" || !word.starts_with(b"@")
}

/// A kind of field, how many of them a module may have, what each costs to load at least, in the gate's points, and how
/// many words all of them have at most, or each that is a function.
struct Kind {
    keyword: &'static [u8],
    max: u64,
    points: u64,
    words: u64,
}

const fn kind(keyword: &'static [u8], max: u64, points: u64, words: u64) -> Kind {
    Kind { keyword, max, points, words }
}

fn named(keyword: &[u8]) -> String {
    match String::from_utf8_lossy(keyword).as_ref() {
        "" => "other fields".into(),
        keyword => format!("fields of the kind \"{keyword}\""),
    }
}

/// A field may import what it names, in which case it is none of its own kind. The last stands for all others.
const KINDS_COUNT: usize = 10;
const fn kinds(set: Set) -> [Kind; KINDS_COUNT] {
    // Four for each byte of a body, and for each entry of the element segments; a word takes a byte or two.
    let body = 4 * bounds::body_bytes.max(set);
    let element = 4 * bounds::elements.max(set);
    // Types with all their parameters and results, or constant expressions of their full length.
    let other = 160 * bounds::types.max(set);
    let imports = bounds::imports.max(set);
    [
        kind(b"func", bounds::functions.max(set) + imports, 48, body),
        kind(b"type", bounds::types.max(set), 64, other),
        kind(b"data", bounds::data_segments.max(set), 24, other),
        kind(b"import", imports, 0, other),
        kind(b"export", bounds::exports.max(set), 0, other),
        kind(b"global", bounds::globals.max(set) + imports, 0, other),
        kind(b"table", bounds::tables.max(set) + imports, 0, element),
        kind(b"elem", bounds::element_segments.max(set), 0, element),
        kind(b"@custom", CUSTOM_SECTIONS_MAX, 0, other),
        kind(b"", OTHERS_MAX, 0, other),
    ]
}
const KINDS: [[Kind; KINDS_COUNT]; 2] = [kinds(Set::Candidate), kinds(Set::Program)];
const FUNCTION: usize = 0;
const EXPORT: usize = 4;

/// The most points that a module made of this much text may cost: its bytes are hardly ever more than those of its
/// text. Imports are no functions of its own.
fn points_max(set: Set, text_bytes: usize) -> u64 {
    bounds::load_points.max(set) + 48 * bounds::imports.max(set) + text_bytes as u64 * 3 / 2
}

struct Scan<'a> {
    set: Set,
    kinds: &'static [Kind; KINDS_COUNT],
    text: &'a [u8],
    at: usize,
    /// For each open parenthesis how many blocks were open before it.
    open: Vec<u32>,
    blocks: u32,
    /// Nothing but space and comments since the last parenthesis was opened.
    is_opened: bool,
    /// How many parentheses are open where a field's keyword stands: one, or two inside of `(module`.
    fields_depth: usize,
    /// By kind.
    fields: [u64; KINDS_COUNT],
    words: [u64; KINDS_COUNT],
    /// The kind of the field that is read.
    field: usize,
}

impl Scan<'_> {
    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.get(self.at + ahead).copied()
    }

    fn string(&mut self) {
        self.is_opened = false;
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
        self.is_opened = true;
        self.at += 1;
        if self.open.len() > PARENTHESES_MAX {
            return Err(self.too_deep("parentheses", PARENTHESES_MAX as u64));
        }
        Ok(())
    }

    /// Closes the blocks that were opened inside.
    fn close(&mut self) {
        self.blocks = self.open.pop().unwrap_or(0);
        self.is_opened = false;
        self.at += 1;
    }

    fn word(&mut self) -> Result<()> {
        let rest = &self.text[self.at..];
        let length = rest.iter().position(|byte| !is_word(*byte)).unwrap_or(rest.len());
        let word = &rest[..length];
        if std::mem::take(&mut self.is_opened) && self.open.len() <= 3 {
            self.keyword(word)?;
        }
        self.count_word()?;
        if opens_block(word) {
            self.blocks += 1;
        } else if word == b"end" {
            self.blocks = self.blocks.saturating_sub(1);
        }
        let most = bounds::nesting.max(self.set);
        if u64::from(self.blocks) > most {
            return Err(self.too_deep("blocks", most));
        }
        self.at += length;
        Ok(())
    }

    /// The first word behind a parenthesis.
    fn keyword(&mut self, word: &[u8]) -> Result<()> {
        if self.open.len() == 1 && word == b"module" {
            self.fields_depth = 2;
        } else if self.open.len() == self.fields_depth && is_field(word) {
            self.field = self.kinds.iter().position(|kind| kind.keyword == word).unwrap_or(KINDS_COUNT - 1);
            self.words[FUNCTION] = 0;
            self.count(self.field)?;
        } else if self.open.len() == self.fields_depth + 1 && word == b"export" {
            self.count(EXPORT)?;
        }
        Ok(())
    }

    fn count_word(&mut self) -> Result<()> {
        self.words[self.field] += 1;
        let Kind { keyword, words, .. } = self.kinds[self.field];
        if self.words[self.field] <= words {
            return Ok(());
        }
        let what = match self.field {
            FUNCTION => "a function has".into(),
            _ => format!("{} have", named(keyword)),
        };
        Err(self.failure(format!("{what} more than {words} words, which is more than a module may have")))
    }

    fn count(&mut self, kind: usize) -> Result<()> {
        self.fields[kind] += 1;
        let points: u64 = self.kinds.iter().zip(self.fields).map(|(kind, count)| kind.points * count).sum();
        if self.fields[kind] <= self.kinds[kind].max && points <= points_max(self.set, self.text.len()) {
            return Ok(());
        }
        let (count, what) = (self.fields[kind], named(self.kinds[kind].keyword));
        Err(self.failure(format!("the text has {count} {what}, which is more than a module of its size may have")))
    }

    fn too_deep(&self, what: &str, most: u64) -> Failure {
        self.failure(format!("more than {most} {what} stand in each other; take some of them apart"))
    }

    fn failure(&self, message: String) -> Failure {
        let before = &self.text[..self.at];
        let line = before.iter().filter(|byte| **byte == b'\n').count() as u32 + 1;
        let column = before.iter().rev().take_while(|byte| **byte != b'\n').count() as u32 + 1;
        Failure { line_column: Some((line, column)), ..Failure::new(Status::ParseFailed, message) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Result<()> {
        super::check(text, Set::Candidate)
    }

    fn is_too_deep(text: &str) -> bool {
        check(text).is_err()
    }

    fn nested(count: usize, open: &str, close: &str) -> String {
        format!("(module (func {}{}))", open.repeat(count), close.repeat(count))
    }

    #[test]
    fn blocks_are_counted_however_they_are_written() {
        let most = bounds::nesting.candidate as usize;
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

    fn refusal(text: &str) -> String {
        check(text).expect_err("it is too much").message
    }

    #[test]
    fn fields_are_counted_however_they_are_written() {
        let too_many =
            "the text has 16385 fields of the kind \"data\", which is more than a module of its size may have";
        let long = "a".repeat(64); // each has the bytes that its points want
        for field in ["(data \"\")", "( data)", "(;;)(; (data ;)(\n;; data\ndata)", "(data $d (i32.const 1))"] {
            let fields = format!("{field} ;; {long}\n").repeat(16_384);
            for (before, after) in [("(module $m ", ")"), ("", ""), ("(@a) (module ", ")")] {
                assert!(check(&format!("{before}{fields}{after}")).is_ok(), "{field}");
                assert_eq!(refusal(&format!("{before}{fields}{field}{after}")), too_many, "{field}");
            }
        }
    }

    #[test]
    fn fields_that_cost_more_than_the_text_has_bytes_are_refused_before_they_are_parsed() {
        for (field, kind) in [("(func)", "func"), ("(data \"\")", "data"), ("(func (type $t))", "func")] {
            let message = refusal(&format!("(module {})", field.repeat(100_000)));
            assert!(message.ends_with("which is more than a module of its size may have"), "{message}");
            assert!(message.contains(&format!("fields of the kind \"{kind}\"")), "{message}");
        }
        for (field, most) in
            [("(import \"\" \"\" (func))", 1_024), ("(@custom \"\" \"\")", 1_024), ("(start 0)", 64), ("(rec)", 64)]
        {
            assert!(check(&field.repeat(most)).is_ok(), "{field}");
            assert!(check(&field.repeat(most + 1)).is_err(), "{field}");
        }
    }

    #[test]
    fn words_are_counted_for_each_function_and_for_all_segments() {
        let too_long = "a function has more than 262144 words, which is more than a module may have";
        for words in ["nop ", "(param i32)", "br_table 0 ", "(local i32) "] {
            assert_eq!(refusal(&format!("(module (func {}))", words.repeat(262_144))), too_long, "{words}");
        }
        let halves = format!("(func {})", "nop ".repeat(200_000)).repeat(2);
        assert!(check(&format!("(module {halves})")).is_ok());
        let segments = format!("(elem func {})", "0 ".repeat(200_000)).repeat(2);
        assert_eq!(
            refusal(&format!("(module {segments})")),
            "fields of the kind \"elem\" have more than 262144 words, which is more than a module may have"
        );
        assert!(refusal(&format!("(module (func {}))", "(export \"\") ".repeat(9_000))).contains("8193 fields"));
    }

    #[test]
    fn what_the_gate_takes_is_taken_as_text() {
        // As dense as functions can be: 48 points each, for as many bytes.
        let body = "i32.const 1000000 drop ".repeat(9);
        assert!(check(&format!("(module {})", format!("(func {body})").repeat(20_000))).is_ok());
        let ways =
            "(func (export \"f\") (param i32)) (type (func)) (export \"g\" (func 0)) (elem func 0) (table 1 funcref)";
        assert!(check(&format!("(module {})", ways.repeat(900))).is_ok());
        assert!(check(&format!("(module (func {}))", "(block (@a) (drop (i32.const 0)))".repeat(10_000))).is_ok());
    }

    #[test]
    fn programs_may_have_more_of_everything() {
        let deep = nested(bounds::nesting.program as usize, "(block ", ")");
        assert!(is_too_deep(&deep) && super::check(&deep, Set::Program).is_ok());
        assert!(super::check(&nested(bounds::nesting.program as usize + 1, "(block ", ")"), Set::Program).is_err());
        let long = format!("(module (func {}))", "nop ".repeat(300_000));
        assert!(check(&long).is_err() && super::check(&long, Set::Program).is_ok());
    }

    #[test]
    fn the_place_is_reported() {
        let failure = check(&nested(1_000, "(block\n", ")")).expect_err("it is too deep");
        assert_eq!((failure.status, failure.line_column), (Status::ParseFailed, Some((513, 2))));
    }
}
