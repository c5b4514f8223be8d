//! Actions that a module could take, read from its wasm: its demands, its sections, the flow of control. Names of
//! functions and the content of data are never looked at; of a custom section the name is all that says what it is for.

use wasmparser::{FunctionBody, Parser, Payload};

use crate::artifact::{Artifact, PAGE, Span, span_of};
use crate::endless::{CALLS, Endless, Endlessness, TRAPS};
use crate::failure::Result;
use crate::features;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum FindingKind {
    MemoryMinimum = 0,
    MemoryUnbounded = 1,
    TableMinimum = 2,
    StartFunction = 3,
    EndlessLoop = 4,
    IndirectCalls = 5,
    LargeFunction = 6,
    CustomSection = 7,
    DebugInformation = 8,
    LargeData = 9,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub enum Severity {
    Info = 0,
    Low = 1,
    Medium = 2,
    High = 3,
}

pub const SEVERITIES: usize = 4;

#[derive(Debug, Clone)]
pub struct Finding {
    pub kind: FindingKind,
    pub severity: Severity,
    pub function: Option<u32>,
    /// In the module as sent.
    pub offset: usize,
    /// Bytes, slots or calls, as the kind has it.
    pub number: u64,
    /// The name of a custom section.
    pub name: Span,
}

/// How large is worth reporting.
const MEMORY_LOW: u64 = 16 << 20;
const MEMORY_MEDIUM: u64 = 32 << 20;
const TABLE_LOW: u64 = 4_096;
const TABLE_MEDIUM: u64 = 32_768;
const FUNCTION_LOW: u64 = 16 << 10;
const SECTION_LOW: u64 = 64 << 10;
const DATA_LOW: u64 = 64 << 10;

/// Nearly every compiler writes these.
const ORDINARY_SECTIONS: [&str; 3] = ["name", "producers", "target_features"];
const DEBUG_SECTIONS: [&str; 2] = ["sourceMappingURL", "external_debug_info"];

pub struct Scan {
    /// The most severe first, and of one severity the first that were found.
    pub findings: Vec<Finding>,
    /// How many there are of each severity, kept or not.
    pub counts: [u64; SEVERITIES],
    /// Operators and branch targets that were looked at.
    pub steps: u64,
}

/// Keeps the `max` most severe findings, so that no number of small ones hides a large one.
struct Kept {
    by_severity: [Vec<Finding>; SEVERITIES],
    counts: [u64; SEVERITIES],
    room: usize,
}

impl Kept {
    fn add(&mut self, finding: Finding) {
        let severity = finding.severity as usize;
        self.counts[severity] += 1;
        if self.room == 0 {
            let least = self.by_severity.iter().position(|list| !list.is_empty());
            match least {
                Some(least) if least < severity => drop(self.by_severity[least].pop()),
                _ => return,
            }
        } else {
            self.room -= 1;
        }
        self.by_severity[severity].push(finding);
    }
}

struct Scanner<'a> {
    wasm: &'a [u8],
    kept: Kept,
    endless: Endlessness,
    /// Index of the next body's function.
    function: u32,
}

/// Reads the whole module once.
pub fn scan(artifact: &Artifact, findings_max: usize) -> Result<Scan> {
    let mut scanner = Scanner {
        wasm: &artifact.wasm,
        kept: Kept { by_severity: Default::default(), counts: [0; SEVERITIES], room: findings_max },
        endless: Endlessness::default(),
        function: artifact.module.imported_functions,
    };
    let mut parser = Parser::new(0);
    parser.set_features(features::accepted());
    for payload in parser.parse_all(&artifact.wasm) {
        scanner.payload(&payload?)?;
    }
    let Scanner { kept, endless, .. } = scanner;
    let findings = kept.by_severity.into_iter().rev().flatten().collect();
    Ok(Scan { findings, counts: kept.counts, steps: endless.steps })
}

/// Info below `low`.
fn severity_of(number: u64, low: u64, medium: u64) -> Severity {
    match number {
        _ if number >= medium => Severity::Medium,
        _ if number >= low => Severity::Low,
        _ => Severity::Info,
    }
}

