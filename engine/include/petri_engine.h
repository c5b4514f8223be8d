/* petri_engine.h: what the two WebAssembly engines can do, in plain C.
 *
 * This is the whole border between petri's C++ and its Rust crate. The crate checks and meters modules,
 * loads them into one of two engines, and runs them under limits; it knows nothing of sandboxes.
 *
 * Conventions
 *  - A function that can fail returns a petri_status and fills a petri_error the caller owns (it may be NULL).
 *  - Handles have one owner and one *_drop each; dropping NULL is allowed. An artifact and a code may be used from
 *    any number of threads at once; an instance from one thread at a time, though it may move between threads.
 *  - A petri_text is borrowed from the handle it was asked of, is not NUL-terminated, and is what the guest sent:
 *    escape it before showing it.
 *  - A panic inside the crate is caught here and reported as PETRI_ENGINE_FAULT. C++ exceptions must not enter.
 */
#ifndef PETRI_ENGINE_H
#define PETRI_ENGINE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct petri_artifact petri_artifact; /* a checked module and its description; immutable */
typedef struct petri_code petri_code;         /* an artifact loaded for one tier, its imports bound */
typedef struct petri_instance petri_instance; /* one live instance: memory, tables, globals */
typedef struct petri_caller petri_caller;     /* the guest that called a host function; valid during that call */

typedef struct petri_text {
  const char* data;
  size_t size;
} petri_text;

typedef enum petri_tier { PETRI_INTERPRETED = 0, PETRI_COMPILED = 1 } petri_tier;

typedef enum petri_type { PETRI_I32 = 0, PETRI_I64 = 1, PETRI_F32 = 2, PETRI_F64 = 3, PETRI_FUNCREF = 4 } petri_type;

typedef enum petri_extern { PETRI_FUNCTION = 0, PETRI_TABLE = 1, PETRI_MEMORY = 2, PETRI_GLOBAL = 3 } petri_extern;

/* ---- failure ------------------------------------------------------------------------------------------- */

typedef enum petri_status {
  PETRI_OK = 0,
  PETRI_REJECTED = 1,     /* not a module petri accepts: malformed, invalid, a refused proposal, beyond a bound */
  PETRI_PARSE_FAILED = 2, /* wat text that does not parse; line and column are set */
  PETRI_MISUSE = 3,       /* the caller broke this header's rules (bad index, wrong slot count) */
  PETRI_ENGINE_FAULT = 4, /* an engine panicked or failed where it must not; never the guest's doing */
  PETRI_NOT_MOVABLE =
      5,           /* state cannot be carried from or into this instance: its module is not movable, or it has ended */
  PETRI_UNFIT = 6, /* this state does not fit this instance, which declares other memory or other mutable globals */
  PETRI_OVER_LIMIT = 7,       /* this state needs more memory than the instance may have */
  PETRI_FRAMES_TOO_LARGE = 8, /* the machine code needs more stack than the gate reckons with: compile it frugally */
  PETRI_STOPPED = 9           /* the instance was made within a budget that ended it before it was complete */
} petri_status;

typedef struct petri_error {
  int32_t status;
  uint32_t line, column; /* of PETRI_PARSE_FAILED, counted from 1 */
  uint64_t offset;       /* of PETRI_REJECTED: the byte the complaint is about, or UINT64_MAX */
  uint32_t message_size;
  char message[1020]; /* UTF-8, not NUL-terminated, cut at a character */
} petri_error;

/* ---- artifacts ------------------------------------------------------------------------------------------ */

/* Which of the two sets of bounds a module is held to: that of evolved code, or that of what compilers produce. */
enum { PETRI_BOUNDS_CANDIDATE = 0, PETRI_BOUNDS_PROGRAM = 1 };

/* Turns wat text into wasm bytes; the buffer is freed with petri_bytes_drop. */
typedef struct petri_bytes {
  uint8_t* data;
  size_t size;
} petri_bytes;
petri_status petri_wat(const char* text, size_t size, uint32_t bounds, petri_bytes* out, petri_error* error);
void petri_bytes_drop(petri_bytes bytes);
/* Turns wasm bytes that petri_prepare accepts into wat text; the buffer is freed with petri_bytes_drop. */
petri_status petri_wasm_text(const uint8_t* bytes, size_t size, petri_bytes* out, petri_error* error);

