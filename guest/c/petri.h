/* petri.h: what a guest written in C or C++ needs to talk to its host. ABI 1.
 *
 * One header, nothing to link. It needs no libc, so that it serves both of these:
 *
 *   clang --target=wasm32 -nostdlib -Wl,--no-entry -O2 -I guest/c guest.c -o guest.wasm
 *   clang --target=wasm32-wasi -mexec-model=reactor -O2 -I guest/c guest.c -o guest.wasm
 *
 * A wasi-libc newer than Debian 12's calls the second target wasm32-wasip1. `petri compile guest.c` finds out which it
 * is, finds this header by itself, and runs the compiler in a jail.
 *
 * Functions that return int32_t answer with a number below zero, one of petri_error, when they refuse; then nothing was
 * written. A function needs its permission (in brackets) when the guest is linked.
 */
#ifndef PETRI_H
#define PETRI_H

#ifndef __wasm__
#error "petri.h is for guests: compile for wasm32"
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef __INT32_TYPE__ petri_i32;
typedef __INT64_TYPE__ petri_i64;
typedef __SIZE_TYPE__ petri_size;

#define PETRI_IMPORT(module, name) __attribute__((import_module(module), import_name(name)))
/* PETRI_EXPORT("add") int add(int a, int b) { ... }: a function the host calls by this name. */
#define PETRI_EXPORT(name) __attribute__((export_name(name)))

/* The numbers are frozen. */
enum petri_error {
  PETRI_ERROR_INVALID = -1,
  PETRI_ERROR_OUT_OF_BOUNDS = -2,
  PETRI_ERROR_PERMISSION_DENIED = -3,
  PETRI_ERROR_NOT_FOUND = -4,
  PETRI_ERROR_ALREADY_EXISTS = -5,
  PETRI_ERROR_TOO_LARGE = -6,
  PETRI_ERROR_LIMIT_EXCEEDED = -7,
  PETRI_ERROR_QUEUE_FULL = -8,
  PETRI_ERROR_DEADLOCK = -9,
  PETRI_ERROR_TIMEOUT = -10,
  PETRI_ERROR_NOT_NOW = -11,
  PETRI_ERROR_CANCELLED = -12,
  PETRI_ERROR_HOST_FUNCTION_THREW = -13,
  PETRI_ERROR_TOO_DEEP = -14,
  PETRI_ERROR_BUSY = -15
};

enum petri_log_level {
  PETRI_LOG_TRACE = 0,
  PETRI_LOG_DEBUG = 1,
  PETRI_LOG_INFO = 2,
  PETRI_LOG_WARNING = 3,
  PETRI_LOG_ERROR = 4
};

/* ---- the bytes of this call ------------------------------------------------------------------------------ */

/* How many bytes the guest was called with. */
PETRI_IMPORT("petri", "input_size") petri_i32 petri_input_size(void);
/* Copies input from `offset` on, at most `length` bytes; answers how many, 0 past the end. */
PETRI_IMPORT("petri", "input_read") petri_i32 petri_input_read(void* destination, petri_size offset, petri_size length);
/* Appends to the answer; answers how many bytes were kept: fewer once the answer is full. */
PETRI_IMPORT("petri", "output_write") petri_i32 petri_output_write(const void* source, petri_size length);

/* ---- the world ------------------------------------------------------------------------------------------- */

/* A line of the log [log]; answers how many bytes were kept. */
PETRI_IMPORT("petri", "log") petri_i32 petri_log(petri_i32 level, const char* text, petri_size length);
/* Whole milliseconds since 1970 [clock]; in deterministic runs since the run started, at a million of fuel each. */
PETRI_IMPORT("petri", "clock_ms") petri_i64 petri_clock_ms(void);
/* 64 random bits that depend on the seed alone [random]. */
PETRI_IMPORT("petri", "random") petri_i64 petri_random(void);
/* Ends the guest with a code. */
PETRI_IMPORT("petri", "exit") __attribute__((noreturn)) void petri_exit(petri_i32 code);

/* ---- live processes: messages, children, timers ----------------------------------------------------------- */

enum petri_message_kind {
  PETRI_MESSAGE_NONE = 0,
  PETRI_MESSAGE_CALL = 1,
  PETRI_MESSAGE_SEND = 2,
  PETRI_MESSAGE_TIMER = 3,
  PETRI_MESSAGE_CHILD_EXIT = 4
};

/* Why a child has ended. */
enum petri_exit_reason {
  PETRI_EXIT_EXITED = 1,  /* it ended itself: exit(code), or a handler that did not return 0 */
  PETRI_EXIT_STOPPED = 2, /* it was told to stop: by petri_stop, by the host, or because its supervisor gave up */
  PETRI_EXIT_TRAPPED = 3,
  PETRI_EXIT_LIMIT = 4,     /* a limit ended it */
  PETRI_EXIT_CANCELLED = 5, /* somebody cancelled what it did */
  PETRI_EXIT_FAILED = 6     /* the host could not continue it */
};

