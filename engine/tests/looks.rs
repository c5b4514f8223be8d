//! How often the host looks at deadline, kill and turn while it makes an instance or does one long act for a guest.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::support::heavy::{Looks, looked_at};
use crate::support::*;
use petri_engine::code::{Code, Instance, Tier};
use petri_engine::failure::Status;
use petri_engine::guest::{Budget, End, EndKind, Trap};
use petri_engine::raw::{Context, Host};

fn code(text: &str, tier: Tier) -> Code {
    Code::load(prepare(&wasm(text)), tier, &[]).unwrap_or_else(|failure| panic!("{}", failure.message))
}

/// Made on a time that is looked at.
fn make(code: &Code, host: Host, budget: &Budget, context: Context) -> Result<Instance, End> {
    let made = code.instantiate_within(host, ROOMY, Some((budget, context)));
    made.unwrap_or_else(|failure| panic!("{}", failure.message))
}

/// Looks while an instance is made, and the longest stretch between two.
fn looks_while_made(text: &str, tier: Tier) -> Looks {
    let code = code(text, tier);
    let mut looks = Looks::new();
    let context = looks.context();
    assert!(make(&code, Looks::host(), &looked_at(), context).is_ok(), "{tier:?}");
    looks
}

/// A segment of a few bytes in each of the machine's pages of 64 MiB.
fn segments_everywhere() -> String {
    let segment = |page: usize| format!("(data (i32.const {}) \"abcdefghijklmnopqrstuvwxyz\")", page * 4096);
    format!("(module (memory 1024) {})", (0..16_000).map(segment).collect::<String>())
}

/// One segment of four mebibytes.
fn long_segment() -> String {
    format!("(module (memory 64) (data (i32.const 0) \"{}\"))", "a".repeat(4 << 20))
}

#[test]
fn a_large_memory_is_made_with_a_look_for_each_mebibyte() {
    assert!(looks_while_made("(module (memory 1024))", Tier::Interpreted).count >= 60);
    assert_eq!(looks_while_made("(module (memory 32))", Tier::Interpreted).count, 0);
}

#[test]
fn data_segments_are_copied_with_a_look_for_each_mebibyte_they_touch() {
    for tier in TIERS {
        assert!(looks_while_made(&segments_everywhere(), tier).count >= 60, "{tier:?}");
        assert!(looks_while_made(&long_segment(), tier).count >= 4, "{tier:?}");
    }
}

#[test]
fn an_instance_that_takes_long_to_make_ends_by_its_deadline_or_its_host() {
    let killed = AtomicU32::new(1);
    let late = Budget { deadline_ns: 1, ..plenty() };
    for tier in TIERS {
        let code = code(&segments_everywhere(), tier);
        let made = make(&code, Host::none(), &late, Context::none());
        assert_eq!(made.err().map(|end| (end.kind, end.fuel_used)), Some((EndKind::Deadline, 0)), "{tier:?}");
        let host = Host { interrupt: &killed, ..Host::none() };
        let made = make(&code, host, &plenty(), Context::none());
        assert_eq!(made.err().map(|end| end.kind), Some(EndKind::Cancelled), "{tier:?}");
        // Nobody waits for it, so nobody ends it.
        assert!(code.instantiate(host, ROOMY).is_ok_and(|made| made.is_ok()), "{tier:?}");
    }
}

#[test]
fn a_large_memory_holds_what_its_segments_say_in_their_order() {
    let text = r#"(module (memory 33 40)
        (data (i32.const 10) "first") (data $kept "passive") (data (i32.const 12) "over")
        (data (i32.sub (i32.mul (i32.const 33) (i32.const 65536)) (i32.add (i32.const 2) (i32.const 1))) "end")
        (data (i32.const 2162688) "")
        (func (export "copy") (memory.init $kept (i32.const 20) (i32.const 0) (i32.const 7)))
        (func (export "copy_active") (memory.init 0 (i32.const 0) (i32.const 0) (i32.const 1)))
        (func (export "grow") (param i32) (result i32) (memory.grow (local.get 0))))"#;
    for tier in TIERS {
        let mut guest = Guest::new(tier, text);
        assert_eq!(guest.memory().len(), 33 * 65_536);
        assert_eq!(&guest.memory()[8..18], b"\0\0fiover\0\0");
        assert_eq!(&guest.memory()[33 * 65_536 - 4..], b"\0end");
        assert_eq!(guest.memory().iter().filter(|byte| **byte != 0).count(), 9);
        assert_eq!(guest.call("copy", &[], plenty()).kind(), EndKind::Returned);
        assert_eq!(&guest.memory()[20..27], b"passive");
        assert_eq!(guest.call("grow", &[7], plenty()).values, [33]);
        assert_eq!(guest.call("grow", &[1], plenty()).values, [u64::from(u32::MAX)]);
        assert_eq!(guest.memory().len(), 40 * 65_536);
        // As of every active segment once it was copied.
        assert_eq!(guest.call("copy_active", &[], plenty()).trap(), Some(Trap::MemoryOutOfBounds));
    }
}