/* Checks bytes as they were sent (validity, accepted features, bounds) and describes them. Copies the bytes. */
petri_status petri_prepare(const uint8_t* bytes, size_t size, uint32_t bounds, petri_artifact** out,
                           petri_error* error);
/* The same for bytes whose SHA-256 the caller has computed; it is not computed again. */
petri_status petri_prepare_hashed(const uint8_t* bytes, size_t size, uint32_t bounds, const uint8_t sha256[32],
                                  petri_artifact** out, petri_error* error);
void petri_artifact_drop(petri_artifact* artifact);

/* Bits of petri_module_info.features: the accepted additions to the MVP that a module uses. */
enum {
  PETRI_USES_MUTABLE_GLOBALS = 1 << 0, /* imported or exported */
  PETRI_USES_SIGN_EXTENSION = 1 << 1,
  PETRI_USES_SATURATING_CONVERSIONS = 1 << 2,
  PETRI_USES_BULK_MEMORY = 1 << 3,
  PETRI_USES_MULTI_VALUE = 1 << 4,
  PETRI_USES_REFERENCE_TYPES = 1 << 5,
  PETRI_USES_EXTENDED_CONST = 1 << 6
};

/* Bits of petri_module_info.not_movable: why a live instance cannot be moved, copied or saved; 0 means it can. */
enum {
  PETRI_WRITES_TABLE = 1 << 0,        /* table.set, grow, fill, copy, init */
  PETRI_DROPS_SEGMENT = 1 << 1,       /* elem.drop, data.drop */
  PETRI_READS_PASSIVE_DATA = 1 << 2,  /* memory.init */
  PETRI_MUTABLE_REFERENCE = 1 << 3,   /* a mutable global of reference type */
  PETRI_IMPORTS_NON_FUNCTION = 1 << 4 /* memory, table or global not its own */
};

typedef struct petri_module_info {
  uint8_t sha256[32]; /* of the bytes as sent */
  uint64_t bytes;
  uint64_t code_bytes;    /* of all function bodies, as sent */
  uint64_t metered_bytes; /* of the module the engines see */
  uint32_t types, imports, functions, tables, memories, globals, exports, element_segments, data_segments;
  uint32_t has_start;
  uint32_t features;
  uint32_t not_movable;
  uint64_t memory_pages_min, memory_pages_max; /* max: UINT64_MAX when not declared */
  uint64_t table_slots_min;                    /* over all tables */
  uint64_t instance_bytes;                     /* that an engine keeps for an instance, beside these and a constant */
  uint64_t stack_bytes_fixed;                  /* native stack the functions outside all cycles may need together */
  uint64_t stack_bytes_per_depth;              /* and each unit of call depth at most */
} petri_module_info;
void petri_artifact_info(const petri_artifact* artifact, petri_module_info* out);
/* The bytes as sent; borrowed from the artifact. */
void petri_artifact_bytes(const petri_artifact* artifact, const uint8_t** data, size_t* size);

typedef struct petri_signature {
  const uint8_t* params; /* petri_type each; borrowed from the artifact */
  const uint8_t* results;
  uint32_t params_count, results_count;
} petri_signature;

typedef struct petri_import_info {
  petri_text module, name;
  uint32_t kind;             /* petri_extern */
  petri_signature signature; /* of a function */
  uint64_t offset;           /* of its module's name, in the module as sent */
} petri_import_info;
petri_status petri_artifact_import(const petri_artifact* artifact, uint32_t index, petri_import_info* out);

typedef struct petri_export_info {
  petri_text name;
  uint32_t kind;
  uint32_t index;            /* in the index space of its kind, as sent */
  petri_signature signature; /* of a function */
  uint32_t global_type;      /* petri_type of a global */
  uint32_t global_mutable;
  uint64_t offset; /* of its name, in the module as sent */
} petri_export_info;
petri_status petri_artifact_export(const petri_artifact* artifact, uint32_t index, petri_export_info* out);

/* The name the module's name section gives a function, or an empty text. Parsed when first asked for. */
petri_text petri_artifact_function_name(const petri_artifact* artifact, uint32_t function);

/* ---- scanning ------------------------------------------------------------------------------------------- */

