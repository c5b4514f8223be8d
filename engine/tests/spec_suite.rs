//! The official WebAssembly test suite (version 2.0 without SIMD, and extended constants) on metered modules, in both tiers.
//!
//! petri offers functions only; the directives that need more are left out by the rules of `Reason`, and `EXCLUDED` says
//! how many of each file that is, so that none slips away. Functions that one module of a script imports from another
//! are host functions here, which call the other. Modules with `externref`, which petri refuses, run with `funcref` in
//! its place: most of what they test is something else.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::ffi::c_void;
use std::rc::Rc;
use std::sync::Arc;

use crate::support::spec_files::{SpecFile, spec_files};
use crate::support::*;
use petri_engine::artifact::{Artifact, Extern, Kind};
use petri_engine::bounds::Set;
use petri_engine::code::{Code, Tier};
use petri_engine::failure::Status;
use petri_engine::guest::{EndKind, Trap};
use petri_engine::raw::{Caller, Host, HostFunction};
use wast::core::{NanPattern, WastArgCore, WastRetCore};
use wast::lexer::Lexer;
use wast::parser::{ParseBuffer, parse};
use wast::token::Id;
use wast::{QuoteWat, QuoteWatTest, Wast, WastArg, WastDirective, WastExecute, WastInvoke, WastRet};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reason {
    /// The call passes or returns a reference of the host's, which has none, or needs what such a call changed.
    Reference,
    /// The module, or the one the directive is about, imports a memory, table or global: petri offers functions only.
    NotAFunction,
    /// ... imports functions from a module that is itself left out.
    OfExcluded,
    /// ... shares its memory, table or globals with one that is left out, or calls one that does.
    Shared,
    /// The trap is another module's: seen through a host function, it ends the caller as refused.
    Across,
    /// Names and types of imported functions are compared by the crate's caller.
    CallersLink,
    /// The module is beyond a bound of the gate.
    Bound,
}

/// How many directives of which file are left out, and why.
const EXCLUDED: &[(&str, Reason, u64)] = &[
    ("extended-const/data.wast", Reason::NotAFunction, 20),
    ("extended-const/elem.wast", Reason::Reference, 5),
    ("extended-const/elem.wast", Reason::NotAFunction, 24),
    ("extended-const/elem.wast", Reason::Shared, 7),
    ("extended-const/global.wast", Reason::Reference, 1),
    ("extended-const/global.wast", Reason::NotAFunction, 63),
    ("wasm-v1/globals.wast", Reason::NotAFunction, 1),
    ("wasm-v2/br_table.wast", Reason::Reference, 3),
    ("wasm-v2/br_table.wast", Reason::Bound, 147),
    ("wasm-v2/call.wast", Reason::Bound, 73),
    ("wasm-v2/data.wast", Reason::NotAFunction, 19),
    ("wasm-v2/elem.wast", Reason::Reference, 5),
    ("wasm-v2/elem.wast", Reason::NotAFunction, 21),
    ("wasm-v2/elem.wast", Reason::Shared, 7),
    ("wasm-v2/global.wast", Reason::Reference, 1),
    ("wasm-v2/global.wast", Reason::NotAFunction, 59),
    ("wasm-v2/imports.wast", Reason::NotAFunction, 69),
    ("wasm-v2/imports.wast", Reason::CallersLink, 24),
    ("wasm-v2/linking.wast", Reason::NotAFunction, 39),
    ("wasm-v2/linking.wast", Reason::Shared, 35),
    ("wasm-v2/linking.wast", Reason::Across, 6),
    ("wasm-v2/linking.wast", Reason::CallersLink, 2),
    ("wasm-v2/memory_grow.wast", Reason::NotAFunction, 5),
    ("wasm-v2/ref_is_null.wast", Reason::Reference, 13),
    ("wasm-v2/select.wast", Reason::Reference, 4),
    ("wasm-v2/table.wast", Reason::NotAFunction, 1),
    ("wasm-v2/table_fill.wast", Reason::Reference, 30),
    ("wasm-v2/table_get.wast", Reason::Reference, 10),
    ("wasm-v2/table_grow.wast", Reason::Reference, 20),
    ("wasm-v2/table_grow.wast", Reason::NotAFunction, 5),
    ("wasm-v2/table_set.wast", Reason::Reference, 17),
];

