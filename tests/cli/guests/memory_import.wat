(module
  (import "petri" "memory" (memory 1))
  (func (export "f")))
