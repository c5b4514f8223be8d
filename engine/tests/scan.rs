//! Findings of the scan, and what it may never claim. P11

use crate::support::random::Random;
use crate::support::*;
use petri_engine::guest::EndKind;
use petri_engine::scan::{Finding, FindingKind, Scan, Severity, scan};
use wasmparser::{Operator, Parser, Payload};

fn scan_of(wasm: &[u8]) -> Scan {
    scan(&prepare(wasm), 1_000).unwrap_or_else(|failure| panic!("{}", failure.message))
}

fn findings(text: &str, kind: FindingKind) -> Vec<Finding> {
    scan_of(&wasm(text)).findings.into_iter().filter(|finding| finding.kind == kind).collect()
}

/// The severities of the endless loops in a function of this body, in the order of their places.
fn endless(body: &str) -> Vec<Severity> {
    let text = format!(
        "(module (memory 1) (table 1 funcref) (type $void (func)) (func $f) (func (param $p i32) (result i32) (local $f f64) {body} (i32.const 0)))"
    );
    let mut found = findings(&text, FindingKind::EndlessLoop);
    found.sort_by_key(|finding| finding.offset);
    found.iter().map(|finding| finding.severity).collect()
}

// ---- loops without exit -----------------------------------------------------------------------------------

#[test]
fn a_loop_is_endless_when_no_way_leads_out_of_it() {
    for body in [
        "(loop (br 0))",
        "(loop (nop) (br 0))",
        "(loop (br_if 0 (local.get $p)) (br 0))",
        "(loop (block (br_if 0 (local.get $p)) (local.set $p (i32.const 1))) (br 0))",
        "(loop (if (local.get $p) (then (br 1)) (else (br 1))))",
        "(loop (if (local.get $p) (then (nop))) (br 0))",
        "(loop (block (block (br_table 0 1 2 (local.get $p)))) (br 0))",
        "(loop (br_table 0 0 (local.get $p)))",
        "(loop (result i32) (br 0)) (drop)",
        "(block (loop (br 0)))",
        "(loop (drop (memory.grow (i32.const 1))) (br 0))",
        "(loop (local.set $p (i32.trunc_sat_f64_s (local.get $f))) (br 0))",
    ] {
        assert_eq!(endless(body), [Severity::High], "{body}");
    }
}

#[test]
fn a_condition_that_is_written_there_is_no_way_out() {
    assert_eq!(endless("(loop (br_if 0 (i32.const 1)))"), [Severity::High]);
    assert_eq!(endless("(block (loop (br_if 1 (i32.const 0)) (br 0)))"), [Severity::High]);
    assert_eq!(endless("(loop (if (i32.const 0) (then (return (i32.const 1)))) (br 0))"), [Severity::High]);
    assert_eq!(endless("(loop (if (i32.const 7) (then (br 1)) (else (return (i32.const 1)))))"), [Severity::High]);
    assert_eq!(endless("(loop (br_if 0 (i32.const 0)))"), []);
    assert_eq!(endless("(block (loop (br_if 1 (i32.const 2)) (br 0)))"), []);
    assert_eq!(endless("(block (loop (if (i32.const 1) (then (br 2))) (br 0)))"), []);
    // Another operator in between, and the condition is no longer what is written there.
    assert_eq!(endless("(loop (i32.const 1) (i32.eqz) (br_if 0))"), []);
}

#[test]
fn every_way_out_counts() {
    for body in [
        "(loop)",
        "(loop (nop))",
        "(loop (br_if 0 (local.get $p)))",
        "(block (loop (br 1)))",
        "(block (loop (br_if 1 (local.get $p)) (br 0)))",
        "(block (loop (br_table 0 1 (local.get $p))))",
        "(block (loop (br_table 0 0 1 (local.get $p))))",
        "(block (loop (block (br_if 2 (local.get $p))) (br 0)))",
        "(loop (if (local.get $p) (then (br 1))))",
        "(loop (if (local.get $p) (then (br 1)) (else (nop))))",
        "(loop (if (local.get $p) (then (return (i32.const 1)))) (br 0))",
        "(loop (if (local.get $p) (then (unreachable))) (br 0))",
        "(loop (return (i32.const 1)))",
        "(loop (unreachable))",
        "(loop (call $f) (unreachable))",
        "(loop (br_if 3 (i32.const 1) (local.get $p)) (drop) (br 0))", // to the function's own label
    ] {
        let body = if body.contains("br_if 3") { format!("(block (block {body}))") } else { body.into() };
        assert_eq!(endless(&body), [], "{body}");
    }
}

