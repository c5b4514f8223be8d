(module
  (import "game" "move" (func (param i32)))
  (func (export "f")))
