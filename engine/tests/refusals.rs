//! Modules that the gate refuses, and by which name. X12

use std::sync::Arc;

use crate::support::*;
use petri_engine::allocator::{LARGE, large_pieces};
use petri_engine::artifact::{Artifact, Extern};
use petri_engine::bounds::{self, Bound, Set};
use petri_engine::code::{Code, Tier};
use petri_engine::failure::Status;
use petri_engine::features;

fn rejected(wasm: &[u8]) -> String {
    rejected_by(Set::Candidate, wasm)
}

fn rejected_by(set: Set, wasm: &[u8]) -> String {
    let failure = refusal_by(set, wasm);
    assert_eq!(failure.status, Status::Rejected, "{}", failure.message);
    failure.message
}

/// Loads in both tiers, each import a function that does nothing.
fn loads_in_both(wasm: &[u8]) {
    loads_in(&TIERS, Set::Candidate, wasm);
}

fn loads_in(tiers: &[Tier], set: Set, wasm: &[u8]) {
    let artifact = prepare_by(set, wasm);
    let functions = vec![host(idle, 1); artifact.module.imports.len()];
    for tier in tiers.iter().copied() {
        let code = Code::load(artifact.clone(), tier, &functions);
        assert!(code.is_ok(), "{tier:?}: {}", code.err().expect("it failed").message);
    }
}

// ---- proposals --------------------------------------------------------------------------------------------

#[test]
fn a_refused_proposal_is_named() {
    let cases = [
        ("tail calls", "(module (func $f (return_call $f)))"), // D12
        ("tail calls", "(module (table 1 funcref) (func (return_call_indirect (i32.const 0))))"),
        ("exceptions", "(module (func (block $h (try_table (catch_all $h) unreachable))))"), // D13
        ("exceptions", "(module (tag $t) (func (throw $t)))"),
        (
            "threads",
            "(module (memory 1 1 shared) (func (drop (memory.atomic.wait32 (i32.const 0) (i32.const 0) (i64.const 0)))))",
        ), // D14
        ("threads", "(module (memory 1) (func (drop (i32.atomic.rmw.add (i32.const 0) (i32.const 1)))))"),
        ("multi-memory", "(module (memory 1) (memory 1))"), // D15
        ("memory64", "(module (memory i64 0x1000000000000))"),
        ("memory64", "(module (memory i64 1))"),
        ("custom page sizes", "(module (memory 1 (pagesize 1)))"),
        ("SIMD", "(module (memory 1) (func (drop (v128.load (i32.const 65535)))))"), // D16
        ("SIMD", "(module (func (param v128)))"),
        (
            "relaxed SIMD",
            "(module (func (param v128) (result v128) (i8x16.relaxed_swizzle (local.get 0) (local.get 0))))",
        ),
        ("GC", "(module (type $s (struct (field i32))) (func (loop (drop (struct.new $s (i32.const 1))) (br 0))))"), // D17
        ("GC", "(module (func (drop (ref.i31 (i32.const 1)))))"),
        ("externref", "(module (func (param externref)))"),
        ("externref", "(module (table 1 externref))"),
        (
            "typed function references",
            "(module (type $t (func)) (func (param (ref null $t)) (call_ref $t (local.get 0))))",
        ),
        (
            "wide arithmetic",
            "(module (func (param i64) (result i64 i64) (i64.add128 (local.get 0) (local.get 0) (local.get 0) (local.get 0))))",
        ),
        (
            "stack switching",
            "(module (type $f (func)) (type $c (cont $f)) (func $g) (elem declare func $g) (func (drop (cont.new $c (ref.func $g)))))",
        ),
    ];
    for (name, text) in cases {
        let message = rejected(&wasm(text));
        assert_eq!(message, format!("the module uses {name}, which petri does not accept"), "{text}");
    }
}

/// As bytes: the parser of text that petri builds knows no components.
#[test]
fn a_component_is_named() {
    let empty = b"\0asm\x0d\0\x01\0".as_slice(); // (component)
    let around_a_module = b"\0asm\x0d\0\x01\0\x01\x08\0asm\x01\0\0\0".as_slice(); // (component (core module))
    for bytes in [empty, around_a_module] {
        assert_eq!(rejected(bytes), "the module uses the component model, which petri does not accept");
    }
}

#[test]
fn functions_of_an_exact_type_are_refused() {
    // The validator does not ask for their proposal.
    let types = section(1, &[1, 0x60, 0, 0]);
    let import = section(2, &[1, 1, b'h', 1, b'f', 0x20, 0]);
    let export = section(7, &[1, 1, b'f', 0x20, 0]);
    rejected(&module(&[types.clone(), import]));
    rejected(&module(&[types, section(3, &[1, 0]), export, section(10, &[1, 2, 0, 0x0b])]));
}

#[test]
fn several_refused_proposals_are_all_named() {
    let message = rejected(&wasm("(module (memory i64 1) (func $f (param v128) (return_call $f (local.get 0))))"));
    assert_eq!(message, "the module uses SIMD, tail calls, memory64, which petri does not accept");
}