#[test]
fn code_that_nothing_reaches_is_no_way_out_and_has_no_loops() {
    assert_eq!(endless("(loop (br 0) (return (i32.const 1)))"), [Severity::High]);
    assert_eq!(endless("(block (loop (br 0) (br 1)))"), [Severity::High]);
    assert_eq!(endless("(loop (loop (br 0)) (unreachable))"), [Severity::High]);
    assert_eq!(endless("(return (i32.const 1)) (loop (br 0))"), []);
    assert_eq!(endless("(block (br 0) (loop (br 0)))"), []);
    assert_eq!(endless("(loop (loop (br 0) (br 1)))"), [Severity::High]);
}

#[test]
fn loops_inside_each_other_are_told_apart() {
    assert_eq!(endless("(loop (loop (br 1)))"), [Severity::High]);
    assert_eq!(endless("(loop (loop (br_if 0 (local.get $p)) (br 1)))"), [Severity::High]);
    assert_eq!(endless("(loop (loop (br_if 1 (local.get $p)) (br 0)))"), [Severity::High]);
    assert_eq!(endless("(loop (br_if 0 (local.get $p)) (loop (br 0)))"), [Severity::High, Severity::High]);
    assert_eq!(endless("(block (loop (br_if 1 (local.get $p)) (loop (br 0))))"), [Severity::High]);
}

#[test]
fn what_could_end_an_endless_loop_makes_it_less_severe() {
    for trapping in [
        "(drop (i32.load (local.get $p)))",
        "(i64.store32 (local.get $p) (i64.const 1))",
        "(drop (i32.div_s (local.get $p) (local.get $p)))",
        "(drop (i64.rem_u (i64.const 1) (i64.const 2)))",
        "(drop (i32.trunc_f32_s (f32.const 1)))",
        "(drop (i64.trunc_f64_u (local.get $f)))",
        "(drop (table.get 0 (local.get $p)))",
        "(table.set 0 (local.get $p) (ref.null func))",
        "(memory.fill (local.get $p) (local.get $p) (local.get $p))",
        "(memory.copy (local.get $p) (local.get $p) (local.get $p))",
        "(table.fill 0 (local.get $p) (ref.null func) (local.get $p))",
        "(table.copy (local.get $p) (local.get $p) (local.get $p))",
        "(block (block (drop (f64.load (local.get $p)))))",
    ] {
        assert_eq!(endless(&format!("(loop {trapping} (br 0))")), [Severity::Medium], "{trapping}");
    }
    for harmless in [
        "(drop (i32.mul (local.get $p) (local.get $p)))",
        "(drop (f64.div (local.get $f) (local.get $f)))",
        "(drop (i64.trunc_sat_f64_s (local.get $f)))",
        "(drop (memory.size))",
        "(drop (table.size 0))",
        "(drop (i32.reinterpret_f32 (f32.demote_f64 (local.get $f))))",
    ] {
        assert_eq!(endless(&format!("(loop {harmless} (br 0))")), [Severity::High], "{harmless}");
    }
    assert_eq!(endless("(loop (call $f) (br 0))"), [Severity::Low]);
    assert_eq!(endless("(loop (call_indirect (type $void) (local.get $p)) (br 0))"), [Severity::Low]);
    // Code that is never reached ends nothing.
    assert_eq!(endless("(loop (br 0) (call $f))"), [Severity::High]);
}

/// Bodies of random control flow. Every loop leaves a mark when it is entered.
struct Maker {
    random: Random,
    loops: u32,
}

impl Maker {
    fn below(&mut self, limit: u64) -> u64 {
        self.random.below(limit)
    }

    fn condition(&mut self) -> String {
        match self.below(5) {
            0 => format!("(i32.const {})", self.below(2)),
            _ => "(call $coin)".into(),
        }
    }

    fn statements(&mut self, around: u64) -> String {
        let count = 1 + self.below(4);
        (0..count).map(|_| self.statement(around)).collect()
    }

    /// `around` labels can be branched to.
    fn statement(&mut self, around: u64) -> String {
        let kinds = if around < 7 { 11 } else { 7 };
        match self.below(kinds) {
            0 | 1 => format!("(br_if {} {})", self.below(around), self.condition()),
            2 | 3 => format!("(br {})", self.below(around)),
            4 => {
                format!("(br_table {} {} {} (call $coin))", self.below(around), self.below(around), self.below(around))
            }
            5 if self.below(6) == 0 => ["(return)", "(unreachable)"][self.below(2) as usize].into(),
            5 | 6 => "(nop)".into(),
            7 => format!("(block {})", self.statements(around + 1)),
            8 => format!("(if {} (then {}))", self.condition(), self.statements(around + 1)),
            9 => {
                let condition = self.condition();
                let then = self.statements(around + 1);
                format!("(if {condition} (then {then}) (else {}))", self.statements(around + 1))
            }
            _ => {
                let mark = 1u64 << (self.loops % 64);
                self.loops += 1;
                let inside = self.statements(around + 1);
                format!(
                    "(loop (global.set $entered (i64.or (global.get $entered) (i64.const {}))) {inside})",
                    mark as i64
                )
            }
        }
    }

