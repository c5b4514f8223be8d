// An AssemblyScript module as `asc` makes it by default: it imports `env.abort`.
export function sum(count: i32): i64 {
  const values = new Array<i64>();
  for (let i = 1; i <= count; ++i) values.push(i * i);
  return values.reduce((a, b) => a + b, <i64>0);
}

export function divide(a: i32, b: i32): i32 {
  assert(b != 0, "nothing is divided by zero");
  return a / b;
}