/* What a module would do, read from its wasm: never from names or from what its data holds. */
typedef enum petri_finding_kind {
  PETRI_FOUND_MEMORY_MINIMUM = 0,   /* number: bytes */
  PETRI_FOUND_MEMORY_UNBOUNDED = 1, /* number: bytes at the start */
  PETRI_FOUND_TABLE_MINIMUM = 2,    /* number: slots */
  PETRI_FOUND_START_FUNCTION = 3,
  PETRI_FOUND_ENDLESS_LOOP = 4,   /* severity high: neither calls nor can trap; medium: can trap; low: calls */
  PETRI_FOUND_INDIRECT_CALLS = 5, /* number: how many in this function; offset: of the first */
  PETRI_FOUND_LARGE_FUNCTION = 6, /* number: bytes */
  PETRI_FOUND_CUSTOM_SECTION = 7, /* number: bytes; name is set */
  PETRI_FOUND_DEBUG_INFORMATION = 8,
  PETRI_FOUND_LARGE_DATA = 9 /* number: bytes of the segment */
} petri_finding_kind;

typedef enum petri_severity { PETRI_INFO = 0, PETRI_LOW = 1, PETRI_MEDIUM = 2, PETRI_HIGH = 3 } petri_severity;

typedef struct petri_finding {
  uint32_t kind;     /* petri_finding_kind */
  uint32_t severity; /* petri_severity */
  uint32_t function; /* as sent; UINT32_MAX when it is about none */
  uint64_t offset;   /* in the module as sent */
  uint64_t number;
  petri_text name; /* borrowed from the artifact */
} petri_finding;

typedef struct petri_scan petri_scan;
/* Keeps the findings_max most severe, the most severe first; takes time linear in the module's bytes. */
petri_status petri_artifact_scan(const petri_artifact* artifact, uint32_t findings_max, petri_scan** out,
                                 petri_error* error);
void petri_scan_drop(petri_scan* scan);
uint32_t petri_scan_kept(const petri_scan* scan);
/* How many there are of a severity, kept or not. */
uint64_t petri_scan_count(const petri_scan* scan, uint32_t severity);
petri_status petri_scan_finding(const petri_scan* scan, uint32_t index, petri_finding* out);

/* ---- host functions ------------------------------------------------------------------------------------- */

typedef enum petri_after { PETRI_CONTINUE = 0, PETRI_STOP = 1 } petri_after;

/* Called with the guest's arguments, one 64-bit slot each (i32 and f32 in the low half, upper half unspecified);
 * fills the results likewise. The declared fuel has been charged. PETRI_STOP ends the guest as
 * petri_caller_stop or a failed petri_caller_charge has said. NaN results are made canonical by the crate. */
typedef petri_after (*petri_callback)(void* data, petri_caller* caller, const uint64_t* args, uint64_t* results);

typedef struct petri_host_function {
  petri_callback callback; /* NULL: the crate's own function, by `intrinsic` */
  void* data;
  uint32_t fuel;      /* charged on entry */
  uint32_t intrinsic; /* an index of petri_math_function */
} petri_host_function;

/* Borrowed until the guest runs again; NULL and 0 when it has no memory. Look it up again after anything that may grow
 * it. */
void petri_caller_memory(petri_caller* caller, uint8_t** data, size_t* size);
void* petri_caller_context(petri_caller* caller); /* as given to petri_call */
uint64_t petri_caller_fuel_used(petri_caller* caller);
/* Charges more than was declared. PETRI_STOP: the guest has ended (fuel, deadline, interrupt); return PETRI_STOP too.
 */
petri_after petri_caller_charge(petri_caller* caller, uint64_t fuel);
/* Says how the guest ends; the callback then returns PETRI_STOP. `kind` is one of petri_end_kind. */
void petri_caller_stop(petri_caller* caller, uint32_t kind, int32_t code);

/* The functions of import module `math`, bit-identical everywhere: f64 parameters, one f64 result. */
typedef struct petri_math_info {
  petri_text name;
  uint32_t params_count; /* 1 or 2 */
  uint32_t fuel;
} petri_math_info;
uint32_t petri_math_count(void);
void petri_math_function(uint32_t index, petri_math_info* out);

/* ---- loading and running -------------------------------------------------------------------------------- */

/* Binds imports[i] to the artifact's i-th import, all of which must be functions, and translates for the tier.
 * The caller has checked names and types. Callback data must outlive the code and its instances. */
petri_status petri_load(const petri_artifact* artifact, petri_tier tier, const petri_host_function* imports,
                        size_t imports_count, petri_code** out, petri_error* error);
/* The same for the interpreted tier and code that is dropped soon, with all its instances: small modules that a thread
 * loads like this share what an engine keeps, and are freed together, some tens of modules later. */