    fn module(&mut self) -> String {
        self.loops = 0;
        let body = self.statements(1);
        format!(
            r#"(module (global $entered (export "entered") (mut i64) (i64.const 0)) (global $seed (mut i32) (i32.const 0))
            (func (export "f") (param i32) (global.set $seed (local.get 0)) (call $g))
            (func $coin (result i32)
                (global.set $seed (i32.add (i32.mul (global.get $seed) (i32.const 1103515245)) (i32.const 12345)))
                (i32.and (i32.shr_u (global.get $seed) (i32.const 16)) (i32.const 1)))
            (func $g {body}))"#
        )
    }
}

fn loop_places(wasm: &[u8]) -> Vec<usize> {
    let mut places = Vec::new();
    for payload in Parser::new(0).parse_all(wasm) {
        let Payload::CodeSectionEntry(body) = payload.expect("it was accepted") else { continue };
        for read in body.get_operators_reader().expect("it was accepted").into_iter_with_offsets() {
            if let (Operator::Loop { .. }, at) = read.expect("it was accepted") {
                places.push(at);
            }
        }
    }
    places
}

/// The claim itself, against an engine: who has entered a loop that is called endless neither returns nor comes to an
/// `unreachable`.
#[test]
fn no_run_leaves_a_loop_that_is_called_endless() {
    let mut maker = Maker { random: Random(1), loops: 0 };
    let (mut claimed, mut entered_and_left, mut entered_claimed) = (0, 0, 0);
    for _ in 0..6_000 {
        let text = maker.module();
        if maker.loops == 0 || maker.loops > 64 {
            continue;
        }
        let wasm = wasm(&text);
        let places = loop_places(&wasm);
        let claims = scan_of(&wasm).findings.into_iter().filter(|finding| finding.kind == FindingKind::EndlessLoop);
        let marks = claims.map(|claim| 1u64 << places.iter().position(|at| *at == claim.offset).expect("a loop"));
        let marks = marks.fold(0, |all, mark| all | mark);
        claimed += marks.count_ones();
        for seed in 1..5 {
            let mut guest = Guest::from_wasm(TIERS[0], &wasm, &[]);
            let answer = guest.call("f", &[seed * 7_919], fuel(5_000));
            let entered = guest.globals()[0].expect("it is exported");
            let left = answer.kind() != EndKind::OutOfFuel;
            assert!(
                !left || entered & marks == 0,
                "{:?} after entering {:#x} of {marks:#x}: {text}",
                answer.end,
                entered
            );
            entered_and_left += u32::from(left && entered != 0);
            entered_claimed += u32::from(entered & marks != 0);
        }
    }
    // It would mean little if nothing was claimed, or nothing was run.
    assert!(
        claimed > 300 && entered_and_left > 300 && entered_claimed > 300,
        "{claimed} {entered_and_left} {entered_claimed}"
    );
}

// ---- the rest ---------------------------------------------------------------------------------------------

#[test]
fn demands_have_their_size_and_place() {
    let wasm = wasm("(module (memory 1 2) (table 3 funcref))");
    let found = scan_of(&wasm).findings;
    let reported: Vec<_> = found.iter().map(|f| (f.kind, f.severity, f.offset, f.number)).collect();
    assert_eq!(
        reported,
        [(FindingKind::TableMinimum, Severity::Info, 11, 3), (FindingKind::MemoryMinimum, Severity::Info, 17, 65_536),]
    );
    assert_eq!(wasm[11], 0x70);
    assert_eq!(wasm[17..20], [1, 1, 2]);
}

#[test]
fn large_demands_are_more_severe() {
    for (pages, severity) in
        [(255, Severity::Info), (256, Severity::Low), (511, Severity::Low), (512, Severity::Medium)]
    {
        let found = findings(&format!("(module (memory {pages}))"), FindingKind::MemoryMinimum);
        assert_eq!((found[0].severity, found[0].number), (severity, pages * 65_536));
    }
    for (slots, severity) in
        [(4_095, Severity::Info), (4_096, Severity::Low), (32_767, Severity::Low), (32_768, Severity::Medium)]
    {
        let found = findings(&format!("(module (table {slots} funcref))"), FindingKind::TableMinimum);
        assert_eq!((found[0].severity, found[0].number), (severity, slots));
    }
    assert_eq!(findings("(module (memory 1))", FindingKind::MemoryUnbounded).len(), 1);
    assert_eq!(findings("(module (memory 1 65536))", FindingKind::MemoryUnbounded).len(), 0);
}