#[test]
fn a_segment_that_does_not_fit_a_large_memory_traps_as_in_a_small_one() {
    let outside = "(data (i32.const 65536) \"\") (data (i32.const -1) \"a\")";
    let table = "(table 1 funcref) (func $f) (elem (i32.const 1) func $f)";
    for tier in TIERS {
        for pages in [1, 33] {
            let trap_of = |parts: String| {
                let made = code(&format!("(module (memory {pages}) {parts})"), tier).instantiate(Host::none(), ROOMY);
                made.expect("no fault").err().map(|end| (end.kind, end.code))
            };
            let trap = |trap: Trap| Some((EndKind::Trapped, trap as i32));
            assert_eq!(trap_of(outside.into()), trap(Trap::MemoryOutOfBounds), "{tier:?} {pages}");
            let past = format!("(data (i32.const {}) \"\")", pages * 65_536 + 1);
            assert_eq!(trap_of(past), trap(Trap::MemoryOutOfBounds), "{tier:?} {pages}");
            // Tables come first.
            assert_eq!(trap_of(format!("{outside} {table}")), trap(Trap::TableOutOfBounds), "{tier:?} {pages}");
        }
    }
}

/// Looks during one call of `run`, and the longest stretch between two.
fn looks_in_run(text: &str, tier: Tier) -> Looks {
    let mut instance = code(text, tier).instantiate(Looks::host(), ROOMY).expect("no fault").expect("it fits");
    let mut looks = Looks::new();
    let context = looks.context();
    let end = instance.call(0, &looked_at(), context, &mut []).unwrap_or_else(|failure| panic!("{}", failure.message));
    looks.look();
    assert_eq!(end.kind, EndKind::Returned, "{tier:?}");
    looks
}

/// A module that does this once.
fn once(parts: &str, body: &str) -> String {
    format!("(module {parts} (func (export \"run\") {body}))")
}

const GROWN: &str = "(drop (table.grow $t (ref.null func) (i32.const 900000)))";
const TABLE: &str = "(table $t 0 funcref) (func $f) (elem declare func $f)";

#[test]
fn a_table_grows_with_a_look_for_each_piece() {
    // 900,000 slots are 27 pieces to fill, and as many or four times as many to make.
    assert!(looks_in_run(&once(TABLE, GROWN), Tier::Interpreted).count >= 54);
    assert!(looks_in_run(&once(TABLE, GROWN), Tier::Compiled).count >= 27 + 109);
}

/// Stores into each of the machine's pages of 64 MiB, which nobody has touched yet: nothing else is as slow for its fuel.
fn touches() -> String {
    let store = |page: usize| format!("(i32.store8 offset={} (local.get 0) (i32.const 1))", page * 4096);
    let stores: String = (0..512).map(store).collect();
    format!(
        "(local i32) (loop {stores}
            (br_if 0 (i32.lt_u (local.tee 0 (i32.add (local.get 0) (i32.const 0x200000))) (i32.const 0x4000000))))"
    )
}

