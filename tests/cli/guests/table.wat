;; Not movable: it writes its table.
(module
  (table 4 funcref)
  (memory 1 16)
  (global (export "state.count") (mut i64) (i64.const 0))
  (elem (i32.const 0) $f)
  (func $f)
  (func (export "clear") (table.set 0 (i32.const 0) (ref.null func)))
  (func (export "fill") (memory.fill (i32.const 0) (i32.const 0) (i32.const 8))))