/* The input of a PETRI_MESSAGE_CHILD_EXIT, little-endian. The child's name starts `name_offset` bytes from the start:
 * a later format may have more before it. */
struct petri_child_exit {
  petri_size format;      /* 1 */
  petri_size name_offset; /* 24 */
  petri_size reason;      /* petri_exit_reason */
  petri_i32 code;         /* of PETRI_EXIT_EXITED, else 0 */
  petri_size runs_again;  /* 1: it has been started again; 0: it is gone, and its name is free */
  petri_size name_length;
};

/* What petri_handle got; its bytes are the input. */
PETRI_IMPORT("petri", "message_kind") petri_i32 petri_message_kind(void);
/* The tag of a timer; the exit code of a child, or, when it did not exit, its reason (PETRI_EXIT_) << 32. */
PETRI_IMPORT("petri", "message_tag") petri_i64 petri_message_tag(void);
/* The sender's name, and the own one, copied when all of it fits; both answer how long it is. */
PETRI_IMPORT("petri", "sender") petri_i32 petri_sender(char* destination, petri_size capacity);
PETRI_IMPORT("petri", "self") petri_i32 petri_self(char* destination, petri_size capacity);
/* Puts a message into the mailbox of a process of the same sandbox [messages]. */
PETRI_IMPORT("petri", "send")
petri_i32 petri_send(const char* to, petri_size to_length, const void* source, petri_size length);
/* Calls a process of the same sandbox and waits [messages]; 0 ms: no time-out of its own. Answers how long the reply
 * is. */
PETRI_IMPORT("petri", "call")
petri_i32 petri_call(const char* to, petri_size to_length, const void* source, petri_size length,
                     petri_size timeout_ms);
/* Copies the last reply from `offset` on [messages]; answers how many bytes, 0 past the end. */
PETRI_IMPORT("petri", "reply_read") petri_i32 petri_reply_read(void* destination, petri_size offset, petri_size length);
/* Starts a child from a JSON text [spawn]: {"id": "a", "module": "m"}, or one more child of a simple_one_for_one
 * supervisor after its template, {"supervisor": "pool", "id": "a", "input": "text"}, whose name is then "pool/a". The
 * process that spawned it gets a message PETRI_MESSAGE_CHILD_EXIT each time it ends. PETRI_ERROR_CANCELLED: it did not
 * start, because its petri_init failed or the sandbox is being ended. */
PETRI_IMPORT("petri", "spawn") petri_i32 petri_spawn(const char* spec, petri_size length);
/* Stops a child that was spawned [spawn]. PETRI_ERROR_NOT_NOW: that is the caller itself. */
PETRI_IMPORT("petri", "stop") petri_i32 petri_stop(const char* name, petri_size length);
/* A message to oneself with this tag, not before so many milliseconds [timers]. */
PETRI_IMPORT("petri", "timer") petri_i32 petri_timer(petri_size milliseconds, petri_i64 tag);

/* ---- mathematics, the same to the bit everywhere --------------------------------------------------------- */

PETRI_IMPORT("math", "sin") double petri_sin(double x);
PETRI_IMPORT("math", "cos") double petri_cos(double x);
PETRI_IMPORT("math", "tan") double petri_tan(double x);
PETRI_IMPORT("math", "asin") double petri_asin(double x);
PETRI_IMPORT("math", "acos") double petri_acos(double x);
PETRI_IMPORT("math", "atan") double petri_atan(double x);
PETRI_IMPORT("math", "atan2") double petri_atan2(double y, double x);
PETRI_IMPORT("math", "sinh") double petri_sinh(double x);
PETRI_IMPORT("math", "cosh") double petri_cosh(double x);
PETRI_IMPORT("math", "tanh") double petri_tanh(double x);
PETRI_IMPORT("math", "asinh") double petri_asinh(double x);
PETRI_IMPORT("math", "acosh") double petri_acosh(double x);
PETRI_IMPORT("math", "atanh") double petri_atanh(double x);
PETRI_IMPORT("math", "exp") double petri_exp(double x);
PETRI_IMPORT("math", "exp2") double petri_exp2(double x);
PETRI_IMPORT("math", "expm1") double petri_expm1(double x);
PETRI_IMPORT("math", "log") double petri_log_e(double x);
PETRI_IMPORT("math", "log2") double petri_log2(double x);
PETRI_IMPORT("math", "log10") double petri_log10(double x);
PETRI_IMPORT("math", "log1p") double petri_log1p(double x);
PETRI_IMPORT("math", "pow") double petri_pow(double x, double y);
PETRI_IMPORT("math", "fmod") double petri_fmod(double x, double y);
PETRI_IMPORT("math", "cbrt") double petri_cbrt(double x);
PETRI_IMPORT("math", "hypot") double petri_hypot(double x, double y);
PETRI_IMPORT("math", "erf") double petri_erf(double x);
PETRI_IMPORT("math", "tgamma") double petri_tgamma(double x);
PETRI_IMPORT("math", "lgamma") double petri_lgamma(double x);

