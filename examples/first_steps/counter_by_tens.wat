(module
  (global $count (export "state.count") (mut i64) (i64.const 0))
  (func (export "next") (result i32)
    (global.set $count (i64.add (global.get $count) (i64.const 10)))
    (i32.wrap_i64 (global.get $count)))
  (func (export "crash") unreachable))
