//! Guests made to do as much work as they can for each unit of fuel. Each runs for ever; none may be late for its deadline.

use std::ffi::c_void;
use std::ptr;
use std::time::{Duration, Instant};

use petri_engine::code::{Code, Tier};
use petri_engine::failure::Failure;
use petri_engine::guest::{Budget, EndKind};
use petri_engine::raw::{Context, Host, HostFunction, monotonic_ns};

use super::{MEBIBYTE, host, idle, intrinsic, padded, prepare, wasm};

pub struct Heavy {
    pub name: &'static str,
    text: String,
    functions: Vec<HostFunction>,
    memory: u64,
}

/// How late a deadline was seen, for how long the thread had wanted a processor and another had it, how much fuel the
/// guest had used by then, and the most processor time it had between two looks at the clock: that is what a busy
/// machine cannot distort.
pub struct Late {
    pub by: Duration,
    pub waited: Duration,
    pub fuel: u64,
    pub kind: EndKind,
    pub slice: Duration,
}

/// How often somebody has looked, the processor time at the last look, and the longest stretch so far.
pub struct Looks {
    pub count: u64,
    last: Duration,
    pub longest: Duration,
}

impl Looks {
    pub fn new() -> Looks {
        Looks { count: 0, last: thread_time(), longest: Duration::ZERO }
    }

    pub fn look(&mut self) {
        let now = thread_time();
        self.longest = self.longest.max(now - self.last);
        self.last = now;
        self.count += 1;
    }

    pub fn host() -> Host {
        Host { turn: Some(turn), ..Host::none() }
    }

    pub fn context(&mut self) -> Context {
        Context(ptr::from_mut(self).cast())
    }
}

/// Nothing ends a guest with it, and each look is seen by `Looks`.
pub fn looked_at() -> Budget {
    Budget { fuel: 1 << 62, deadline_ns: u64::MAX, turn_ns: 0, call_depth: 8192 }
}

/// Every turn is over at once, so that each refill looks.
unsafe extern "C" fn turn(context: *mut c_void, _now: u64) -> u64 {
    // SAFETY: whoever takes `Looks::host` passes the context of some.
    unsafe { &mut *context.cast::<Looks>() }.look();
    1
}

pub fn thread_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes one timespec.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// How long this thread has wanted a processor that another had, since it started. Zero where the kernel does not say.
fn thread_wait() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(text.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or_default())
}

impl Heavy {
    fn new(name: &'static str, text: String) -> Heavy {
        Heavy { name, text, functions: Vec::new(), memory: 128 * MEBIBYTE }
    }

    fn with(self, functions: Vec<HostFunction>) -> Heavy {
        Heavy { functions, ..self }
    }

    fn in_memory(self, memory: u64) -> Heavy {
        Heavy { memory, ..self }
    }

    /// Calls the guest without a fuel limit and with a deadline this far away.
    pub fn overshoot(&self, tier: Tier, deadline: Duration) -> Late {
        // Long enough not to be dense in anything: bytes that nobody reads are cheap for an attacker too.
        let artifact = prepare(&padded(&wasm(&self.text), MEBIBYTE as usize));
        let failed = |failure: Failure| -> ! { panic!("{}: {}", self.name, failure.message) };
        let code = Code::load(artifact.clone(), tier, &self.functions).unwrap_or_else(|failure| failed(failure));
        let mut instance =
            code.instantiate(Looks::host(), self.memory).unwrap_or_else(|failure| failed(failure)).expect("it fits");
        let waited = thread_wait();
        let mut looks = Looks::new();
        let begin = Instant::now();
        let deadline_ns = monotonic_ns() + deadline.as_nanos() as u64;
        let budget = Budget { deadline_ns, ..looked_at() };
        let end = instance.call(0, &budget, looks.context(), &mut []).unwrap_or_else(|failure| failed(failure));
        looks.look();
        let by = begin.elapsed().saturating_sub(deadline);
        Late { by, waited: thread_wait() - waited, fuel: end.fuel_used, kind: end.kind, slice: looks.longest }
    }
}

