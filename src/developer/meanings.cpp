#include "developer/meanings.h"

#include "base/assert.h"

namespace petri::developer {

std::string_view meaning_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::not_found: return "What was named is not there: a function, a benchmark, a page.";
    case ErrorCode::already_exists: return "The name is taken.";
    case ErrorCode::validation_failed:
      return "An option, argument or field cannot be meant; all that is wrong is told at once.";
    case ErrorCode::parse_failed: return "The wat text does not parse; details `line` and `column` say where.";
    case ErrorCode::compilation_failed: return "The source does not compile.";
    case ErrorCode::rejected:
      return "The gate refused the module and names what it refused: malformed, invalid, a proposal petri does not "
             "accept, beyond a bound.";
    case ErrorCode::link_error: return "An import is unknown, of another type, or not permitted; it is named.";
    case ErrorCode::module_too_large: return "The module has more bytes than `module_bytes_max`.";
    case ErrorCode::too_large: return "Something else has more bytes than it may: an input, a message.";
    case ErrorCode::busy: return "It cannot be done just now; try again.";
    case ErrorCode::timeout: return "The caller's time passed before an answer came.";
    case ErrorCode::circular_dependency: return "Modules import each other in a ring; the ring is named.";
    case ErrorCode::version_not_found: return "The module has no version of this number.";
    case ErrorCode::state_incompatible: return "The state of one version cannot become the state of the other.";
    case ErrorCode::migration_failed: return "A hook that carries state over failed or took too long.";
    case ErrorCode::limit_exceeded: return "A limit refused it.";
    case ErrorCode::permission_denied: return "The permission it needs is not granted.";
    case ErrorCode::queue_full: return "The mailbox is full.";
    case ErrorCode::deadlock: return "The call would wait for itself.";
    case ErrorCode::cancelled: return "It was cancelled before it began.";
    case ErrorCode::not_now: return "Refused while a reload is under way.";
    case ErrorCode::io_error:
      return "Reading or writing failed. A file named by the caller that cannot be read is bad input (exit code 4).";
    case ErrorCode::engine_fault:
      return "An engine failed where it must not. Never the guest's doing: please report it.";
    case ErrorCode::host_fault: return "petri or the machine failed: memory, threads. Never the guest's doing.";
    case ErrorCode::start_failed: return "The guest ended while it was being started; the outcome says how.";
  }
  PETRI_UNREACHABLE();
}

std::string_view meaning_of(OutcomeKind kind) {
  switch (kind) {
    case OutcomeKind::ok: return "The function returned; `values` are its results.";
    case OutcomeKind::trapped: return "A trap of WebAssembly; `trap` says which, `backtrace` where.";
    case OutcomeKind::out_of_fuel: return "It needed more fuel than `fuel_max`; `fuel_used` equals the limit.";
    case OutcomeKind::deadline: return "It ran longer than `execution_time_max`. Not repeatable.";
    case OutcomeKind::memory_limit: return "Its memory and tables do not fit into `memory_bytes_max` from the start.";
    case OutcomeKind::stack_overflow: return "Its calls nest deeper than `call_depth_max`.";
    case OutcomeKind::cpu_limit: return "It kept the processor longer than its share allows.";
    case OutcomeKind::output_limit:
      return "It wrote more than `output_bytes_max`: a run ends there; of a live process the rest is cut and counted.";
    case OutcomeKind::exited: return "It called `exit` or `proc_exit`; `exit_code` says with what.";
    case OutcomeKind::cancelled: return "Somebody outside stopped it. Not repeatable.";
  }
  PETRI_UNREACHABLE();
}

std::string_view meaning_of(TrapCode code) {
  switch (code) {
    case TrapCode::unreachable: return "An `unreachable` instruction; what compilers put where control must not come.";
    case TrapCode::integer_divide_by_zero: return "Integer division or remainder by zero.";
    case TrapCode::integer_overflow: return "The quotient does not fit, or a float is too large for the integer type.";
    case TrapCode::bad_conversion_to_integer: return "NaN converted to an integer.";
    case TrapCode::memory_out_of_bounds: return "A load, store, bulk operation or data segment outside the memory.";
    case TrapCode::table_out_of_bounds: return "A table access, indirect call or element segment outside the table.";
    case TrapCode::indirect_call_to_null: return "An indirect call through an empty table slot.";
    case TrapCode::bad_signature: return "An indirect call to a function of another type.";
  }
  PETRI_UNREACHABLE();
}

std::string_view meaning_of(Permission permission) {
  switch (permission) {
    case Permission::messages: return "Send messages to processes of the same sandbox and call them.";
    case Permission::timers: return "Ask for a message to oneself, later.";
    case Permission::spawn: return "Start and stop children under the sandbox's dynamic supervisor.";
    case Permission::log: return "Write log lines, bounded and escaped.";
    case Permission::clock: return "Read the time, in whole milliseconds or virtual.";
    case Permission::random: return "Draw seeded random numbers.";
    case Permission::file_read: return "Read files inside the one granted folder.";
    case Permission::file_write: return "Make, change and remove files inside the one granted folder.";
  }
  PETRI_UNREACHABLE();
}

}  // namespace petri::developer
