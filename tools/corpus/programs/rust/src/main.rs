//! A Rust program with a crate of the registry: reads JSON from standard input and prints the sum of its numbers.

use std::io::Read;

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).expect("the input is text");
    let values: Vec<serde_json::Value> = serde_json::from_str(&text).expect("the input is a list");
    let sum: f64 = values.iter().filter_map(serde_json::Value::as_f64).sum();
    println!("{} values, the numbers sum to {sum}", values.len());
}