/// How many directives passed, of each kind, in each tier.
const PASSED: &[(&str, u64)] = &[
    ("assert_exhaustion", 15),
    ("assert_invalid", 1_595),
    ("assert_malformed", 1_311),
    ("assert_return", 21_134),
    ("assert_trap", 2_355),
    ("assert_unlinkable", 57),
    ("invoke", 152),
    ("module", 1_079),
    ("register", 22),
];

/// The functions of the script's host module; all of them only print.
const SPECTEST: &[(&str, &[Kind])] = &[
    ("print", &[]),
    ("print_i32", &[Kind::I32]),
    ("print_i64", &[Kind::I64]),
    ("print_f32", &[Kind::F32]),
    ("print_f64", &[Kind::F64]),
    ("print_i32_f32", &[Kind::I32, Kind::F32]),
    ("print_f64_f64", &[Kind::F64, Kind::F64]),
];

const MEMORY: u64 = 1 << 30;

/// A module too dense in something for its length is made this long.
const LONG: usize = 1 << 20;

/// A live module of the script. A call that does not return ends petri's instance, but not the script's: then a new one
/// is brought to the same state.
struct Actor {
    code: Code,
    guest: Guest,
    /// Calls that may have changed more than memory and globals.
    history: Vec<(u32, Vec<u64>)>,
}

impl Actor {
    fn call(&mut self, export: u32, args: &[u64]) -> Answer {
        let answer =
            self.guest.call_export(export, args, plenty()).unwrap_or_else(|failure| panic!("{}", failure.message));
        if answer.kind() != EndKind::Returned {
            self.revive();
        } else if self.guest.artifact.module.not_movable != 0 || self.guest.artifact.module.grows {
            self.history.push((export, args.to_vec()));
        }
        answer
    }

    fn revive(&mut self) {
        let (memory, globals) = (self.guest.memory().to_vec(), self.guest.globals());
        self.guest = instantiate(&self.code, &self.guest.artifact).expect("it was made before");
        for (export, args) in &self.history {
            self.guest.call_export(*export, args, plenty()).unwrap_or_else(|failure| panic!("{}", failure.message));
        }
        let (data, size) = self.guest.instance.memory();
        assert_eq!(size, memory.len(), "a call that trapped has grown the memory");
        // SAFETY: the new instance's memory, which nobody else uses, has this size.
        unsafe { std::ptr::copy_nonoverlapping(memory.as_ptr(), data, size) };
        let values = globals.into_iter().enumerate().filter_map(|(index, value)| Some((index as u32, value?)));
        values.for_each(|(index, value)| {
            self.guest.instance.set_global(index, value);
        });
    }
}

fn instantiate(code: &Code, artifact: &Arc<Artifact>) -> Result<Guest, Answer> {
    let made = code.instantiate(Host::none(), MEMORY).unwrap_or_else(|failure| panic!("{}", failure.message));
    let instance = made.map_err(|end| Answer { end, values: Vec::new() })?;
    let mut guest = Guest { artifact: artifact.clone(), instance };
    if artifact.module.start.is_some() {
        let answer = guest.start(plenty());
        if answer.kind() != EndKind::Returned {
            return Err(answer);
        }
    }
    Ok(guest)
}

fn with_funcref(wasm: &[u8]) -> Vec<u8> {
    let mut wasm = wasm.to_vec();
    externref::to_funcref(&mut wasm);
    wasm
}

