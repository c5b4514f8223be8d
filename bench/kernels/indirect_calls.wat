;; Four ways to change a number, chosen through a table.
(module
  (type $change (func (param i32) (result i32)))
  (table funcref (elem $double $flip $turn $add))
  (func $double (param $x i32) (result i32) (i32.shl (local.get $x) (i32.const 1)))
  (func $flip (param $x i32) (result i32) (i32.xor (local.get $x) (i32.const 0x5a5a5a5a)))
  (func $turn (param $x i32) (result i32) (i32.rotr (local.get $x) (i32.const 7)))
  (func $add (param $x i32) (result i32) (i32.add (local.get $x) (i32.const 12345)))
  (func (export "run") (param $times i32) (result i32)
    (local $i i32) (local $x i32)
    (loop $again
      (local.set $i (i32.const 1000))
      (loop $next
        (local.set $x (call_indirect (type $change) (local.get $x) (i32.and (local.get $i) (i32.const 3))))
        (br_if $next (local.tee $i (i32.sub (local.get $i) (i32.const 1)))))
      (br_if $again (local.tee $times (i32.sub (local.get $times) (i32.const 1)))))
    (local.get $x)))
