// A guest written in AssemblyScript talks to its host with these, the functions of guest/c/petri.h. ABI 1.
//
//   asc guest.ts --runtime incremental --use abort=petri/petri_abort -o guest.wasm
//
// with `import * as petri from "./petri"` and `export { petri_alloc } from "./petri"` in guest.ts. Results below zero
// are errors (the numbers of `Error`); then nothing was written. A function needs its permission (in brackets) when the
// guest is linked.

export enum Error {
  INVALID = -1,
  OUT_OF_BOUNDS = -2,
  PERMISSION_DENIED = -3,
  NOT_FOUND = -4,
  ALREADY_EXISTS = -5,
  TOO_LARGE = -6,
  LIMIT_EXCEEDED = -7,
  QUEUE_FULL = -8,
  DEADLOCK = -9,
  TIMEOUT = -10,
  NOT_NOW = -11,
  CANCELLED = -12,
  HOST_FUNCTION_THREW = -13,
  TOO_DEEP = -14,
  BUSY = -15,
}

export enum Level { TRACE = 0, DEBUG = 1, INFO = 2, WARNING = 3, ERROR = 4 }
export enum Message { NONE = 0, CALL = 1, SEND = 2, TIMER = 3, CHILD_EXIT = 4 }

// @ts-ignore: decorator
@external("petri", "input_size")
declare function input_size(): i32;
// @ts-ignore: decorator
@external("petri", "input_read")
declare function input_read(destination: usize, offset: u32, length: u32): i32;
// @ts-ignore: decorator
@external("petri", "output_write")
declare function output_write(source: usize, length: u32): i32;
// @ts-ignore: decorator
@external("petri", "log")
declare function raw_log(level: i32, text: usize, length: u32): i32;
// Whole milliseconds since 1970 [clock]; in deterministic runs since the run started, at a million of fuel each.
// @ts-ignore: decorator
@external("petri", "clock_ms")
export declare function clock_ms(): i64;
// 64 random bits that depend on the seed alone [random].
// @ts-ignore: decorator
@external("petri", "random")
export declare function random(): i64;
// Ends the guest with a code.
// @ts-ignore: decorator
@external("petri", "exit")
export declare function exit(code: i32): void;
// The kind of message that petri_handle got, a number of Message.
// @ts-ignore: decorator
@external("petri", "message_kind")
export declare function message_kind(): i32;
// The tag of a timer; the exit code of a child, or, when it did not exit, its reason << 32.
// @ts-ignore: decorator
@external("petri", "message_tag")
export declare function message_tag(): i64;
// @ts-ignore: decorator
@external("petri", "sender")
declare function raw_sender(destination: usize, capacity: u32): i32;
// @ts-ignore: decorator
@external("petri", "self")
declare function raw_self(destination: usize, capacity: u32): i32;
// @ts-ignore: decorator
@external("petri", "send")
declare function raw_send(to: usize, to_length: u32, source: usize, length: u32): i32;
// @ts-ignore: decorator
@external("petri", "call")
declare function raw_call(to: usize, to_length: u32, source: usize, length: u32, timeout_ms: u32): i32;
// @ts-ignore: decorator
@external("petri", "reply_read")
declare function reply_read(destination: usize, offset: u32, length: u32): i32;
// @ts-ignore: decorator
@external("petri", "spawn")
declare function raw_spawn(spec: usize, length: u32): i32;
// @ts-ignore: decorator
@external("petri", "stop")
declare function raw_stop(name: usize, length: u32): i32;
// A message to oneself with this tag, not before so many milliseconds [timers].
// @ts-ignore: decorator
@external("petri", "timer")
export declare function timer(milliseconds: u32, tag: i64): i32;

function utf8(text: string): ArrayBuffer {
  return String.UTF8.encode(text);
}

function address(bytes: ArrayBuffer): usize {
  return changetype<usize>(bytes);
}

// All bytes that the guest was called with.
export function input(): ArrayBuffer {
  const bytes = new ArrayBuffer(input_size());
  input_read(address(bytes), 0, bytes.byteLength);
  return bytes;
}
export function input_text(): string {
  return String.UTF8.decode(input());
}
// Appends to the answer; how many bytes were kept: fewer once the answer is full.
export function output(bytes: ArrayBuffer): i32 {
  return output_write(address(bytes), bytes.byteLength);
}
export function output_text(text: string): i32 {
  return output(utf8(text));
}
// A line of the log [log]; how many bytes were kept.
export function log(level: Level, text: string): i32 {
  const bytes = utf8(text);
  return raw_log(level, address(bytes), bytes.byteLength);
}