/// The result of a module: an actor, an early end, or why it is left out.
#[allow(clippy::large_enum_variant)]
enum Loaded {
    Actor(Actor),
    Ended(Answer),
    Excluded(Reason),
}

/// A function one module imports from another.
struct Bridge {
    actor: Rc<RefCell<Actor>>,
    export: u32,
    params: usize,
    from: usize,
    to: usize,
}

/// Calls the other module; when that does not return, neither does this.
unsafe extern "C" fn cross(data: *mut c_void, _caller: *mut Caller, args: *const u64, results: *mut u64) -> u32 {
    // SAFETY: `Script::link` bound this callback to a bridge that lives as long as the script, and to its counts.
    let (bridge, args) = unsafe {
        let bridge = &*data.cast::<Bridge>();
        (bridge, std::slice::from_raw_parts(args, bridge.params))
    };
    let Ok(mut actor) = bridge.actor.try_borrow_mut() else { return 1 };
    let answer = actor.call(bridge.export, args);
    // SAFETY: there is room for as many results as the function has.
    unsafe { std::ptr::copy_nonoverlapping(answer.values.as_ptr(), results, answer.values.len()) };
    u32::from(answer.kind() != EndKind::Returned)
}

/// One script in one tier.
struct Script<'a> {
    file: &'a str,
    tier: Tier,
    actors: Vec<Result<Rc<RefCell<Actor>>, Reason>>,
    named: HashMap<String, usize>,
    registered: HashMap<String, usize>,
    #[allow(clippy::vec_box)] // host functions point at them
    bridges: Vec<Box<Bridge>>,
    report: &'a mut Report,
}

#[derive(Default)]
struct Report {
    passed: BTreeMap<&'static str, u64>,
    excluded: BTreeMap<(String, Reason), u64>,
    failed: Vec<String>,
}

/// A directive passed, must be left out, or failed.
enum Verdict {
    Passed,
    Excluded(Reason),
    Failed(String),
}

fn check(holds: bool, otherwise: impl FnOnce() -> String) -> Verdict {
    if holds { Verdict::Passed } else { Verdict::Failed(otherwise()) }
}