#[test]
fn an_invalid_module_is_not_blamed_on_a_proposal() {
    let message = rejected(&wasm("(module (func (result i32) (i64.const 1)))"));
    assert!(message.starts_with("the module is not valid WebAssembly: "), "{message}");
}

#[test]
fn the_accepted_additions_to_the_first_version_are_accepted() {
    let cases = [
        r#"(module (global (export "g") (mut i32) (i32.const 0)))"#,
        "(module (func (param i64) (result i64) (i64.extend8_s (local.get 0))))",
        "(module (func (param f64) (result i32) (i32.trunc_sat_f64_u (local.get 0))))",
        "(module (memory 1) (data $d \"x\") (func (memory.init $d (i32.const 0) (i32.const 0) (i32.const 1)) (data.drop $d)))",
        "(module (func (result i32 i64) (i32.const 0) (i64.const 0)) (func (param i32) (local.get 0) (block (param i32) drop)))",
        "(module (table $t 1 funcref) (table $u 1 funcref) (func $f (table.set $u (i32.const 0) (ref.func $f))) (elem declare func $f))",
        "(module (global i64 (i64.mul (i64.const 3) (i64.add (i64.const 1) (i64.const 2)))))",
    ];
    cases.iter().for_each(|text| loads_in_both(&wasm(text)));
}

// ---- bytes that are no module -----------------------------------------------------------------------------

#[test]
fn what_is_not_wasm_is_refused() {
    // D01 D09
    let cases: [&[u8]; 14] = [
        b"",
        b"\0",
        b"\0asm",
        b"\0asm\x01\0\0",
        b"\0asn\x01\0\0\0",
        b"asm\0\x01\0\0\0",
        b"\0asm\0\0\0\0",
        b"\0asm\x02\0\0\0",
        b"\x7fELF\x02\x01\x01\0",
        b"PK\x03\x04\x14\0\0\0\x08\0",
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        b"(module)",
        b"\0asm\x01\0\0\0trailing bytes",
        b"\0asm\x01\0\0\0\0asm\x01\0\0\0",
    ];
    cases.iter().for_each(|bytes| {
        rejected(bytes);
    });
    assert!(Artifact::prepare(b"\0asm\x01\0\0\0", Set::Candidate).is_ok(), "the empty module is one");
}

/// Returns whether the validator accepts the bytes, an opinion besides the gate's.
fn is_valid(wasm: &[u8]) -> bool {
    wasmparser::Validator::new_with_features(features::accepted()).validate_all(wasm).is_ok()
}

#[test]
fn a_prefix_of_a_module_is_refused_unless_it_is_one() {
    // D02
    for seed in 1..=20 {
        let wasm = random::module(seed);
        for length in 0..wasm.len() {
            let prefix = &wasm[..length];
            match Artifact::prepare(prefix, Set::Candidate) {
                Ok(_) => assert!(is_valid(prefix), "seed {seed}, {length} bytes"),
                Err(failure) => {
                    assert_eq!(failure.status, Status::Rejected, "seed {seed}, {length} bytes: {}", failure.message)
                }
            }
        }
    }
}

/// Small modules that between them have every section and most shapes of operator.
const FIVE: [&str; 5] = [
    r#"(module (func $f (export "f") (param i32) (result i32) (if (result i32) (i32.lt_s (local.get 0) (i32.const 2)) (then (local.get 0))
        (else (i32.add (call $f (i32.sub (local.get 0) (i32.const 1))) (call $f (i32.sub (local.get 0) (i32.const 2))))))))"#,
    r#"(module (memory (export "m") 1 2) (data (i32.const 3) "abc") (func (export "f") (param i32) (result i64)
        (i64.store offset=8 (local.get 0) (i64.const -5)) (drop (memory.grow (i32.const 1))) (i64.load (i32.const 8))))"#,
    r#"(module (table 3 funcref) (elem (i32.const 1) $g $g) (type $t (func (result f64))) (func $g (result f64) (f64.const 1.5))
        (func (export "f") (param i32) (result f64) (call_indirect (type $t) (local.get 0))))"#,
    r#"(module (global $g (export "g") (mut i64) (i64.const 7)) (start $s) (func $s (global.set $g (i64.const 9)))
        (func (export "f") (param i32) (result i64) (block (block (br_table 0 1 (local.get 0))) (global.set $g (i64.const 1))) (select (global.get $g) (i64.const 2) (i32.eqz (local.get 0)))))"#,
    r#"(module (memory 1) (data $d "hello") (func (export "f") (param f32) (result i32) (local i32 f64) (memory.init $d (i32.const 0) (i32.const 1) (i32.const 3))
        (memory.fill (i32.const 3) (i32.const 1) (i32.const 5)) (loop (br_if 0 (i32.lt_u (local.tee 1 (i32.add (local.get 1) (i32.const 1))) (i32.const 9)))) (i32.trunc_sat_f32_u (local.get 0))))"#,
];

