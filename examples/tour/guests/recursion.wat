;; Calls itself without end.
(module
  (func $deeper (export "deeper") (param i32) (result i32)
    (i32.add (i32.const 1) (call $deeper (local.get 0)))))