impl Script<'_> {
    fn directive(&mut self, directive: WastDirective) -> (&'static str, Verdict) {
        match directive {
            WastDirective::Module(mut module) => ("module", self.module(&mut module)),
            WastDirective::AssertMalformed { mut module, .. } => ("assert_malformed", self.refused(&mut module)),
            WastDirective::AssertInvalid { mut module, .. } => ("assert_invalid", self.refused(&mut module)),
            WastDirective::AssertUnlinkable { mut module, .. } => {
                ("assert_unlinkable", self.unlinkable(&module.encode().expect("it is well formed")))
            }
            WastDirective::Register { name, module, .. } => ("register", self.register(name, module)),
            WastDirective::Invoke(invoke) => (
                "invoke",
                self.invoke(&invoke, |answer| check(answer.kind() == EndKind::Returned, || format!("{answer:?}"))),
            ),
            WastDirective::AssertExhaustion { call, .. } => (
                "assert_exhaustion",
                self.invoke(&call, |answer| check(answer.kind() == EndKind::StackOverflow, || format!("{answer:?}"))),
            ),
            WastDirective::AssertReturn { exec, results, .. } => ("assert_return", self.returns(exec, &results)),
            WastDirective::AssertTrap { exec, message, .. } => ("assert_trap", self.traps(exec, message)),
            other => ("other", Verdict::Failed(format!("an unknown directive: {other:?}"))),
        }
    }

    fn module(&mut self, module: &mut QuoteWat) -> Verdict {
        let name = module.name().map(|id| id.name().to_string());
        let loaded = module.encode().map_err(|error| error.to_string()).and_then(|wasm| self.load(&wasm));
        let (actor, verdict) = match loaded {
            Err(why) => (Err(Reason::Bound), Verdict::Failed(why)),
            Ok(Loaded::Ended(answer)) => (Err(Reason::Bound), Verdict::Failed(format!("{answer:?}"))),
            Ok(Loaded::Excluded(reason)) => (Err(reason), Verdict::Excluded(reason)),
            Ok(Loaded::Actor(actor)) => (Ok(Rc::new(RefCell::new(actor))), Verdict::Passed),
        };
        self.actors.push(actor);
        if let Some(name) = name {
            self.named.insert(name, self.actors.len() - 1);
        }
        verdict
    }

    fn load(&mut self, wasm: &[u8]) -> Result<Loaded, String> {
        let artifact = match Artifact::prepare(wasm, Set::Candidate) {
            Ok(artifact) => Arc::new(artifact),
            Err(failure) if failure.message.contains("uses externref") => return self.load(&with_funcref(wasm)),
            Err(failure) if failure.message.contains("load_points: ") && wasm.len() < LONG => {
                return self.load(&padded(wasm, LONG));
            }
            Err(failure) if failure.message.contains("exceeds the bound") => {
                println!("{}: {}", self.file, failure.message);
                return Ok(Loaded::Excluded(Reason::Bound));
            }
            Err(failure) => return Err(format!("refused: {}", failure.message)),
        };
        let functions = match self.link(&artifact) {
            Ok(functions) => functions,
            Err(reason) => return Ok(Loaded::Excluded(reason)),
        };
        let code = Code::load(artifact.clone(), self.tier, &functions).map_err(|failure| failure.message)?;
        Ok(match instantiate(&code, &artifact) {
            Ok(guest) => Loaded::Actor(Actor { code, guest, history: Vec::new() }),
            Err(answer) => Loaded::Ended(answer),
        })
    }

    fn link(&mut self, artifact: &Artifact) -> Result<Vec<HostFunction>, Reason> {
        let text = |span| std::str::from_utf8(artifact.text(span)).expect("names are text");
        let mut linked = Ok(Vec::new());
        for import in &artifact.module.imports {
            let function = match (text(&import.module), import.kind) {
                ("spectest", Extern::Function) => {
                    spectest(artifact, text(&import.name), import.type_index).ok_or(Reason::CallersLink)
                }
                ("spectest", _) => Err(Reason::NotAFunction),
                (module, Extern::Function) => self.bridge(artifact, module, text(&import.name), import.type_index),
                (module, _) => {
                    self.exclude_sharer(module);
                    Err(Reason::NotAFunction)
                }
            };
            linked = linked.and_then(|mut functions: Vec<_>| {
                function.map(|function| {
                    functions.push(function);
                    functions
                })
            });
        }
        linked
    }

    fn bridge(
        &mut self,
        artifact: &Artifact,
        module: &str,
        name: &str,
        type_index: u32,
    ) -> Result<HostFunction, Reason> {
        let to = *self.registered.get(module).ok_or(Reason::CallersLink)?;
        let actor = self.actors[to].as_ref().map_err(|_| Reason::OfExcluded)?.clone();
        let wanted = &artifact.module.types[type_index as usize];
        let found = {
            let other = &actor.borrow().guest.artifact;
            other.module.exports.iter().position(|export| {
                let named = export.kind == Extern::Function && other.text(&export.name) == name.as_bytes();
                named && {
                    let given = other.module.signature(export.index);
                    given.params == wanted.params && given.results == wanted.results
                }
            })
        };
        let export = found.ok_or(Reason::CallersLink)? as u32;
        self.bridges.push(Box::new(Bridge { actor, export, params: wanted.params.len(), from: self.actors.len(), to }));
        let mut function = host(cross, 1);
        function.data.0 = (&raw const **self.bridges.last().expect("just pushed")).cast_mut().cast();
        Ok(function)
    }

    /// A module that is left out would have changed this one from here on.
    fn exclude_sharer(&mut self, module: &str) {
        let Some(shared) = self.registered.get(module).copied() else { return };
        let callers = self.bridges.iter().filter(|bridge| bridge.to == shared).map(|bridge| bridge.from);
        for index in callers.chain([shared]) {
            if let Some(actor) = self.actors.get_mut(index) {
                *actor = Err(Reason::Shared);
            }
        }
    }

    fn register(&mut self, name: &str, module: Option<Id>) -> Verdict {
        let index = self.index(module);
        self.registered.insert(name.into(), index);
        match &self.actors[index] {
            Ok(_) => Verdict::Passed,
            Err(reason) => Verdict::Excluded(*reason),
        }
    }

    fn index(&self, name: Option<Id>) -> usize {
        name.map_or(self.actors.len() - 1, |id| self.named[id.name()])
    }

    fn actor(&self, name: Option<Id>) -> Result<Rc<RefCell<Actor>>, Reason> {
        self.actors[self.index(name)].clone()
    }

    /// Text that does not parse, or bytes the gate refuses.
    fn refused(&mut self, module: &mut QuoteWat) -> Verdict {
        let wasm = match module.to_test() {
            Err(_) => return Verdict::Passed,
            Ok(QuoteWatTest::Binary(wasm)) => wasm,
            Ok(QuoteWatTest::Text(text)) => {
                match std::str::from_utf8(&text).ok().and_then(|text| wat::parse_str(text).ok()) {
                    None => return Verdict::Passed,
                    Some(wasm) => wasm,
                }
            }
        };
        match Artifact::prepare(&wasm, Set::Candidate) {
            Ok(_) => Verdict::Failed("the gate accepted it".into()),
            Err(failure) => check(failure.status == Status::Rejected, || failure.message),
        }
    }

    /// A valid module with an import nobody can satisfy: what is not a function, the crate itself will not load.
    fn unlinkable(&mut self, wasm: &[u8]) -> Verdict {
        let artifact = match Artifact::prepare(wasm, Set::Candidate) {
            Ok(artifact) => Arc::new(artifact),
            Err(failure) if failure.message.contains("uses externref") => return self.unlinkable(&with_funcref(wasm)),
            Err(failure) => return Verdict::Failed(failure.message),
        };
        if artifact.module.imports.iter().all(|import| import.kind == Extern::Function) {
            return Verdict::Excluded(Reason::CallersLink);
        }
        let functions = vec![host(idle, 1); artifact.module.imports.len()];
        match Code::load(artifact, self.tier, &functions) {
            Ok(_) => Verdict::Failed("it was loaded".into()),
            Err(failure) => check(failure.status == Status::Misuse, || failure.message),
        }
    }

    fn invoke(&mut self, invoke: &WastInvoke, judge: impl FnOnce(&Answer) -> Verdict) -> Verdict {
        let actor = match self.actor(invoke.module) {
            Ok(actor) => actor,
            Err(reason) => return Verdict::Excluded(reason),
        };
        match invoke.args.iter().map(argument).collect::<Option<Vec<u64>>>() {
            Some(args) => {
                let mut actor = actor.borrow_mut();
                let export = actor.guest.find(invoke.name);
                judge(&actor.call(export, &args))
            }
            None => {
                // Changes that the call would have made are missing from here on.
                if actor.borrow().guest.artifact.module.not_movable != 0 {
                    let index = self.index(invoke.module);
                    self.actors[index] = Err(Reason::Reference);
                }
                Verdict::Excluded(Reason::Reference)
            }
        }
    }

    fn returns(&mut self, exec: WastExecute, expected: &[WastRet]) -> Verdict {
        let matches = |values: &[u64]| {
            values.len() == expected.len()
                && values.iter().zip(expected).all(|(value, expected)| fits(*value, expected))
        };
        if expected.iter().any(|expected| matches!(expected, WastRet::Core(WastRetCore::RefExtern(_)))) {
            return Verdict::Excluded(Reason::Reference);
        }
        match exec {
            WastExecute::Invoke(invoke) => self.invoke(&invoke, |answer| {
                check(answer.kind() == EndKind::Returned && matches(&answer.values), || {
                    format!("{answer:x?} where {expected:?} was expected")
                })
            }),
            WastExecute::Get { module, global, .. } => {
                let actor = match self.actor(module) {
                    Ok(actor) => actor,
                    Err(reason) => return Verdict::Excluded(reason),
                };
                let mut actor = actor.borrow_mut();
                let artifact = &actor.guest.artifact;
                let found =
                    artifact.module.exports.iter().find(|export| {
                        export.kind == Extern::Global && artifact.text(&export.name) == global.as_bytes()
                    });
                let index = found.expect("the global is exported").index;
                let value = actor.guest.instance.global(index);
                check(value.is_some_and(|value| matches(&[value])), || format!("{value:x?}"))
            }
            WastExecute::Wat(_) => Verdict::Failed("a module that returns".into()),
        }
    }

    fn traps(&mut self, exec: WastExecute, message: &str) -> Verdict {
        let expected = trap_named(message);
        let judge = |answer: &Answer| match answer.kind() {
            EndKind::Refused => Verdict::Excluded(Reason::Across),
            _ => check(answer.trap().is_some() && answer.trap() == expected, || {
                format!("{answer:?} where '{message}' was expected")
            }),
        };
        match exec {
            WastExecute::Invoke(invoke) => self.invoke(&invoke, judge),
            WastExecute::Wat(mut module) => match self.load(&module.encode().expect("it is well formed")) {
                Err(why) => Verdict::Failed(why),
                Ok(Loaded::Excluded(reason)) => Verdict::Excluded(reason),
                Ok(Loaded::Actor(_)) => Verdict::Failed("the module was instantiated".into()),
                Ok(Loaded::Ended(answer)) => judge(&answer),
            },
            WastExecute::Get { .. } => Verdict::Failed("a global that traps".into()),
        }
    }

    fn note(&mut self, line: usize, kind: &'static str, verdict: Verdict) {
        match verdict {
            Verdict::Passed => *self.report.passed.entry(kind).or_default() += 1,
            Verdict::Excluded(reason) => *self.report.excluded.entry((self.file.into(), reason)).or_default() += 1,
            Verdict::Failed(why) => self.report.failed.push(format!("{}:{line} {kind}: {why}", self.file)),
        }
    }
}