petri_status petri_load_brief(const petri_artifact* artifact, const petri_host_function* imports, size_t imports_count,
                              petri_code** out, petri_error* error);
void petri_code_drop(petri_code* code);

/* The compiled tier in two steps, so that the compiler can run in another process:
 * petri_artifact_metered here, petri_precompile there, petri_load_precompiled here.
 *
 * The metered module, which the engines see; drop it with petri_bytes_drop. */
petri_status petri_artifact_metered(const petri_artifact* artifact, petri_bytes* out, petri_error* error);
/* Compiles a metered module to machine code and runs nothing of it; drop it with petri_bytes_drop. Needs 4 MiB of
 * stack. `frugal`: not 0 for code with smaller frames, after PETRI_FRAMES_TOO_LARGE. */
petri_status petri_precompile(const uint8_t* metered, size_t size, uint32_t frugal, petri_bytes* out,
                              petri_error* error);
/* Starts a second thread, with a stack of so many bytes, to which petri_precompile hands a part of each module. It
 * runs when this returns. Once in a process: only the thread that called this calls petri_precompile from then on, and
 * the process forks no more. When it fails, petri_precompile works as before. */
petri_status petri_compile_helper(size_t stack_bytes, petri_error* error);
/* As petri_load. The machine code is what petri_precompile made of this artifact's metered module, with the same
 * `frugal`, in this version of petri on this machine. It is run as it is: bytes from anywhere else would own this
 * process. */
petri_status petri_load_precompiled(const petri_artifact* artifact, const uint8_t* machine_code, size_t size,
                                    uint32_t frugal, const petri_host_function* imports, size_t imports_count,
                                    petri_code** out, petri_error* error);

/* What the host adds to every instance. Callbacks run on the guest's thread inside petri_call. */
typedef struct petri_host {
  const uint32_t*
      interrupt; /* read atomically at each slice: not 0 ends the guest as PETRI_END_CANCELLED; may be NULL */
  /* Asked before memory or tables grow from `have` to `want` bytes, within memory_bytes_max: 0 refuses, 1 allows it, 2
     ends the guest as PETRI_END_MEMORY_LIMIT. May be NULL. */
  uint32_t (*grow)(void* context, uint64_t have, uint64_t want);
  /* Asked when a turn is over; returns when the next one ends (monotonic ns), or 0 to end the guest as cancelled.
     `fuel_used` is that of this call so far; 0 in the middle of one long act. May be NULL. */
  uint64_t (*turn)(void* context, uint64_t fuel_used);
} petri_host;

typedef enum petri_end_kind {
  PETRI_END_RETURNED = 0,
  PETRI_END_TRAPPED = 1, /* `code` is a petri_trap */
  PETRI_END_OUT_OF_FUEL = 2,
  PETRI_END_DEADLINE = 3,
  PETRI_END_MEMORY_LIMIT = 4,
  PETRI_END_STACK_OVERFLOW = 5,
  PETRI_END_EXITED = 6,    /* `code` is the exit code */
  PETRI_END_CANCELLED = 7, /* interrupted */
  PETRI_END_REFUSED = 8    /* a host function ended the guest for a reason the caller keeps */
} petri_end_kind;

typedef enum petri_trap {
  PETRI_TRAP_UNREACHABLE = 0,
  PETRI_TRAP_INTEGER_DIVIDE_BY_ZERO = 1,
  PETRI_TRAP_INTEGER_OVERFLOW = 2,
  PETRI_TRAP_BAD_CONVERSION_TO_INTEGER = 3,
  PETRI_TRAP_MEMORY_OUT_OF_BOUNDS = 4,
  PETRI_TRAP_TABLE_OUT_OF_BOUNDS = 5,
  PETRI_TRAP_INDIRECT_CALL_TO_NULL = 6,
  PETRI_TRAP_BAD_SIGNATURE = 7
} petri_trap;

typedef struct petri_end {
  uint32_t kind;
  int32_t code;
  uint64_t fuel_used;
  uint64_t memory_bytes; /* 64 KiB a page + 8 a table slot, now; neither ever shrinks */
} petri_end;

typedef struct petri_budget {
  uint64_t fuel;        /* at most 2^62 */
  uint64_t deadline_ns; /* CLOCK_MONOTONIC; UINT64_MAX for none */
  uint64_t turn_ns;     /* when the first turn ends; UINT64_MAX for none */
  uint32_t call_depth;
} petri_budget;

