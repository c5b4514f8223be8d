(module
  (import "petri" "exit" (func $exit (param i32)))
  (func (export "quit") (call $exit (i32.const 7))))
