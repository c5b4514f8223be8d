;; The next version: twenty percent, and it knows what was saved. It goes on counting where the first one was.
(module
  (global $articles (export "state.articles") (mut i32) (i32.const 0))
  (global $saved (export "state.saved") (mut i32) (i32.const 0))
  (func (export "price") (param $cents i32) (result i32)
    (global.set $articles (i32.add (global.get $articles) (i32.const 1)))
    (if (i32.lt_s (global.get $articles) (i32.const 3)) (then (return (local.get $cents))))
    (global.set $saved (i32.add (global.get $saved) (i32.div_s (local.get $cents) (i32.const 5))))
    (i32.sub (local.get $cents) (i32.div_s (local.get $cents) (i32.const 5)))))
