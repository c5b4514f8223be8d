;; Asks for something nobody offers.
(module
  (import "network" "connect" (func (param i32 i32) (result i32)))
  (func (export "f")))