function name_in(bytes: ArrayBuffer, length: i32): string {
  return String.UTF8.decodeUnsafe(address(bytes), max(0, min(length, bytes.byteLength)));
}
// The sender's name; empty when the message comes from outside.
export function sender(): string {
  const bytes = new ArrayBuffer(1024); // no name is longer
  return name_in(bytes, raw_sender(address(bytes), bytes.byteLength));
}
// The own name.
export function self_name(): string {
  const bytes = new ArrayBuffer(1024);
  return name_in(bytes, raw_self(address(bytes), bytes.byteLength));
}
// Puts a message into the mailbox of a process of the same sandbox [messages].
export function send(to: string, message: ArrayBuffer): i32 {
  const name = utf8(to);
  return raw_send(address(name), name.byteLength, address(message), message.byteLength);
}
// Calls a process of the same sandbox and waits [messages]; 0 ms: no time-out of its own. How long the reply is.
export function call(to: string, message: ArrayBuffer, timeout_ms: u32): i32 {
  const name = utf8(to);
  return raw_call(address(name), name.byteLength, address(message), message.byteLength, timeout_ms);
}
// The last reply, of this length.
export function reply(length: i32): ArrayBuffer {
  const bytes = new ArrayBuffer(length);
  reply_read(address(bytes), 0, length);
  return bytes;
}
// Starts a child from a JSON text [spawn]: {"id": "a", "module": "m"}.
export function spawn(spec: string): i32 {
  const bytes = utf8(spec);
  return raw_spawn(address(bytes), bytes.byteLength);
}
// Stops a child that was spawned [spawn].
export function stop(name: string): i32 {
  const bytes = utf8(name);
  return raw_stop(address(bytes), bytes.byteLength);
}

// The memory that host functions return bytes in.
export function petri_alloc(bytes: u32): usize {
  return heap.alloc(bytes);
}

// Where a host function that returns bytes writes their place: pass `place.receive()` as its last argument, then take
// them with `text()` or `bytes()`, once.
@unmanaged
export class Place {
  address: usize;
  length: u32;
}
export class Received {
  private place: usize = heap.alloc(8);

  receive(): usize {
    store<u64>(this.place, 0);
    return this.place;
  }
  bytes(): ArrayBuffer {
    const place = changetype<Place>(this.place);
    const copy = new ArrayBuffer(place.length);
    memory.copy(changetype<usize>(copy), place.address, place.length);
    if (place.length > 0) heap.free(place.address);
    heap.free(this.place);
    return copy;
  }
  text(): string {
    return String.UTF8.decode(this.bytes());
  }
}

// In place of the import env.abort: the message as a line of the log, then a trap.
export function petri_abort(message: string | null, file: string | null, line: u32, column: u32): void {
  const where = (file === null ? "guest" : file) + ":" + line.toString() + ":" + column.toString();
  log(Level.ERROR, where + ": " + (message === null ? "abort" : message));
  unreachable();
}

// Mathematics, the same to the bit everywhere.
export namespace math {
  // @ts-ignore: decorator
  @external("math", "sin")
  export declare function sin(x: f64): f64;
  // @ts-ignore: decorator
  @external("math", "cos")
  export declare function cos(x: f64): f64;
  // @ts-ignore: decorator
  @external("math", "tan")
  export declare function tan(x: f64): f64;
  // @ts-ignore: decorator
  @external("math", "asin")
  export declare function asin(x: f64): f64;
  // @ts-ignore: decorator
  @external("math", "acos")
  export declare function acos(x: f64): f64;
  // @ts-ignore: decorator
  @external("math", "atan")
  export declare function atan(x: f64): f64;
  // @ts-ignore: decorator
  @external("math", "sinh")
  export declare function sinh(x: f64): f64;
  // @ts-ignore: decorator
  @external("math", "cosh")
  export declare function cosh(x: f64): f64;
  // @ts-ignore: decorator
  @external("math", "tanh")
  export declare function tanh(x: f64): f64;
  // @ts-ignore: decorator
  @external("math", "asinh")
  export declare function asinh(x: f64): f64;
  // @ts-ignore: decorator
  @external("math", "acosh")
  export declare function acosh(x: f64): f64;
  // @ts-ignore: decorator
  @external("math", "atanh")
  export declare function atanh(x: f64): f64;
  // @ts-ignore: decorator
  @external("math", "exp")
  export declare function exp(x: f64): f64;
  // @ts-ignore: decorator
  @external("math", "exp2")
  export declare function exp2(x: f64): f64;
  // @ts-ignore: decorator
  @external("math", "expm1")
  export declare function expm1(x: f64): f64;
  // @ts-ignore: decorator
  @external("math", "log")
  export declare function log(x: f64): f64;
  // @ts-ignore: decorator
  @external("math", "log2")
  export declare function log2(x: f64): f64;
  // @ts-ignore: decorator
  @external("math", "log10")
  export declare function log10(x: f64): f64;
  // @ts-ignore: decorator
  @external("math", "log1p")
  export declare function log1p(x: f64): f64;
  // @ts-ignore: decorator
  @external("math", "cbrt")
  export declare function cbrt(x: f64): f64;
  // @ts-ignore: decorator
  @external("math", "erf")
  export declare function erf(x: f64): f64;
  // @ts-ignore: decorator
  @external("math", "tgamma")
  export declare function tgamma(x: f64): f64;
  // @ts-ignore: decorator
  @external("math", "lgamma")
  export declare function lgamma(x: f64): f64;
  // @ts-ignore: decorator
  @external("math", "atan2")
  export declare function atan2(x: f64, y: f64): f64;
  // @ts-ignore: decorator
  @external("math", "pow")
  export declare function pow(x: f64, y: f64): f64;
  // @ts-ignore: decorator
  @external("math", "fmod")
  export declare function fmod(x: f64, y: f64): f64;
  // @ts-ignore: decorator
  @external("math", "hypot")
  export declare function hypot(x: f64, y: f64): f64;
}