/* Makes memory, tables and globals and copies the active segments; runs no guest code (call PETRI_START for that).
 * On PETRI_OK without an instance `end` says why: a minimum above memory_bytes_max is PETRI_END_MEMORY_LIMIT, a segment
 * that does not fit PETRI_END_TRAPPED. A large memory is made in pieces of a millisecond; between them the budget's
 * deadline and turn (with `context`) and the host's flag are looked at, unless `budget` is null. No fuel is used. The
 * instance keeps its code alive. */
petri_status petri_instantiate(const petri_code* code, const petri_host* host, uint64_t memory_bytes_max,
                               const petri_budget* budget, void* context, petri_instance** out, petri_end* end,
                               petri_error* error);
void petri_instance_drop(petri_instance* instance);
void petri_instance_set_memory_max(petri_instance* instance, uint64_t memory_bytes_max);

/* Calls the export with this index (as petri_artifact_export counts), or the start function. `slots` holds the
 * arguments and receives the results; slots_count is the larger of their numbers. After an end other than
 * PETRI_END_RETURNED the memory may still be read, but the instance cannot be called again, except after
 * PETRI_END_EXITED, which leaves it whole. */
#define PETRI_START UINT32_MAX
petri_status petri_call(petri_instance* instance, uint32_t export_index, const petri_budget* budget, void* context,
                        uint64_t* slots, size_t slots_count, petri_end* end, petri_error* error);

/* Calls an export `calls` times. `slots` holds `slots_each` slots for each call, as for petri_call, one call behind the
 * other; each call has the whole budget. Ends with the first call that does not return, or once those that returned
 * have used `fuel_max` together. */
typedef struct petri_series {
  uint64_t returned;  /* how many calls returned */
  uint64_t fuel_used; /* by them */
  petri_end end;      /* of the last call */
} petri_series;
petri_status petri_call_series(petri_instance* instance, uint32_t export_index, const petri_budget* budget,
                               void* context, uint64_t* slots, size_t slots_each, size_t calls, uint64_t fuel_max,
                               petri_series* series, petri_error* error);

/* Calls the guest's own export `petri_alloc` of type (i32) -> i32 on what it has left of its budget, if it has one, and
 * gives what that returned: any number, whatever the guest's memory is. 0 without one. When the guest ended in it,
 * `after` is PETRI_STOP: return that. Not from a host function that `petri_alloc` itself has called. */
petri_status petri_caller_allocate(petri_caller* caller, uint32_t bytes, uint32_t* address, petri_after* after,
                                   petri_error* error);

/* What is left to the guest of petri_budget.call_depth. */
uint32_t petri_caller_call_depth(petri_caller* caller);
/* Calls another instance for the guest, on what that has left of its budget: whatever it uses is charged to the guest.
 * When `end` is not PETRI_END_RETURNED the guest ends likewise: return PETRI_STOP. `slots` as for petri_call. The
 * instance is one that is not being called already. */
petri_status petri_caller_call(petri_caller* caller, petri_instance* instance, uint32_t export_index, uint64_t* slots,
                               size_t slots_count, petri_end* end, petri_error* error);

void petri_instance_memory(petri_instance* instance, uint8_t** data, size_t* size);

/* Globals by index as sent: numbers that are mutable, or exported, or both. One slot each, as in calls; only mutable
 * ones can be set. */
petri_status petri_instance_global(petri_instance* instance, uint32_t global, uint64_t* value);
petri_status petri_instance_set_global(petri_instance* instance, uint32_t global, uint64_t value);

/* What is carried of an instance that runs no call, besides the bytes of its memory. Pages are of 64 KiB. */
typedef struct petri_shape {
  uint64_t memory_pages_min, memory_pages_max; /* as declared; max: UINT64_MAX when it is not, 0 without memory */
  uint64_t memory_pages;                       /* now */
  uint64_t mutable_globals;
} petri_shape;

typedef struct petri_number {
  uint32_t type; /* petri_type */
  uint64_t slot;
} petri_number;

/* Both: of a live instance of a movable module. The mutable globals in their order, exported or not; `globals_count` is
 * petri_shape.mutable_globals. */
petri_status petri_instance_shape(petri_instance* instance, petri_shape* out, petri_error* error);
petri_status petri_instance_mutable_globals(petri_instance* instance, petri_number* globals, size_t globals_count,
                                            petri_error* error);
