;; Offers more to customers with an even number, and counts how much it gave away.
(module
  (global $offers (export "state.offers") (mut i32) (i32.const 0))
  (global $given (export "state.given") (mut i64) (i64.const 0))
  (func (export "offer") (param $customer i32) (result i32) (local $percent i32)
    (global.set $offers (i32.add (global.get $offers) (i32.const 1)))
    (local.set $percent
      (select (i32.const 5) (i32.const 20) (i32.and (local.get $customer) (i32.const 1))))
    (global.set $given (i64.add (global.get $given) (i64.extend_i32_s (local.get $percent))))
    (local.get $percent)))