/// Acts that are long, and how many looks each has at least.
fn long_acts() -> [(&'static str, String, u64); 6] {
    let in_table = |act: &str| once(TABLE, &format!("{GROWN} {act}"));
    let data = format!("(memory 64) (data $d \"{}\")", "a".repeat(4 << 20));
    [
        ("fill", in_table("(table.fill $t (i32.const 0) (ref.func $f) (i32.const 900000))"), 27),
        ("copy up", in_table("(table.copy $t $t (i32.const 1) (i32.const 0) (i32.const 899999))"), 27),
        ("copy down", in_table("(table.copy $t $t (i32.const 0) (i32.const 1) (i32.const 899999))"), 27),
        ("init", once(&data, "(memory.init $d (i32.const 0) (i32.const 0) (i32.const 4194304))"), 3),
        ("grow", once("(memory 1)", &"(drop (memory.grow (i32.const 1)))".repeat(64)), 0),
        ("touch", once("(memory 1024)", &touches()), 1),
    ]
}

#[test]
fn a_long_act_on_a_table_or_a_segment_is_done_in_pieces_with_a_look_after_each() {
    for tier in TIERS {
        let grown = looks_in_run(&once(TABLE, GROWN), tier).count;
        for (name, text, least) in long_acts() {
            let before = if text.contains(GROWN) { grown } else { 0 };
            let looks = looks_in_run(&text, tier).count - before;
            assert!(looks >= least, "{name} {tier:?}: {looks} looks");
        }
    }
}

#[test]
fn memory_that_grows_page_by_page_has_a_look_for_each_mebibyte_that_is_cleared() {
    let grow = once("(memory 1)", &"(drop (memory.grow (i32.const 1)))".repeat(160));
    assert!(looks_in_run(&grow, Tier::Interpreted).count >= 10);
}

/// A mebibyte in pages of a guest's memory.
const PAGES_A_MEBIBYTE: usize = 16;

/// A module that grows to this many mebibytes and writes into each of the machine's pages of them.
fn movable(mebibytes: usize) -> String {
    let (pages, bytes) = (mebibytes * PAGES_A_MEBIBYTE, mebibytes << 20);
    let fill = format!(
        "(loop (i32.store (local.get 0) (i32.const 7))
            (br_if 0 (i32.lt_u (local.tee 0 (i32.add (local.get 0) (i32.const 4096))) (i32.const {bytes}))))"
    );
    format!(
        "(module (memory 1) (func (export \"run\") (local i32) (drop (memory.grow (i32.const {}))) {fill}))",
        pages - 1
    )
}

fn filled(mebibytes: usize) -> Instance {
    let code = code(&movable(mebibytes), Tier::Compiled);
    let mut instance = code.instantiate(Host::none(), 2 << 30).expect("no fault").expect("it fits");
    let end = instance.call(0, &plenty(), Context::none(), &mut []).expect("no fault");
    assert_eq!(end.kind, EndKind::Returned);
    instance
}

/// Looks while an instance is made what another is.
fn looks_while_carried(from: &mut Instance, mebibytes: usize, tier: Tier) -> Looks {
    let code = code(&movable(mebibytes), tier);
    let mut looks = Looks::new();
    let context = looks.context();
    let mut to = make(&code, Looks::host(), &looked_at(), context).expect("it fits");
    to.adopt(from).unwrap_or_else(|failure| panic!("{}", failure.message));
    looks
}

#[test]
fn an_instance_is_carried_to_either_tier_with_a_look_for_each_mebibyte() {
    let mut from = filled(20);
    // The interpreter clears what it makes, before it is filled.
    assert!(looks_while_carried(&mut from, 20, Tier::Interpreted).count >= 20 + 19);
    assert!(looks_while_carried(&mut from, 20, Tier::Compiled).count >= 20);
}

#[test]
fn carrying_an_instance_ends_once_the_host_wants_it() {
    let mut from = filled(4);
    let killed = AtomicU32::new(0);
    let host = Host { interrupt: &killed, ..Host::none() };
    for tier in TIERS {
        killed.store(0, Ordering::Relaxed);
        let code = code(&movable(4), tier);
        let mut to = make(&code, host, &plenty(), Context::none()).expect("it fits");
        killed.store(1, Ordering::Relaxed);
        let failure = to.adopt(&mut from).expect_err("it was ended");
        assert_eq!(failure.status, Status::Stopped, "{tier:?}");
        assert_eq!(failure.message, "the guest was ended while its memory was carried over");
        // Nobody waits for this one, so nobody ends it; and what was carried from is as it was.
        let mut complete = code.instantiate(host, ROOMY).expect("no fault").expect("it fits");
        assert!(complete.adopt(&mut from).is_ok(), "{tier:?}");
    }
}