/* ---- state that another version of the guest takes over --------------------------------------------------- */

/* Describes variables at file scope, so that the host can read and write them between two calls, and carry them by name
 * to another version of the guest. Once in a guest; C11 or C++11.
 *
 *   static petri_i32 hits;
 *   static double scores[8];
 *   static char title[32];
 *   PETRI_STATE(PETRI_FIELD(hits), PETRI_LIST(scores), PETRI_TEXT(title));
 *
 * In C++ the variables are looked up among the members of the table first, so these have names that no guest has.
 */
#define PETRI_STATE(...)                                                         \
  PETRI_STATE_TABLE_ struct petri_state_table {                                  \
    petri_size petri_magic_, petri_version_, petri_count_, petri_entry_size_;    \
    struct petri_state_entry petri_entries_[PETRI_STATE_COUNT_(__VA_ARGS__)];    \
  } const petri_state __attribute__((used)) = {0x41545350, /* "PSTA" */          \
                                               1,                                \
                                               PETRI_STATE_COUNT_(__VA_ARGS__),  \
                                               sizeof(struct petri_state_entry), \
                                               {__VA_ARGS__}};                   \
  __asm__(".export_name petri_state, petri_state")

/* An integer of 8 to 64 bits, a float, a double or a bool. */
#define PETRI_FIELD(variable) PETRI_ENTRY_(#variable, PETRI_TYPE_(variable), &(variable), 1, sizeof(variable))
/* An array of them. */
#define PETRI_LIST(array) \
  PETRI_ENTRY_(#array, PETRI_TYPE_((array)[0]), (array), PETRI_LENGTH_(array), sizeof((array)[0]))
/* One member of all structs of an array, as the list "array.member". */
#define PETRI_COLUMN(array, member)                                                                          \
  PETRI_ENTRY_(#array "." #member, PETRI_TYPE_((array)[0].member), &(array)[0].member, PETRI_LENGTH_(array), \
               sizeof((array)[0]))
/* An array of chars: UTF-8 up to its first zero byte, or its end. */
#define PETRI_TEXT(array) PETRI_ENTRY_(#array, 13, (array), sizeof(array), 1)
/* Any array, or any variable, as the bytes it has. */
#define PETRI_BYTES(variable) PETRI_ENTRY_(#variable, 12, &(variable), sizeof(variable), 1)

struct petri_state_entry {
  const char* name;
  petri_size name_length, type;
  const void* address;
  petri_size count, stride;
};

#ifdef __cplusplus
#define PETRI_STATE_TABLE_ extern "C"
#define PETRI_BOOL_ bool
#else
#define PETRI_STATE_TABLE_
#define PETRI_BOOL_ _Bool
#endif
#define PETRI_LENGTH_(array) (sizeof(array) / sizeof((array)[0]))
#define PETRI_ENTRY_(name, type, address, count, stride) {name, sizeof(name) - 1, type, address, count, stride}
#define PETRI_STATE_COUNT_(...) \
  (sizeof((const struct petri_state_entry[]){__VA_ARGS__}) / sizeof(struct petri_state_entry))
#define PETRI_TYPE_(value)        \
  __extension__ _Generic((value), \
      char: 1,                    \
      signed char: 1,             \
      unsigned char: 2,           \
      short: 3,                   \
      unsigned short: 4,          \
      int: 5,                     \
      long: 5,                    \
      unsigned int: 6,            \
      unsigned long: 6,           \
      long long: 7,               \
      unsigned long long: 8,      \
      float: 9,                   \
      double: 10,                 \
      PETRI_BOOL_: 11)

/* ---- convenience ----------------------------------------------------------------------------------------- */

/* A zero-terminated text as one line of the log. */
static inline petri_i32 petri_log_text(petri_i32 level, const char* text) {
  petri_size length = 0;
  while (text[length] != 0) ++length;
  return petri_log(level, text, length);
}

/* A zero-terminated text at the end of the answer. */
static inline petri_i32 petri_output_text(const char* text) {
  petri_size length = 0;
  while (text[length] != 0) ++length;
  return petri_output_write(text, length);
}

#ifdef __cplusplus
}
#endif
#endif