/// A module whose `run` repeats `body` for ever; `parts` stand before it.
fn forever(parts: &str, locals: &str, body: &str) -> String {
    format!(r#"(module {parts} (func (export "run") {locals} (loop $again {body} (br $again))))"#)
}

fn repeated(count: usize, text: &str) -> String {
    text.repeat(count)
}

fn types(count: usize, kind: &str) -> String {
    repeated(count, &format!("{kind} "))
}

pub fn all() -> Vec<Heavy> {
    let mut all = control();
    all.extend(values());
    all.extend(bulk());
    all.extend(growth());
    all.extend(arithmetic());
    all.extend(hosts());
    all
}

fn control() -> Vec<Heavy> {
    let nest = format!("{}{}", repeated(62, "(loop "), repeated(62, ")"));
    let targets: String = (0..8190).map(|index| format!("{} ", index % 2)).collect();
    let wide = format!(
        "(block (block (br_table {targets} (i32.rem_u (local.tee 0 (i32.add (local.get 0) (i32.const 4099))) (i32.const 8190)))))"
    );
    let chain: String = (1..400).map(|index| format!("(func $f{index} (call $f{}))", index - 1)).collect();
    vec![
        Heavy::new("an empty loop that turns", forever("", "", "")),
        Heavy::new("4,000 loops in a row that never turn", forever("", "", &repeated(4_000, "(loop)"))),
        Heavy::new("62 loops in each other that never turn", forever("", "", &repeated(30, &nest))),
        Heavy::new("a br_table of 8,190 targets", forever("", "(local i32)", &wide)),
        Heavy::new("4,000 ifs not taken", forever("", "", &repeated(4_000, "(if (i32.const 0) (then))"))),
        Heavy::new(
            "400 functions that call the next",
            forever(&format!("(func $f0) {chain}"), "", &repeated(1_000, "(call $f399)")),
        ),
        Heavy::new(
            "call_indirect of an empty function",
            forever("(table funcref (elem $f)) (func $f)", "", &repeated(1_000, "(call_indirect (i32.const 0))")),
        ),
    ]
}

fn values() -> Vec<Heavy> {
    let locals = |count, kind| format!("(func $f (local {}))", types(count, kind));
    let ints = |count| types(count, "i64");
    let pushes = |count| repeated(count, "(i64.const 1) ");
    let drops = |count| repeated(count, "(drop) ");
    let moved = format!("(block $out (result {0}) (i64.const 0) {1} (br $out)) {2}", ints(16), pushes(16), drops(16));
    let kept = format!("{} {} {}", pushes(64), repeated(500, "(block (type $all))"), drops(64));
    let answers = format!("(type $all (func (result {}))) (func $f0 (type $all) {})", ints(64), pushes(64));
    let chain: String = (1..400).map(|index| format!("(func $f{index} (type $all) (call $f{}))", index - 1)).collect();
    let taken = format!("{} {} {}", pushes(64), repeated(300, "(br_if 0 (i32.const 0))"), "(br 0)");
    vec![
        Heavy::new("functions with 2,048 locals", forever(&locals(2_048, "i64"), "", &repeated(1_000, "(call $f)"))),
        Heavy::new(
            "functions with 15 locals, which cost nothing",
            forever(&locals(15, "f64"), "", &repeated(1_000, "(call $f)")),
        ),
        Heavy::new("branches that carry 16 values, which cost nothing", forever("", "", &repeated(400, &moved))),
        Heavy::new(
            "500 blocks with 64 parameters and results",
            forever(&format!("(type $all (func (param {0}) (result {0})))", ints(64)), "", &kept),
        ),
        Heavy::new(
            "400 functions that hand 64 results on",
            forever(&format!("{answers} {chain}"), "", &format!("(call $f399) {}", drops(64))),
        ),
        Heavy::new(
            "300 br_ifs that carry 64 values",
            forever("", "", &format!("(block (result {}) {taken}) {}", ints(64), drops(64))),
        ),
    ]
}

fn bulk() -> Vec<Heavy> {
    let nothing = "(i32.const 0) (i32.const 0) (i32.const 0)";
    let data = format!("(memory 1) (data $d \"{}\")", "a".repeat(60_000));
    let table = "(table $t 65536 funcref) (func $f)";
    let elements = format!("{table} (elem $e func {})", repeated(65_000, "$f "));
    // Grown to its size first.
    let large = |body: &str| {
        let grow = "(if (i32.eqz (table.size $t)) (then (drop (table.grow $t (ref.null func) (i32.const 1000000)))))";
        forever("(table $t 0 funcref) (func $f) (elem declare func $f)", "", &format!("{grow} {body}"))
    };
    let one_byte = format!("(memory.fill {nothing}) (memory.copy {nothing})");
    vec![
        Heavy::new("memory.fill and copy of nothing", forever("(memory 1)", "", &repeated(2_000, &one_byte))),
        Heavy::new(
            "memory.init of nothing",
            forever(&data, "", &repeated(2_000, &format!("(memory.init $d {nothing})"))),
        ),
        Heavy::new(
            "memory.fill of 63 bytes",
            forever("(memory 1)", "", &repeated(2_000, "(memory.fill (i32.const 1) (i32.const 7) (i32.const 63))")),
        ),
        Heavy::new(
            "memory.fill of 64 MiB",
            forever("(memory 1024)", "", "(memory.fill (i32.const 0) (i32.const 7) (i32.const 67108864))"),
        ),
        Heavy::new(
            "memory.copy of 63 MiB",
            forever("(memory 1024)", "", "(memory.copy (i32.const 1) (i32.const 0) (i32.const 66060288))"),
        ),
        Heavy::new(
            "memory.init of 60,000 bytes",
            forever(&data, "", "(memory.init $d (i32.const 0) (i32.const 0) (i32.const 60000))"),
        ),
        Heavy::new(
            "table.copy of nothing",
            forever(table, "", &repeated(2_000, &format!("(table.copy $t $t {nothing})"))),
        ),
        Heavy::new(
            "table.copy of 65,535 slots onto itself",
            forever(table, "", "(table.copy $t $t (i32.const 1) (i32.const 0) (i32.const 65535))"),
        ),
        Heavy::new(
            "table.fill of 65,536 slots",
            forever(table, "", "(table.fill $t (i32.const 0) (ref.null func) (i32.const 65536))"),
        ),
        Heavy::new(
            "table.fill of 1,000,000 slots",
            large("(table.fill $t (i32.const 0) (ref.func $f) (i32.const 1000000))"),
        ),
        Heavy::new(
            "table.copy of 999,999 slots onto itself",
            large("(table.copy $t $t (i32.const 1) (i32.const 0) (i32.const 999999))"),
        ),
        Heavy::new(
            "table.copy of 999,999 slots onto itself, forwards",
            large("(table.copy $t $t (i32.const 0) (i32.const 1) (i32.const 999999))"),
        ),
        Heavy::new(
            "memory.init of 4 MiB into new pages",
            forever(
                &format!("(memory 64) (data $d \"{}\")", "a".repeat(4 << 20)),
                "",
                "(memory.init $d (i32.const 0) (i32.const 0) (i32.const 4194304))",
            ),
        ),
        Heavy::new(
            "table.init of 65,000 slots",
            forever(&elements, "", "(table.init $t $e (i32.const 0) (i32.const 0) (i32.const 65000))"),
        ),
        Heavy::new(
            "table.init of 7 slots",
            forever(&elements, "", &repeated(1_000, "(table.init $t $e (i32.const 0) (i32.const 0) (i32.const 7))")),
        ),
        Heavy::new(
            "data.drop and elem.drop",
            forever(&format!("{data} {elements}"), "", &repeated(4_000, "(data.drop $d) (elem.drop $e)")),
        ),
        Heavy::new(
            "table.get and set",
            forever(table, "", &repeated(2_000, "(table.set $t (i32.const 3) (table.get $t (i32.const 9)))")),
        ),
    ]
}

fn growth() -> Vec<Heavy> {
    const GIBIBYTE: u64 = 1 << 30;
    let touch = "(i32.store8 (local.tee 0 (i32.add (local.get 0) (i32.const 4096))) (i32.const 1))";
    let pages = "(drop (memory.grow (i32.const 1)))";
    vec![
        Heavy::new(
            "memory.grow of nothing",
            forever("(memory 1)", "", &repeated(2_000, "(drop (memory.grow (i32.const 0)))")),
        ),
        Heavy::new("memory.grow refused by the declared maximum", forever("(memory 1 1)", "", &repeated(1_000, pages))),
        Heavy::new(
            "memory.grow of 65,535 pages, refused",
            forever("(memory 1)", "", "(drop (memory.grow (i32.const 65535)))"),
        ),
        Heavy::new("memory.grow page by page to 1 GiB", forever("(memory 1)", "", pages)).in_memory(GIBIBYTE),
        Heavy::new("memory.grow page by page to 128 MiB", forever("(memory 1)", "", pages)),
        Heavy::new(
            "memory.grow to 128 MiB at once",
            forever("(memory 1)", "", "(drop (memory.grow (i32.const 2047)))"),
        ),
        Heavy::new("memory.grow page by page to 256 MiB", forever("(memory 1)", "", pages)).in_memory(GIBIBYTE / 4),
        Heavy::new(
            "memory.grow to 256 MiB at once",
            forever("(memory 1)", "", "(drop (memory.grow (i32.const 4095)))"),
        )
        .in_memory(GIBIBYTE / 4),
        Heavy::new("memory.grow to 1 GiB at once", forever("(memory 1)", "", "(drop (memory.grow (i32.const 16383)))"))
            .in_memory(GIBIBYTE),
        Heavy::new(
            "table.grow of nothing",
            forever(
                "(table $t 1 funcref)",
                "",
                &repeated(2_000, "(drop (table.grow $t (ref.null func) (i32.const 0)))"),
            ),
        ),
        Heavy::new(
            "table.grow slot by slot",
            forever("(table $t 1 funcref)", "", "(drop (table.grow $t (ref.null func) (i32.const 1)))"),
        ),
        Heavy::new(
            "table.grow seven slots at a time",
            forever("(table $t 1 funcref)", "", "(drop (table.grow $t (ref.null func) (i32.const 7)))"),
        ),
        Heavy::new(
            "table.grow to 1,000,000 slots at once",
            forever("(table $t 1 funcref)", "", "(drop (table.grow $t (ref.null func) (i32.const 1000000)))"),
        ),
        Heavy::new(
            "table.grow to 9,000,000 slots at once",
            forever("(table $t 1 funcref)", "", "(drop (table.grow $t (ref.null func) (i32.const 9000000)))"),
        ),
        Heavy::new(
            "1 GiB grown at once, then a byte of each page touched",
            format!(
                r#"(module (memory 1) (func (export "run") (local i32) (drop (memory.grow (i32.const 16383)))
                   (loop $again (local.set 0 (i32.and (local.get 0) (i32.const 0x37ffffff))) {} (br $again))))"#,
                repeated(2_000, touch)
            ),
        )
        .in_memory(GIBIBYTE),
    ]
}

