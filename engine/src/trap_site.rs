//! The `unreachable` that a guest met, from where the compiler says that it trapped.
//!
//! The compiler turns a branch to code that does nothing but trap into a trap of the branch itself, with the branch's
//! place. That branch is the meter's look at the counter, a `br_if` or an `if`. The operators between it and the
//! `unreachable` have no effect, so the way there is followed over everything but further branches and calls.

use wasmparser::{BinaryReader, Operator, OperatorsReader};

enum Step {
    Plain,
    /// A block, `if` or loop; the last can be entered but is no way forwards for a branch.
    Open,
    Else,
    Branch(Vec<u32>),
    Unreachable,
    /// A call or a return.
    Stop,
}

struct Row {
    step: Step,
    at: usize,
    /// The block around it, as the number of the row that opens it.
    around: Option<usize>,
    is_loop: bool,
    is_if: bool,
    conditional: bool,
    /// For a row that opens a block: the rows of its `else` and `end`.
    otherwise: Option<usize>,
    end: usize,
}

/// A function's operators, and which of them belong together.
pub struct Body {
    rows: Vec<Row>,
}

impl Body {
    /// `code` are the operators, the first of which stands at `start`; they are valid.
    pub fn new(code: &[u8], start: usize) -> Body {
        let mut rows = Vec::<Row>::new();
        let mut open = Vec::new();
        for item in OperatorsReader::new(BinaryReader::new(code, start)).into_iter_with_offsets() {
            let Ok((operator, at)) = item else { break };
            let row = rows.len();
            match operator {
                Operator::Else => {
                    open.last().into_iter().for_each(|opener: &usize| rows[*opener].otherwise = Some(row))
                }
                Operator::End => open.pop().into_iter().for_each(|opener| rows[opener].end = row),
                _ => {}
            }
            let around = open.last().copied();
            let step = step_of(&operator);
            if matches!(step, Step::Open) {
                open.push(row);
            }
            let is_loop = matches!(operator, Operator::Loop { .. });
            let is_if = matches!(operator, Operator::If { .. });
            let conditional = !matches!(operator, Operator::Br { .. });
            rows.push(Row { step, at, around, is_loop, is_if, conditional, otherwise: None, end: row });
        }
        Body { rows }
    }

    /// The place of the `unreachable` that what stands at `at` leads to, or `at` if there is none.
    pub fn trap_from(&self, at: usize) -> usize {
        let Ok(row) = self.rows.binary_search_by_key(&at, |row| row.at) else { return at };
        let ways = std::iter::once(row).chain(self.ways_out(row));
        ways.filter_map(|way| self.follow(way)).next().unwrap_or(at)
    }

    /// Where a branch goes when it is taken and when it is not.
    fn ways_out(&self, row: usize) -> Vec<usize> {
        let here = &self.rows[row];
        if here.is_if {
            return vec![row + 1, here.otherwise.map_or(here.end, |otherwise| otherwise + 1)];
        }
        let Step::Branch(labels) = &here.step else { return Vec::new() };
        let taken = labels.iter().filter_map(|label| self.target(row, *label));
        taken.chain(here.conditional.then_some(row + 1)).collect()
    }

    /// The row behind the block that a branch leaves; none for a loop, which it repeats, and for the function itself.
    fn target(&self, row: usize, label: u32) -> Option<usize> {
        let mut block = self.rows[row].around?;
        for _ in 0..label {
            block = self.rows[block].around?;
        }
        (!self.rows[block].is_loop).then_some(self.rows[block].end)
    }

    /// To the `unreachable` that a row leads to without another branch.
    fn follow(&self, mut row: usize) -> Option<usize> {
        loop {
            let here = self.rows.get(row)?;
            row = match &here.step {
                Step::Unreachable => return Some(here.at),
                Step::Stop => return None,
                Step::Open if here.is_if => return None,
                Step::Branch(_) if here.conditional => return None,
                Step::Branch(labels) => self.target(row, *labels.first()?)?,
                Step::Else => self.rows[here.around?].end,
                Step::Plain | Step::Open => row + 1,
            };
        }
    }
}

fn step_of(operator: &Operator) -> Step {
    match operator {
        Operator::Unreachable => Step::Unreachable,
        Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. } => Step::Open,
        Operator::Else => Step::Else,
        Operator::Br { relative_depth } | Operator::BrIf { relative_depth } => Step::Branch(vec![*relative_depth]),
        Operator::BrTable { targets } => Step::Branch(targets.targets().flatten().chain([targets.default()]).collect()),
        Operator::Return | Operator::Call { .. } | Operator::CallIndirect { .. } => Step::Stop,
        _ => Step::Plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each row by the number of its operator: where the search from it comes to, as such a number.
    fn found(body: &str, from: usize) -> usize {
        let wasm = wat::parse_str(format!("(module (func (param i32) {body}))")).expect("the text is right");
        let payloads = wasmparser::Parser::new(0).parse_all(&wasm).map(|payload| payload.expect("the module is valid"));
        let bodies = payloads.filter_map(|payload| match payload {
            wasmparser::Payload::CodeSectionEntry(body) => Some(body),
            _ => None,
        });
        let reader = bodies.into_iter().next().and_then(|body| body.get_operators_reader().ok()).expect("a function");
        let (start, end) = (reader.original_position(), reader.get_binary_reader().range().end);
        let body = Body::new(&wasm[start..end], start);
        let at = body.trap_from(body.rows[from].at);
        body.rows.iter().position(|row| row.at == at).expect("an operator stands there")
    }

    #[test]
    fn the_way_goes_over_what_has_no_effect() {
        assert_eq!(found("nop nop unreachable", 0), 2);
        assert_eq!(found("(block (loop nop unreachable))", 0), 3);
        assert_eq!(found("(block (br 0) unreachable) unreachable", 0), 4);
    }

    #[test]
    fn a_branch_is_followed_either_way() {
        assert_eq!(found("(if (local.get 0) (then unreachable))", 1), 2);
        assert_eq!(found("(if (local.get 0) (then return) (else nop unreachable))", 1), 5);
        assert_eq!(found("(if (local.get 0) (then return)) unreachable", 1), 4);
        assert_eq!(found("(block (br_if 0 (local.get 0)) return) unreachable", 2), 5);
        assert_eq!(found("(block (block (br_table 1 0 (local.get 0))) return) unreachable", 3), 7);
    }

    #[test]
    fn without_a_way_the_place_stays() {
        assert_eq!(found("nop return unreachable", 0), 0);
        assert_eq!(found("(loop (br 0)) unreachable", 1), 1);
        assert_eq!(found("nop", 0), 0);
    }
}