#[test]
fn every_single_bit_change_is_refused_or_the_same_in_both_tiers() {
    // D03
    let (mut accepted, mut refused) = (0, 0);
    for text in FIVE {
        let wasm = wasm(text);
        for bit in 0..wasm.len() * 8 {
            let mut changed = wasm.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            match Artifact::prepare(&changed, Set::Candidate) {
                Err(failure) => {
                    assert_eq!(failure.status, Status::Rejected, "bit {bit}: {}", failure.message);
                    refused += 1;
                }
                Ok(artifact) => {
                    let verdict = random::compare_artifact(&Arc::new(artifact), bit as u64);
                    assert!(matches!(verdict, random::Verdict::Same(_)), "bit {bit} of {text}: {}", verdict.describe());
                    accepted += 1;
                }
            }
        }
    }
    println!("{accepted} accepted, {refused} refused");
    assert!(accepted > 500 && refused > 500);
}

/// A module's sections: id and content.
fn sections(wasm: &[u8]) -> Vec<(u8, Vec<u8>)> {
    let mut reader = wasmparser::BinaryReader::new(&wasm[8..], 8);
    let mut sections = Vec::new();
    while !reader.eof() {
        let id = reader.read_u8().expect("an id");
        let size = reader.read_var_u32().expect("a size") as usize;
        sections.push((id, reader.read_bytes(size).expect("the content").to_vec()));
    }
    sections
}

fn assembled(sections: &[(u8, Vec<u8>)]) -> Vec<u8> {
    module(&sections.iter().map(|(id, content)| section(*id, content)).collect::<Vec<_>>())
}

#[test]
fn sections_of_the_wrong_size_number_or_order_are_refused() {
    // D04
    for text in FIVE {
        let mut whole = sections(&wasm(text));
        whole.retain(|(id, _)| *id != 0); // of custom sections anything may be said
        assert!(Artifact::prepare(&assembled(&whole), Set::Candidate).is_ok());
        for index in 0..whole.len() {
            let mut longer = whole.clone();
            longer[index].1.push(0);
            rejected(&assembled(&longer));
            let mut shorter = whole.clone();
            shorter[index].1.pop();
            rejected(&assembled(&shorter));
            let mut twice = whole.clone();
            twice.insert(index, whole[index].clone());
            rejected(&assembled(&twice));
            if index > 0 {
                let mut swapped = whole.clone();
                swapped.swap(index - 1, index);
                rejected(&assembled(&swapped));
            }
            for (id, size) in [(whole[index].0, whole[index].1.len() - 1), (whole[index].0, whole[index].1.len() + 1)] {
                let mut bytes = assembled(&whole[..index]);
                bytes.push(id);
                leb(&mut bytes, size as u64);
                bytes.extend_from_slice(&whole[index].1);
                bytes.extend_from_slice(&assembled(&whole[index + 1..])[8..]);
                rejected(&bytes);
            }
        }
    }
}

#[test]
fn functions_and_bodies_must_be_as_many() {
    // D06
    let types = section(1, &[1, 0x60, 0, 0]);
    let bodies = |count: u8| section(10, &[&[count][..], &[2, 0, 0x0b].repeat(count.into())].concat());
    let functions = |count: u8| section(3, &[&[count][..], &vec![0; count.into()]].concat());
    assert!(Artifact::prepare(&module(&[types.clone(), functions(2), bodies(2)]), Set::Candidate).is_ok());
    rejected(&module(&[types.clone(), functions(2), bodies(1)]));
    rejected(&module(&[types.clone(), functions(1), bodies(2)]));
    rejected(&module(&[types.clone(), functions(1)]));
    rejected(&module(&[types.clone(), bodies(1)]));
    let start = section(8, &[0]);
    assert!(
        Artifact::prepare(&module(&[types.clone(), functions(1), start.clone(), bodies(1)]), Set::Candidate).is_ok()
    );
    rejected(&module(&[types, functions(1), start.clone(), start, bodies(1)]));
}

// ---- numbers ----------------------------------------------------------------------------------------------

/// How the number under test is written; all others are written as short as can be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spelling {
    /// In as many bytes as are allowed.
    Padded,
    /// In one byte more.
    TooLong,
    /// In as many bytes as are allowed, but with a bit set beyond the number's own.
    TooLarge,
    /// As 2^32 - 1: only where a vector's length stands.
    Enormous,
}

/// Writes a module and counts its numbers; the one at `chosen` is spelled specially.
struct Writer {
    out: Vec<u8>,
    numbers: usize,
    chosen: usize,
    spelling: Spelling,
    /// True if the chosen number is the length of a vector.
    was_length: bool,
}