/// The host module's function of this name and type.
fn spectest(artifact: &Artifact, name: &str, type_index: u32) -> Option<HostFunction> {
    let wanted = &artifact.module.types[type_index as usize];
    let known =
        SPECTEST.iter().any(|(known, params)| *known == name && *params == wanted.params && wanted.results.is_empty());
    known.then(|| host(idle, 1))
}

fn trap_named(message: &str) -> Option<Trap> {
    let names = [
        ("unreachable", Trap::Unreachable),
        ("integer divide by zero", Trap::IntegerDivideByZero),
        ("integer overflow", Trap::IntegerOverflow),
        ("invalid conversion to integer", Trap::BadConversionToInteger),
        ("out of bounds memory access", Trap::MemoryOutOfBounds),
        ("out of bounds table access", Trap::TableOutOfBounds),
        ("undefined element", Trap::TableOutOfBounds),
        ("uninitialized element", Trap::IndirectCallToNull),
        ("indirect call type mismatch", Trap::BadSignature),
    ];
    names.iter().find(|(name, _)| message.starts_with(name)).map(|(_, trap)| *trap)
}

fn argument(argument: &WastArg) -> Option<u64> {
    match argument {
        WastArg::Core(WastArgCore::I32(value)) => Some(u64::from(*value as u32)),
        WastArg::Core(WastArgCore::I64(value)) => Some(*value as u64),
        WastArg::Core(WastArgCore::F32(value)) => Some(u64::from(value.bits)),
        WastArg::Core(WastArgCore::F64(value)) => Some(value.bits),
        _ => None,
    }
}