/* Grows memory to shape->memory_pages and sets all mutable globals. The declarations must be equal, memory no larger
 * yet, and memory_bytes_max is kept to; the host's `grow` is not asked. After PETRI_ENGINE_FAULT the instance is to be
 * dropped. An instance that was made within a budget looks at it while its memory grows; after PETRI_STOPPED it is to
 * be dropped. */
petri_status petri_instance_reshape(petri_instance* instance, const petri_shape* shape, const petri_number* globals,
                                    petri_error* error);

/* Carries memory, with its size, and all mutable globals from one instance into another that has not run yet, of any
 * tier. Both are of movable modules, the same or such as declare memory and mutable globals alike; memory_bytes_max
 * does not hold for what is carried. Neither start nor _initialize run again; `from` stays as it was. The budget that
 * `instance` was made within is looked at for each mebibyte; after PETRI_STOPPED it is to be dropped. */
petri_status petri_instance_adopt(petri_instance* instance, petri_instance* from, petri_error* error);

/* For whoever fills the memory of an instance that has not run yet: PETRI_STOPPED once the budget it was made within,
 * or the host's flag, ends it. Without such a budget PETRI_OK. */
petri_status petri_instance_look(petri_instance* instance, petri_error* error);

/* Sets one flag for each 4 KiB of an instance's memory from `memory` on: 0 only where it was never touched, and so is
 * zero. Reading such a page would take a page fault, and asking the kernel does not. */
void petri_touched_pages(const uint8_t* memory, uint8_t* flags, size_t flags_count);

/* Where the last call trapped, innermost frame first; 0 when the tier keeps no trace (interpreted) or nothing trapped.
 */
typedef struct petri_frame {
  uint32_t function; /* index as sent */
  uint64_t offset;   /* of the operator in the module as sent */
} petri_frame;
size_t petri_instance_backtrace(petri_instance* instance, petri_frame* frames, size_t frames_max);

void petri_sha256(const uint8_t* data, size_t size, uint8_t out[32]);

/* SHA-256 over bytes that come in pieces. The digest is that of all that were added so far; more may follow. */
typedef struct petri_hasher petri_hasher;
petri_hasher* petri_hasher_new(void);
void petri_hasher_add(petri_hasher* hasher, const uint8_t* data, size_t size);
void petri_hasher_digest(const petri_hasher* hasher, uint8_t out[32]);
void petri_hasher_drop(petri_hasher* hasher);

/* ---- tables for people ---------------------------------------------------------------------------------- */

typedef struct petri_bound {
  petri_text name; /* as errors name it */
  petri_text what;
  uint64_t candidate, program; /* the most in either set */
} petri_bound;
uint32_t petri_bound_count(void);
void petri_bound_at(uint32_t index, petri_bound* out);

typedef struct petri_fuel_rule {
  petri_text what;
  petri_text cost;
} petri_fuel_rule;
uint32_t petri_fuel_table_version(void);
uint32_t petri_fuel_rule_count(void);
void petri_fuel_rule_at(uint32_t index, petri_fuel_rule* out);

/* The engines' names and versions, for reports. */
petri_text petri_engine_versions(void);

/* ---- for benchmarks ------------------------------------------------------------------------------------- */

/* An engine as it comes: no meter, no limits, optionally its own fuel; one function of a module without imports. */
typedef struct petri_bare petri_bare;
petri_status petri_bare_open(const uint8_t* wasm, size_t size, petri_tier tier, uint32_t own_fuel,
                             const char* export_name, size_t export_name_size, petri_bare** out, petri_error* error);
petri_status petri_bare_call(petri_bare* bare, uint64_t* slots, size_t slots_count, petri_error* error);
/* Calls a function of type (f64) -> f64 with 0, 1, 2 ... in the quickest way the engine has. */
petri_status petri_bare_call_typed(petri_bare* bare, uint32_t times, double* sum, petri_error* error);
void petri_bare_drop(petri_bare* bare);

/* ---- for tests ------------------------------------------------------------------------------------------ */

typedef enum petri_step {
  PETRI_STEP_NONE,
  PETRI_STEP_PREPARE,
  PETRI_STEP_LOAD,
  PETRI_STEP_INSTANTIATE,
  PETRI_STEP_CALL,
  PETRI_STEP_DROP,
  PETRI_STEP_SCAN
} petri_step;
/* Makes the next such step on this thread panic inside the crate. */
void petri_panic_at(petri_step step);

#ifdef __cplusplus
}
#endif
#endif