impl Writer {
    fn number(&mut self, value: u64, bits: usize, is_length: bool) {
        let chosen = self.numbers == self.chosen;
        self.numbers += 1;
        if !chosen {
            return leb(&mut self.out, value);
        }
        self.was_length = is_length;
        let most = bits.div_ceil(7);
        let mut bytes = Vec::new();
        match self.spelling {
            Spelling::Enormous => leb(&mut bytes, u32::MAX.into()),
            spelling => {
                let length = if spelling == Spelling::TooLong { most + 1 } else { most };
                bytes.extend(
                    (0..length).map(|index| (value.checked_shr(7 * index as u32).unwrap_or(0) & 0x7f) as u8 | 0x80),
                );
                bytes[length - 1] &= 0x7f;
                if spelling == Spelling::TooLarge {
                    bytes[length - 1] |= 0x40;
                }
            }
        }
        self.out.extend(bytes);
    }

    /// An index or a size; nonnegative signed numbers are written alike.
    fn plain(&mut self, value: u64) {
        self.number(value, 32, false);
    }

    fn length(&mut self, value: u64) {
        self.number(value, 32, true);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    fn name(&mut self, name: &str) {
        self.length(name.len() as u64);
        self.bytes(name.as_bytes());
    }

    /// Writes `content` with its size before it.
    fn sized(&mut self, content: impl FnOnce(&mut Writer)) {
        let mut inner = Writer { out: Vec::new(), numbers: self.numbers + 1, ..*self };
        content(&mut inner);
        let size = inner.out.len() as u64;
        self.length(size);
        self.bytes(&inner.out);
        (self.numbers, self.was_length) = (inner.numbers, self.was_length || inner.was_length);
    }

    fn section(&mut self, id: u8, content: impl FnOnce(&mut Writer)) {
        self.bytes(&[id]);
        self.sized(content);
    }
}

/// A module with a number in every place there is one.
fn module_of_numbers(chosen: usize, spelling: Spelling) -> Writer {
    let mut writer = Writer { out: b"\0asm\x01\0\0\0".to_vec(), numbers: 0, chosen, spelling, was_length: false };
    writer.section(1, |w| {
        w.length(2);
        w.bytes(&[0x60]);
        w.length(0);
        w.length(0);
        w.bytes(&[0x60]);
        w.length(1);
        w.bytes(&[0x7f]);
        w.length(1);
        w.bytes(&[0x7f]);
    });
    writer.section(2, |w| {
        w.length(1);
        w.name("h");
        w.name("f");
        w.bytes(&[0]);
        w.plain(0);
    });
    writer.section(3, |w| {
        w.length(2);
        w.plain(1);
        w.plain(0);
    });
    writer.section(4, |w| {
        w.length(1);
        w.bytes(&[0x70, 1]);
        w.plain(4);
        w.plain(9);
    });
    writer.section(5, |w| {
        w.length(1);
        w.bytes(&[1]);
        w.plain(1);
        w.plain(2);
    });
    writer.section(6, |w| {
        w.length(2);
        w.bytes(&[0x7f, 1, 0x41]);
        w.plain(5);
        w.bytes(&[0x0b, 0x7e, 1, 0x42]);
        w.number(5, 64, false);
        w.bytes(&[0x0b]);
    });
    writer.section(7, |w| {
        w.length(1);
        w.name("f");
        w.bytes(&[0]);
        w.plain(1);
    });
    writer.section(8, |w| w.plain(2));
    writer.section(9, |w| {
        w.length(2);
        w.plain(0);
        w.bytes(&[0x41]);
        w.plain(1);
        w.bytes(&[0x0b]);
        w.length(2);
        w.plain(1);
        w.plain(2);
        w.plain(1);
        w.bytes(&[0]);
        w.length(1);
        w.plain(1);
    });
    writer.section(12, |w| w.plain(2));
    writer.section(10, |w| {
        w.length(2);
        w.sized(body_of_numbers);
        w.sized(|w| {
            w.length(0);
            w.bytes(&[0x0b]);
        });
    });
    writer.section(11, |w| {
        w.length(2);
        w.plain(0);
        w.bytes(&[0x41]);
        w.plain(3);
        w.bytes(&[0x0b]);
        w.name("xyz");
        w.plain(1);
        w.name("x");
    });
    writer
}

/// The body of a function from i32 to i32.
fn body_of_numbers(w: &mut Writer) {
    let operator = |w: &mut Writer, code: &[u8], numbers: &[u64]| {
        w.bytes(code);
        numbers.iter().for_each(|number| w.plain(*number));
    };
    w.length(1);
    w.plain(2);
    w.bytes(&[0x7e]);
    operator(w, &[0x20], &[0]); // local.get
    operator(w, &[0x21], &[0]); // local.set
    operator(w, &[0x41], &[9]); // i32.const
    operator(w, &[0x22], &[0]); // local.tee
    operator(w, &[0x28], &[2, 5]); // i32.load align offset
    operator(w, &[0x24], &[0]); // global.set
    operator(w, &[0x23], &[0]); // global.get
    w.bytes(&[0x02]); // block of type 1
    w.number(1, 33, false);
    operator(w, &[0x41], &[1]);
    operator(w, &[0x0d], &[0]); // br_if
    w.bytes(&[0x0b, 0x1a]);
    w.bytes(&[0x02, 0x40]); // block: br_table
    w.bytes(&[0x41]);
    w.plain(0);
    w.bytes(&[0x0e]);
    w.length(1);
    w.plain(0);
    w.plain(0);
    w.bytes(&[0x0b]);
    operator(w, &[0x10], &[0]); // call
    operator(w, &[0x41], &[3]);
    operator(w, &[0x41], &[0]);
    operator(w, &[0x11], &[1, 0]); // call_indirect
    w.bytes(&[0x1a]);
    for (code, numbers) in [(8, &[1, 0][..]), (10, &[0, 0]), (11, &[0]), (12, &[1, 0]), (14, &[0, 0])] {
        (0..3).for_each(|_| operator(w, &[0x41], &[0]));
        w.bytes(&[0xfc]);
        w.plain(code);
        // Memory and table indices that must be a single zero byte are no numbers.
        numbers.iter().for_each(|number| w.plain(*number));
    }
    w.bytes(&[0xd2]); // ref.func
    w.plain(1);
    w.bytes(&[0x1a, 0x20]);
    w.plain(0);
    w.bytes(&[0x0b]);
}

fn numbers() -> usize {
    module_of_numbers(usize::MAX, Spelling::Padded).numbers
}

#[test]
fn numbers_in_more_bytes_than_allowed_are_refused_wherever_they_stand() {
    // D05
    loads_in_both(&module_of_numbers(usize::MAX, Spelling::Padded).out);
    assert!(numbers() > 100);
    for chosen in 0..numbers() {
        rejected(&module_of_numbers(chosen, Spelling::TooLong).out);
        rejected(&module_of_numbers(chosen, Spelling::TooLarge).out);
    }
}

#[test]
fn numbers_in_as_many_bytes_as_allowed_are_accepted_in_both_tiers() {
    let mut accepted = 0;
    for chosen in 0..numbers() {
        let padded = module_of_numbers(chosen, Spelling::Padded).out;
        assert_eq!(Artifact::prepare(&padded, Set::Candidate).is_ok(), is_valid(&padded), "number {chosen}");
        if is_valid(&padded) {
            loads_in_both(&padded);
            accepted += 1;
        }
    }
    assert!(accepted > numbers() / 2, "{accepted} of {} numbers may be padded", numbers());
}

#[test]
fn a_length_of_four_billion_is_refused_in_every_vector() {
    // D07: and nobody makes room for what they announce.
    let mut lengths = 0;
    for chosen in 0..numbers() {
        let module = module_of_numbers(chosen, Spelling::Enormous);
        if module.was_length {
            let before = large_pieces();
            rejected(&module.out);
            assert_eq!(large_pieces(), before, "number {chosen}");
            lengths += 1;
        }
    }
    assert!(lengths > 25, "{lengths}");
    let before = large_pieces();
    drop(std::hint::black_box(Vec::<u8>::with_capacity(LARGE)));
    assert_eq!(large_pieces(), before + 1);
}

// ---- bounds -----------------------------------------------------------------------------------------------

fn times(count: u64, text: &str) -> String {
    text.repeat(count as usize)
}

/// A module in which the bound's quantity is `amount`, long enough not to be dense in anything.
fn with(bound: &Bound, amount: u64) -> Vec<u8> {
    let long = if amount <= bound.candidate + 1 { 4 << 20 } else { 32 << 20 };
    let text = match bound.name {
        "types" => format!("(module {})", times(amount, "(type (func (param i32)))")),
        "parameters" => format!("(module (func (param {})))", times(amount, "i32 ")),
        "results" => format!("(module (func (result {}) unreachable))", times(amount, "i64 ")),
        "imports" => format!("(module {})", times(amount, r#"(import "h" "f" (func))"#)),
        "functions" => format!("(module {})", times(amount, "(func)")),
        "tables" => format!("(module {})", times(amount, "(table 1 funcref)")),
        "table_minimum" => format!("(module (table {} funcref) (table {} funcref))", amount / 2, amount - amount / 2),
        "memory_minimum" => format!("(module (memory {amount}))"),
        "globals" => format!("(module {})", times(amount, "(global i32 (i32.const 0))")),
        "exports" => format!(
            "(module (func $f) {})",
            (0..amount).map(|index| format!(r#"(export "{index}" (func $f))"#)).collect::<String>()
        ),
        "name_bytes" => format!(r#"(module (func (export "{}")))"#, times(amount, "n")),
        "element_segments" => format!("(module (func $f) {})", times(amount, "(elem func $f)")),
        "elements" => format!(
            "(module (func $f) (elem func {}) (elem func {}))",
            times(amount / 2, "$f "),
            times(amount - amount / 2, "$f ")
        ),
        "constant_operators" => {
            // A constant, and two operators for each addition: the number is odd.
            format!("(module (global i32 (i32.const 0) {}))", times(amount / 2, "(i32.const 1) i32.add "))
        }
        "data_segments" => format!("(module (memory 1) {})", times(amount, r#"(data (i32.const 0) "x")"#)),
        // Two bytes are the number of locals and the final `end`.
        "body_bytes" => format!("(module (func {}))", times(amount - 2, "nop ")),
        "locals" => format!("(module (func (local {})))", times(amount, "i64 ")),
        "nesting" => format!("(module (func {}{}))", times(amount, "(block "), times(amount, ")")),
        "operands" => format!("(module (func {} {}))", times(amount, "(i64.const 1)"), times(amount, "drop ")),
        "branch_targets" => format!("(module (func (block (br_table {} 0 (i32.const 0)))))", times(amount - 1, "0 ")),
        // The function's first, and one behind each block; the last is behind the function's own end.
        "blocks" => format!("(module (func {}))", times(amount - 2, "(block)")),
        other => panic!("no module is made for the bound {other}"),
    };
    padded(&wasm(&text), long)
}

/// Modules that each have more of one thing than their bytes pay for, and what the message then names.
fn dense() -> Vec<(&'static str, Vec<u8>)> {
    let all = times(64, "i32 ");
    let carrying = format!(
        "(module (func $f (param {all}) (result {all}) unreachable) (func {} {} {}))",
        times(64, "(i32.const 1)"),
        times(1_000, "(call $f)"),
        times(64, "drop ")
    );
    let expensive = |count, code: &str| format!("(module (memory 1) (func (local i64) {}))", times(count, code));
    let chained = format!("(local.get 0) {} (local.set 0)", times(2_000, "(i64.const 3) i64.sub "));
    vec![
        ("functions", format!("(module {})", times(2_000, "(func)"))),
        ("function types", format!("(module {})", times(2_000, "(type (func))"))),
        (
            "parameters and results of functions",
            format!("(module {})", times(200, &format!("(func (param {all}) (result {all}) unreachable)"))),
        ),
        ("globals", format!("(module {})", times(4_000, "(global (mut i64) (i64.const 0))"))),
        ("element entries", format!("(module (func $f) (elem func {}))", times(9_000, "$f "))),
        ("data segments", format!("(module (memory 1) {})", times(2_000, r#"(data (i32.const 0) "")"#))),
        ("basic blocks and expensive operators", expensive(8_000, "(block)")),
        (
            "basic blocks and expensive operators",
            expensive(4_000, "(memory.fill (i32.const 0) (i32.const 0) (i32.const 0))"),
        ),
        ("basic blocks and expensive operators", expensive(4, &chained)),
        ("calls, and values carried by calls and branches", carrying),
        (
            "calls, and values carried by calls and branches",
            format!(
                "(module (func $f (param i32) (result i32) (local.get 0)) (func (result i32) (i32.const 0) {}))",
                times(8_500, "(call $f)")
            ),
        ),
        (
            "locals that are set before branches to one place",
            format!(
                "(module (func (local {}) (block {})))",
                times(100, "i64 "),
                (0..100)
                    .map(|local| format!("(br_if 0 (i32.const 0)) (local.set {local} (i64.const 1))"))
                    .collect::<String>()
            ),
        ),
        (
            "locals alive in many blocks",
            format!("(module (func (local {}) {}))", times(2_000, "i64 "), times(400, "(loop)")),
        ),
    ]
    .into_iter()
    .map(|(name, text)| (name, wasm(&text)))
    .collect()
}

/// A module dense in one thing may weigh as many points as it has bytes, and the free ones.
fn load_points_are_met_and_exceeded(set: Set) {
    let begin = "the module exceeds the bound load_points: ";
    let free = bounds::load_points.max(set);
    // Values that only the compiler arranges have no price for programs.
    let priced = |name: &str| set == Set::Candidate || !name.starts_with("locals ");
    for (name, module) in dense().into_iter().filter(|(name, _)| priced(name)) {
        let message = rejected_by(set, &module);
        let points = message.strip_prefix(begin).and_then(|rest| rest.split(' ').next()?.parse::<u64>().ok());
        let points = points.unwrap_or_else(|| panic!("{message}"));
        assert!(message.contains(&format!("of them for {name} (")), "{message}");
        // So many bytes are just enough; custom sections count. What is refused half-way is not all there is.
        let mut enough = (points - free) as usize;
        while let Err(failure) = Artifact::prepare(&padded(&module, enough), set) {
            let rest = failure.message.strip_prefix(begin).unwrap_or_else(|| panic!("{}", failure.message));
            let points: u64 = rest.split(' ').next().and_then(|number| number.parse().ok()).expect("a number");
            assert!(points - free > enough as u64, "{}", failure.message);
            enough = (points - free) as usize;
        }
        loads_in(&TIERS, set, &padded(&module, enough));
        assert!(rejected_by(set, &padded(&module, enough - 1)).starts_with(begin), "{name}");
    }
}

/// Each of these has its price whether or not a module can be dense in it alone: prices add up.
#[test]
fn whatever_takes_time_to_load_has_its_price() {
    let (field, code) = (|text: &str| text.to_string(), |text: &str| format!("(func {text})"));
    let function = 48 + 2 * 6; // with the block it starts and the one behind its end
    let copy = "(memory.copy (i32.const 0) (i32.const 0) (i32.const 0))";
    let fill = "(memory.fill (i32.const 0) (i32.const 0) (i32.const 0))";
    let init = "(memory.init $d (i32.const 0) (i32.const 0) (i32.const 0))";
    let cases = [
        (field(r#"(import "h" "f" (func))"#), 6),
        (field(r#"(export "NUMBER" (func $f))"#), 6),
        (field("(global i32 (i32.const 0))"), 4 + 2),
        (field("(global (mut i32) (i32.const 0))"), 10 + 2),
        (field("(global (mut funcref) (ref.null func))"), 10 + 2),
        (field("(global i32 (i32.add (i32.const 0) (i32.const 0)))"), 4 + 3 * 2),
        (field("(elem func)"), 6),
        (field("(elem func $f $f)"), 6 + 2 * 8),
        (field(r#"(data "")"#), 24),
        (field(r#"(data (i32.const 0) "")"#), 24 + 2),
        (code("(block)"), function + 6),
        (code("(loop)"), function + 3 * 6),
        (code("(i32.const 0) (block (param i32) drop)"), function + 3 * 6 + 1),
        (code("(block (result i32) (br_if 0 (i32.const 0) (i32.const 0))) drop"), function + 3 * 6 + 1),
        (code("unreachable"), function + 6),
        (code("(call $f)"), function + 2),
        (code("(call_indirect (i32.const 0))"), function + 4 * 6 + 2),
        (code("(call $f) (loop)"), function + 3 * 6 + 2),
        (code("(drop (memory.grow (i32.const 0)))"), function + 5 * 6),
        (code(copy), function + 9 * 6),
        (code(fill), function + 9 * 6),
        (code(init), function + 9 * 6),
    ];
    for (text, price) in cases {
        let points = |count: usize| {
            let fields: String = (0..count).map(|index| text.replace("NUMBER", &index.to_string())).collect();
            let imports_first = if text.contains("import") { (fields.as_str(), "") } else { ("", fields.as_str()) };
            let (before, behind) = imports_first;
            let types = "(type (func)) (type (func (param i32)))";
            let text =
                format!(r#"(module {types} {before} (memory 1) (table 1 funcref) (data $d "") (func $f) {behind})"#);
            prepare(&wasm(&text)).module.load_points
        };
        assert_eq!(points(11) - points(1), 10 * price, "{text}");
    }
}

/// These take the compiler some seconds.
const SLOW: &[&str] = &["functions"];
/// These do where a program has as many as it may: only the compiler may take long for programs.
const SLOW_FOR_PROGRAMS: &[&str] = &["functions", "imports", "exports", "branch_targets", "blocks"];

fn is_met_and_exceeded(bound: &Bound, set: Set) {
    let most = bound.max(set);
    let slow = if set == Set::Candidate { SLOW } else { SLOW_FOR_PROGRAMS };
    let tiers = if slow.contains(&bound.name) { &TIERS[..1] } else { &TIERS };
    loads_in(tiers, set, &with(bound, most));
    let message = rejected_by(set, &with(bound, most + 1));
    let begin = format!("the module exceeds the bound {}: {} where {most} is the most", bound.name, most + 1);
    assert!(message.starts_with(&begin) || bound.name == "constant_operators", "{}: {message}", bound.name);
    assert!(message.starts_with(&begin[..begin.find(':').unwrap_or(0)]), "{}: {message}", bound.name);
    let allowed = set == Set::Candidate && most < bound.program;
    assert_eq!(message.contains("; the bounds of the set program allow "), allowed, "{message}");
}

#[test]
fn every_bound_may_be_met_and_not_exceeded() {
    // hostile C02
    for bound in bounds::ALL {
        match bound.name {
            "load_points" => load_points_are_met_and_exceeded(Set::Candidate),
            _ => is_met_and_exceeded(bound, Set::Candidate),
        }
    }
}

#[test]
fn every_bound_of_programs_may_be_met_and_not_exceeded() {
    // hostile C02
    for bound in bounds::ALL {
        match bound.name {
            "load_points" => load_points_are_met_and_exceeded(Set::Program),
            _ => is_met_and_exceeded(bound, Set::Program),
        }
    }
}

/// Declarations that one set has accepted are no reason for the other to accept them.
#[test]
fn a_module_is_held_to_its_own_set_whatever_was_checked_before() {
    let deep = with(&bounds::nesting, bounds::nesting.program);
    prepare_by(Set::Program, &deep);
    assert!(rejected(&deep).starts_with("the module exceeds the bound nesting: "));
    let large = wasm("(module (memory 2000) (func))");
    prepare_by(Set::Program, &large);
    assert!(rejected(&large).starts_with("the module exceeds the bound memory_minimum: "));
    prepare_by(Set::Program, &large);
}

#[test]
#[ignore = "takes the compiler some seconds"]
fn the_slow_bounds_may_be_met_in_the_compiled_tier_too() {
    bounds::ALL
        .iter()
        .filter(|bound| SLOW.contains(&bound.name))
        .for_each(|bound| loads_in_both(&with(bound, bound.candidate)));
}

#[test]
fn a_loop_counts_as_several_levels_of_nesting_while_it_is_open() {
    let nested = |count: u64| wasm(&format!("(module (func {}{}))", times(count, "(loop "), times(count, ")")));
    let in_a_row = format!("(module (func {}))", times(1_000, "(loop)"));
    let most = bounds::nesting.candidate / u64::from(bounds::LOOP_LEVELS);
    loads_in_both(&nested(most));
    loads_in_both(&wasm(&in_a_row));
    assert!(rejected(&nested(most + 1)).starts_with("the module exceeds the bound nesting: "));
}

#[test]
fn deep_nesting_is_refused_by_name() {
    // hostile C03
    for (count, open) in [(10_000, "(block "), (10_000, "(if (i32.const 1) (then "), (1_000, "(loop ")] {
        // Text that deep is not parsed either: the bytes are made by hand.
        let code: &[u8] = match open {
            "(block " => &[0x02, 0x40],
            "(loop " => &[0x03, 0x40],
            _ => &[0x41, 1, 0x04, 0x40],
        };
        let body = [&[0][..], &code.repeat(count), &vec![0x0b; count + 1]].concat();
        let mut bodies = vec![1];
        leb(&mut bodies, body.len() as u64);
        bodies.extend(body);
        let message = rejected(&module(&[section(1, &[1, 0x60, 0, 0]), section(3, &[1, 0]), section(10, &bodies)]));
        assert!(message.starts_with("the module exceeds the bound nesting: "), "{message}");
    }
}

#[test]
fn a_br_table_of_a_million_targets_is_refused() {
    // hostile C07
    let mut body = vec![0, 0x41, 0, 0x0e];
    leb(&mut body, 1_000_000);
    body.extend(vec![0; 1_000_001]);
    body.extend([0x0b, 0x0b]);
    let mut bodies = vec![1];
    leb(&mut bodies, body.len() as u64);
    bodies.extend(body);
    let message = rejected(&module(&[section(1, &[1, 0x60, 0, 0]), section(3, &[1, 0]), section(10, &bodies)]));
    assert!(message.starts_with("the module exceeds the bound "), "{message}");
}

#[test]
fn minimums_that_nobody_could_have_are_refused() {
    // hostile B03 hostile B04 hostile B07
    for (text, bound) in
        [("(module (memory 65536))", "memory_minimum"), ("(module (table 4294967295 funcref))", "table_minimum")]
    {
        assert!(rejected(&wasm(text)).contains(bound), "{text}");
    }
    assert!(rejected(&with(&bounds::data_segments, 50_000)).contains("data_segments"));
    assert!(rejected(&with(&bounds::elements, 1_000_000)).contains("elements"));
}

// ---- names ------------------------------------------------------------------------------------------------

/// A module whose one function traps, with this content of a name section.
fn named(content: &[u8]) -> Vec<u8> {
    let custom = section(0, &[&[4][..], b"name", content].concat());
    module(&[
        section(1, &[1, 0x60, 0, 0]),
        section(3, &[1, 0]),
        section(7, &[1, 1, b'f', 0, 0]),
        section(10, &[1, 3, 0, 0, 0x0b]),
        custom,
    ])
}

fn function_names(entries: &[u8]) -> Vec<u8> {
    section(1, entries)
}

#[test]
fn a_bad_name_section_is_no_reason_to_refuse() {
    // hostile C09
    let long = {
        let mut entries = vec![1, 0];
        leb(&mut entries, 100_000);
        entries.extend(vec![b'n'; 100_000]);
        entries
    };
    let cases = [
        ("a good one", function_names(&[1, 0, 2, b'o', b'k']), Some(&b"ok"[..])),
        ("bad UTF-8", function_names(&[1, 0, 2, 0xff, 0xfe]), None),
        ("a count that lies", function_names(&[200, 1, 0, 2, b'o', b'k']), Some(b"ok")),
        ("an enormous count", function_names(&[0xff, 0xff, 0xff, 0xff, 0x0f]), None),
        ("a length that lies", function_names(&[1, 0, 100, b'o', b'k']), None),
        ("a size that lies", vec![1, 100, 1, 0], None),
        ("an unknown part", vec![99, 1, 0], None),
        ("nothing", vec![], None),
        ("a function that is not there", function_names(&[1, 7, 2, b'o', b'k']), None),
    ];
    for (case, content, expected) in cases {
        let wasm = named(&content);
        loads_in_both(&wasm);
        let artifact = prepare(&wasm);
        assert_eq!(artifact.function_name(0), expected, "{case}");
    }
    let artifact = prepare(&named(&function_names(&long)));
    assert!(artifact.function_name(0).is_none_or(|name| name.len() == 100_000));
    assert!(artifact.module.exports.iter().all(|export| export.kind == Extern::Function));
}