fn arithmetic() -> Vec<Heavy> {
    // Through a global, so that no compiler knows the numbers or finds the results unused.
    let chain = |kind: &str, begin: &str, count: usize, operators: &str| {
        let parts = format!("(memory 1024) (global $x (mut {kind}) ({kind}.const {begin}))");
        forever(&parts, "", &format!("(global.get $x) {} (global.set $x)", repeated(count, operators)))
    };
    let denormal = "0x1p-1060";
    let divide = "(i64.const 3) i64.div_s (i64.const 0x7fff_ffff_ffff_fff1) i64.or (i64.const -7) i64.rem_s ";
    vec![
        Heavy::new("f64.sqrt in a row", chain("f64", "1.9e300", 20_000, "f64.sqrt ")),
        Heavy::new("f64.div in a row", chain("f64", "1.9e300", 6_000, "(f64.const 1.0000001) f64.div ")),
        Heavy::new(
            "f64.mul of denormal numbers",
            chain("f64", denormal, 3_000, "(f64.const 0x1.8p+0) f64.mul (f64.const 0x1.5p-1) f64.mul "),
        ),
        Heavy::new(
            "f64.nearest and conversions",
            chain("f64", denormal, 8_000, "f64.nearest i64.trunc_sat_f64_u f64.convert_i64_u "),
        ),
        Heavy::new("i64.div_s and rem_s", chain("i64", "-1", 3_000, divide)),
        Heavy::new("loads that wait for each other", chain("i32", "65536", 20_000, "i32.load offset=4 ")),
        Heavy::new("i32.popcnt, clz, ctz", chain("i32", "77", 10_000, "i32.popcnt i32.clz i32.ctz ")),
    ]
}