#[test]
fn start_and_indirect_calls_name_their_function() {
    let text = r#"(module (import "a" "b" (func)) (table 1 funcref) (type $t (func)) (func $none) (start $begin)
        (func $begin (call_indirect (type $t) (i32.const 0)) (call_indirect (type $t) (i32.const 0))))"#;
    let start = findings(text, FindingKind::StartFunction);
    assert_eq!((start[0].function, start[0].severity), (Some(2), Severity::Low));
    let indirect = findings(text, FindingKind::IndirectCalls);
    assert_eq!((indirect.len(), indirect[0].function, indirect[0].number), (1, Some(2), 2));
    assert_eq!(wasm(text)[indirect[0].offset], 0x11);
}

#[test]
fn a_function_is_large_from_sixteen_kibibytes_on() {
    let sized = |nops: usize| findings(&format!("(module (func {}))", "nop ".repeat(nops)), FindingKind::LargeFunction);
    // A body also has its count of locals and its end.
    assert!(sized((16 << 10) - 3).is_empty());
    let found = sized((16 << 10) - 2);
    assert_eq!((found[0].number, found[0].severity, found[0].function), (16 << 10, Severity::Low, Some(0)));
}

#[test]
fn sections_and_data_are_judged_by_size() {
    let custom = |name: &str, bytes: usize| {
        let content = [&[name.len() as u8], name.as_bytes(), &vec![0; bytes - 1 - name.len()]].concat();
        let wasm = module(&[section(0, &content)]);
        let found = scan_of(&wasm).findings;
        found.iter().map(|f| (f.kind, f.severity, f.number, wasm[f.name.clone()].to_vec())).collect::<Vec<_>>()
    };
    let own = |severity, bytes| vec![(FindingKind::CustomSection, severity, bytes, b"own".to_vec())];
    assert_eq!(custom("own", 100), own(Severity::Info, 100));
    assert_eq!(custom("own", 65_535), own(Severity::Info, 65_535));
    assert_eq!(custom("own", 65_536), own(Severity::Low, 65_536));
    assert_eq!(custom("producers", 100), []);
    assert_eq!(custom("producers", 65_536)[0].0, FindingKind::CustomSection);
    assert_eq!(custom(".debug_info", 100)[0].0, FindingKind::DebugInformation);
    assert_eq!(custom("sourceMappingURL", 100)[0].0, FindingKind::DebugInformation);

    let data = |bytes: usize| {
        findings(
            &format!(r#"(module (memory 2) (data (i32.const 0) "{}"))"#, "x".repeat(bytes)),
            FindingKind::LargeData,
        )
    };
    assert!(data(65_535).is_empty());
    assert_eq!((data(65_536)[0].number, data(65_536)[0].severity), (65_536, Severity::Low));
}

#[test]
fn the_most_severe_are_kept_and_all_are_counted() {
    let quiet = "(func (call_indirect (type $t) (i32.const 0)))".repeat(50);
    let text = format!("(module (type $t (func)) (table 1 funcref) {quiet} (func (loop (br 0))) (func (loop (br 0))))");
    let artifact = prepare(&wasm(&text));
    let kept = |max| {
        let scan = scan(&artifact, max).expect("it was accepted");
        assert_eq!(scan.counts, [51, 0, 0, 2]);
        scan.findings.iter().map(|finding| finding.severity).collect::<Vec<_>>()
    };
    assert_eq!(kept(1), [Severity::High]);
    assert_eq!(kept(3), [Severity::High, Severity::High, Severity::Info]);
    assert_eq!(kept(53).len(), 53);
    assert_eq!(kept(1_000).len(), 53);
    assert_eq!(kept(0), []);
}

/// Branches to far labels, and tables of them, cost no more than their bytes.
#[test]
fn the_work_is_no_more_than_the_bytes() {
    let nested = |inside: &str, depth: usize| {
        format!("(module (func (param i32) {} {inside} {}))", "block ".repeat(depth), "end ".repeat(depth))
    };
    for inside in ["local.get 0 br_if 500 ".repeat(2_000), "local.get 0 br_table 500 500 500 500 500 ".to_string()] {
        let wasm = wasm(&nested(&inside, 500));
        let steps = scan_of(&wasm).steps;
        assert!(steps as usize <= wasm.len() && steps as usize > wasm.len() / 5, "{steps} of {}", wasm.len());
    }
}