impl Scanner<'_> {
    fn add(&mut self, kind: FindingKind, severity: Severity, offset: usize, number: u64) {
        self.kept.add(Finding { kind, severity, function: None, offset, number, name: 0..0 });
    }

    fn add_in(&mut self, function: u32, kind: FindingKind, severity: Severity, offset: usize, number: u64) {
        self.kept.add(Finding { kind, severity, function: Some(function), offset, number, name: 0..0 });
    }

    fn payload(&mut self, payload: &Payload) -> Result<()> {
        match payload {
            Payload::TableSection(section) => {
                for table in section.clone().into_iter_with_offsets() {
                    let (offset, table) = table?;
                    let slots = table.ty.initial;
                    self.add(FindingKind::TableMinimum, severity_of(slots, TABLE_LOW, TABLE_MEDIUM), offset, slots);
                }
            }
            Payload::MemorySection(section) => {
                for memory in section.clone().into_iter_with_offsets() {
                    let (offset, memory) = memory?;
                    self.memory(offset, memory.initial * PAGE, memory.maximum);
                }
            }
            Payload::StartSection { func, range } => {
                self.add_in(*func, FindingKind::StartFunction, Severity::Low, range.start, 0)
            }
            Payload::DataSection(section) => {
                for data in section.clone() {
                    let data = data?;
                    let bytes = data.data.len() as u64;
                    if bytes >= DATA_LOW {
                        self.add(FindingKind::LargeData, Severity::Low, data.range.start, bytes);
                    }
                }
            }
            Payload::CustomSection(section) => self.custom(section.name(), section.range()),
            Payload::CodeSectionEntry(body) => self.body(body)?,
            _ => {}
        }
        Ok(())
    }

    fn memory(&mut self, offset: usize, bytes: u64, maximum: Option<u64>) {
        let severity = severity_of(bytes, MEMORY_LOW, MEMORY_MEDIUM);
        self.add(FindingKind::MemoryMinimum, severity, offset, bytes);
        if maximum.is_none() {
            self.add(FindingKind::MemoryUnbounded, Severity::Info, offset, bytes);
        }
    }

    fn custom(&mut self, name: &str, range: Span) {
        let bytes = range.len() as u64;
        let severity = severity_of(bytes, SECTION_LOW, u64::MAX);
        if severity == Severity::Info && ORDINARY_SECTIONS.contains(&name) {
            return;
        }
        let debug = name.starts_with(".debug_") || DEBUG_SECTIONS.contains(&name);
        let kind = if debug { FindingKind::DebugInformation } else { FindingKind::CustomSection };
        let name = span_of(self.wasm, name);
        self.kept.add(Finding { kind, severity, function: None, offset: range.start, number: bytes, name });
    }

    fn body(&mut self, body: &FunctionBody) -> Result<()> {
        let (function, range) = (self.function, body.range());
        self.function += 1;
        if range.len() as u64 >= FUNCTION_LOW {
            self.add_in(function, FindingKind::LargeFunction, Severity::Low, range.start, range.len() as u64);
        }
        let (mut indirect_calls, mut first_indirect) = (0, 0);
        self.endless.begin();
        let mut operators = body.get_operators_reader()?;
        while !operators.eof() {
            let (operator, at) = operators.read_with_offset()?;
            if matches!(operator, wasmparser::Operator::CallIndirect { .. }) {
                first_indirect = if indirect_calls == 0 { at } else { first_indirect };
                indirect_calls += 1;
            }
            if let Some(endless) = self.endless.step(&operator, self.wasm[at], at) {
                self.endless_loop(function, &endless);
            }
        }
        if indirect_calls > 0 {
            self.add_in(function, FindingKind::IndirectCalls, Severity::Info, first_indirect, indirect_calls);
        }
        Ok(())
    }

    /// The fewer ways there are to end it, the worse.
    fn endless_loop(&mut self, function: u32, endless: &Endless) {
        let severity = match endless.does {
            does if does & CALLS != 0 => Severity::Low,
            does if does & TRAPS != 0 => Severity::Medium,
            _ => Severity::High,
        };
        self.add_in(function, FindingKind::EndlessLoop, severity, endless.at, 0);
    }
}