fn fits(value: u64, expected: &WastRet) -> bool {
    let WastRet::Core(expected) = expected else { return false };
    fits_core(value, expected)
}

fn fits_core(value: u64, expected: &WastRetCore) -> bool {
    match expected {
        WastRetCore::I32(expected) => value == u64::from(*expected as u32),
        WastRetCore::I64(expected) => value == *expected as u64,
        WastRetCore::F32(NanPattern::Value(expected)) => value == u64::from(expected.bits),
        WastRetCore::F64(NanPattern::Value(expected)) => value == expected.bits,
        // petri promises more than the specification: one canonical NaN, positive, wherever a new one may be made.
        WastRetCore::F32(NanPattern::CanonicalNan) => value == 0x7fc0_0000,
        WastRetCore::F64(NanPattern::CanonicalNan) => value == 0x7ff8_0000_0000_0000,
        WastRetCore::F32(NanPattern::ArithmeticNan) => value & 0x7fc0_0000 == 0x7fc0_0000,
        WastRetCore::F64(NanPattern::ArithmeticNan) => value & 0x7ff8_0000_0000_0000 == 0x7ff8_0000_0000_0000,
        WastRetCore::RefNull(_) => value == 0,
        WastRetCore::RefFunc(_) => value == 1,
        WastRetCore::Either(choices) => choices.iter().any(|choice| fits_core(value, choice)),
        _ => false,
    }
}