#[test]
#[ignore = "prints times, and takes two gibibytes"]
fn carrying_an_instance_takes_this_long() {
    for mebibytes in [64, 1024] {
        let mut from = filled(mebibytes);
        for tier in TIERS {
            let started = Instant::now();
            let looks = looks_while_carried(&mut from, mebibytes, tier);
            let (all, longest) = (started.elapsed(), looks.longest);
            println!("{mebibytes} MiB to {tier:?}: {all:?}, {} looks, {longest:?} between two", looks.count);
        }
    }
}

/// A table of 100,000 slots of which every seventh is not null, and what can be done to it.
const LONG: &str = r#"(module (table $t 0 funcref) (table $u 65536 funcref) (func $f) (elem declare func $f)
    (func (export "begin") (local i32) (drop (table.grow $t (ref.null func) (i32.const 100000)))
        (loop (table.set $t (local.get 0) (ref.func $f))
            (br_if 0 (i32.lt_u (local.tee 0 (i32.add (local.get 0) (i32.const 7))) (i32.const 100000)))))
    (func (export "fill") (param i32 i32) (table.fill $t (local.get 0) (ref.func $f) (local.get 1)))
    (func (export "clear") (param i32 i32) (table.fill $t (local.get 0) (ref.null func) (local.get 1)))
    (func (export "copy") (param i32 i32 i32) (table.copy $t $t (local.get 0) (local.get 1) (local.get 2)))
    (func (export "across") (param i32 i32 i32) (table.copy $u $t (local.get 0) (local.get 1) (local.get 2))
        (table.copy $t $u (local.get 1) (local.get 0) (local.get 2)))
    (func (export "grow") (param i32) (result i32) (table.grow $t (ref.func $f) (local.get 0)))
    (func (export "is_null") (param i32) (result i32) (ref.is_null (table.get $t (local.get 0)))))"#;

struct LongTable {
    guest: Guest,
    expected: Vec<bool>,
}

impl LongTable {
    fn new(tier: Tier) -> LongTable {
        let mut guest = Guest::new(tier, LONG);
        assert_eq!(guest.call("begin", &[], plenty()).kind(), EndKind::Returned);
        LongTable { guest, expected: (0..100_000).map(|slot| slot % 7 != 0).collect() }
    }

    /// For as much fuel as the table of costs says.
    fn act(&mut self, name: &str, args: &[u64]) {
        let answer = self.guest.call(name, args, plenty());
        let length = args[args.len() - 1];
        let acts = if name == "across" { 2 } else { 1 };
        assert_eq!((answer.kind(), answer.fuel()), (EndKind::Returned, acts * (4 + length / 8)), "{name} {args:?}");
    }

    fn check(&mut self, what: &str) {
        for (slot, expected) in self.expected.iter().enumerate() {
            let answer = self.guest.call("is_null", &[slot as u64], plenty());
            assert_eq!(answer.values, [u64::from(*expected)], "{what}: slot {slot}");
        }
    }
}

#[test]
fn long_acts_on_tables_do_what_short_ones_do() {
    for tier in TIERS {
        let mut table = LongTable::new(tier);
        for (to, from, length) in
            [(1, 0, 99_999), (0, 2, 99_998), (3, 40_000, 32_769), (34_465, 0, 65_535), (0, 0, 70_000)]
        {
            table.act("copy", &[to, from, length]);
            table.expected.copy_within(from as usize..(from + length) as usize, to as usize);
            table.check(&format!("{tier:?} copy to {to} from {from}, {length} slots"));
        }
        for (name, from, length) in [("fill", 5, 32_768), ("clear", 9, 65_537), ("fill", 30_000, 70_000)] {
            table.act(name, &[from, length]);
            table.expected[from as usize..(from + length) as usize].fill(name == "clear");
            table.check(&format!("{tier:?} {name} from {from}, {length} slots"));
        }
        table.act("across", &[7, 11, 65_529]);
        assert_eq!(table.guest.call("grow", &[100_000], plenty()).values, [100_000]);
        table.expected.resize(200_000, false);
        table.check(&format!("{tier:?} across, and grown"));
    }
}