fn hosts() -> Vec<Heavy> {
    let import = r#"(import "h" "f" (func $f))"#;
    let wide = format!(r#"(import "h" "f" (func $f (param {0}) (result {0})))"#, types(64, "i64"));
    let around =
        format!("{} {} {}", repeated(64, "(i64.const 1) "), repeated(100, "(call $f) "), repeated(64, "(drop) "));
    let fmod = r#"(import "math" "fmod" (func $f (param f64 f64) (result f64)))"#;
    let sin = r#"(import "math" "sin" (func $f (param f64) (result f64)))"#;
    vec![
        Heavy::new("host calls that declare no fuel", forever(import, "", &repeated(4_000, "(call $f)")))
            .with(vec![host(idle, 0)]),
        Heavy::new("host calls with 64 parameters and results", forever(&wide, "", &around)).with(vec![host(idle, 0)]),
        Heavy::new(
            "math.fmod at its slowest",
            forever(
                fmod,
                "",
                &repeated(100, "(drop (call $f (f64.const 0x1.fffffffffffffp+1023) (f64.const 0x1.8p-1074)))"),
            ),
        )
        .with(vec![intrinsic("fmod")]),
        Heavy::new(
            "math.sin of huge numbers",
            forever(sin, "", &repeated(100, "(drop (call $f (f64.const 0x1.fffffffffffffp+1023)))")),
        )
        .with(vec![intrinsic("sin")]),
    ]
}