fn run(file: &SpecFile, tier: Tier, report: &mut Report) {
    let name = format!("{}/{}", file.folder, file.name);
    let mut lexer = Lexer::new(&file.text);
    lexer.allow_confusing_unicode(true);
    let buffer = ParseBuffer::new_with_lexer(lexer).expect("the file is text");
    let directives = parse::<Wast>(&buffer).expect("the file parses").directives;
    let mut script = Script {
        file: &name,
        tier,
        actors: Vec::new(),
        named: HashMap::new(),
        registered: HashMap::new(),
        bridges: Vec::new(),
        report,
    };
    for directive in directives {
        let line = directive.span().linecol_in(&file.text).0 + 1;
        let (kind, verdict) = script.directive(directive);
        script.note(line, kind, verdict);
    }
}

/// Files of version 1 whose successors import globals, or have a function beyond a bound, and so are left out nearly whole.
const OLDER: &[&str] = &["call.wast", "globals.wast"];

fn suite(tier: Tier) -> Report {
    let mut report = Report::default();
    let mut files = spec_files("", "wasm-v2");
    files.extend(spec_files("proposals", "extended-const"));
    files.extend(spec_files("", "wasm-v1").into_iter().filter(|file| OLDER.contains(&file.name.as_str())));
    for file in &files {
        run(file, tier, &mut report);
    }
    report
}

fn passes_in(tier: Tier) {
    // Deep recursion of the scripts runs on this thread's stack.
    let report = on_stack(64 << 20, || suite(tier));
    report.passed.iter().for_each(|(kind, count)| println!("    (\"{kind}\", {count}),"));
    report
        .excluded
        .iter()
        .for_each(|((file, reason), count)| println!("    (\"{file}\", Reason::{reason:?}, {count}),"));
    assert!(report.failed.is_empty(), "{} directives failed:\n{}", report.failed.len(), report.failed.join("\n"));
    assert_eq!(report.passed.into_iter().collect::<Vec<_>>(), PASSED);
    let excluded: Vec<_> =
        report.excluded.iter().map(|((file, reason), count)| (file.as_str(), *reason, *count)).collect();
    assert_eq!(excluded, EXCLUDED);
}

#[test]
fn the_specification_holds_in_the_interpreted_tier() {
    passes_in(Tier::Interpreted);
}

#[test]
fn the_specification_holds_in_the_compiled_tier() {
    passes_in(Tier::Compiled);
}