#[test]
fn long_acts_on_tables_that_leave_them_trap() {
    let most = u64::from(u32::MAX);
    for tier in TIERS {
        for (name, args) in [
            ("fill", vec![60_001, 40_000]),
            ("fill", vec![100, most]),
            ("copy", vec![0, 60_001, 40_000]),
            ("copy", vec![60_001, 0, 40_000]),
            ("copy", vec![90_000, 0, most]),
            ("copy", vec![0, 90_000, most]),
        ] {
            let trap = LongTable::new(tier).guest.call(name, &args, plenty()).trap();
            assert_eq!(trap, Some(Trap::TableOutOfBounds), "{tier:?} {name} {args:?}");
        }
    }
}

#[test]
fn a_long_segment_is_copied_whole_or_not_at_all() {
    let bytes: String = (0..3 << 20).map(|at: usize| char::from(b'a' + (at % 23) as u8)).collect();
    let text = format!(
        r#"(module (memory 64) (data $d "{bytes}") (func (export "init") (param i32 i32 i32)
           (memory.init $d (local.get 0) (local.get 1) (local.get 2))))"#
    );
    for tier in TIERS {
        let mut guest = Guest::new(tier, &text);
        for (to, from, length) in [(5, 0, 3 << 20), (1, 7, 1 << 20), (9, 100, (2 << 20) + 1)] {
            let mut expected = guest.memory().to_vec();
            expected[to..to + length].copy_from_slice(&bytes.as_bytes()[from..from + length]);
            let answer = guest.call("init", &[to as u64, from as u64, length as u64], plenty());
            assert_eq!((answer.kind(), answer.fuel()), (EndKind::Returned, 4 + length as u64 / 64), "{tier:?}");
            assert!(guest.memory() == expected, "{tier:?} to {to} from {from}, {length} bytes");
        }
        for (to, from, length) in [(1 << 21, 0, (2 << 20) + 1), (0, 1 << 20, (2 << 20) + 1), (1 << 22, 0, 1 << 21)] {
            let mut guest = Guest::new(tier, &text);
            assert_eq!(guest.call("init", &[to, from, length], plenty()).trap(), Some(Trap::MemoryOutOfBounds));
            assert!(guest.memory().iter().all(|byte| *byte == 0), "{tier:?}");
        }
    }
}

#[test]
#[ignore = "asserts on times, so it wants the machine for itself"]
fn no_two_looks_are_two_milliseconds_apart() {
    let made =
        [("64 MiB", "(module (memory 1024))".into()), ("segments", segments_everywhere()), ("long", long_segment())];
    let mut from = filled(64);
    for tier in TIERS {
        let made = made.iter().map(|(name, text)| (*name, looks_while_made(text, tier)));
        let acts = long_acts().map(|(name, text, _)| (name, looks_in_run(&text, tier)));
        let carried = [("carried", looks_while_carried(&mut from, 64, tier))];
        for (name, looks) in made.chain(acts).chain(carried) {
            println!("{tier:?} {name}: {} looks, {:?} between two", looks.count, looks.longest);
            // SECURITY.md says why.
            let is_slow = tier == Tier::Compiled && name == "touch";
            assert!(is_slow || looks.longest < Duration::from_millis(2), "{name} {tier:?}");
        }
    }
}

#[test]
#[ignore = "prints a time"]
fn a_loop_of_compiled_code_takes_this_long() {
    let text = "(module (func (export \"run\") (param i64) (result i64) (local i64) (loop
        (local.set 1 (i64.add (i64.mul (local.get 1) (i64.const 31)) (local.get 0)))
        (br_if 0 (i64.ne (local.tee 0 (i64.sub (local.get 0) (i64.const 1))) (i64.const 0)))) (local.get 1)))";
    let mut guest = Guest::new(Tier::Compiled, text);
    let shortest = (0..20).map(|_| {
        let started = Instant::now();
        let answer = guest.call("run", &[100_000], Budget { fuel: 1 << 40, ..plenty() });
        (started.elapsed().as_nanos() as f64) / answer.fuel() as f64
    });
    println!("{:.4} ns for each of fuel", shortest.fold(f64::MAX, f64::min));
}
