//! How many values meet where branches join.
//!
//! Behind a block to which several branches lead, each local that was set inside it has as many values as there are
//! branches, and a compiler arranges every one of them. That is cheap to write: a branch and an assignment are a few
//! bytes, and a hundred locals times a thousand branches took the compiler seconds. Counted in one reading, a step for each
//! operator and one for each block in which a local is set for the first time.

use wasmparser::Operator;

/// An open block, loop or `if`, or the function's own.
#[derive(Clone)]
struct Frame {
    opened: u64,
    /// Ways that lead to its label.
    edges: u64,
    /// Different locals set inside it.
    set: u64,
}

#[derive(Default, Clone)]
pub struct Joins {
    frames: Vec<Frame>,
    /// When each local was last set. Time continues from function to function, so that nothing has to be cleared.
    set_at: Vec<u64>,
    time: u64,
    /// Values that meet, of the function being read.
    values: u64,
    pub steps: u64,
}

/// So many in one function make each of them twice as expensive to arrange.
const MANY_VALUES: u64 = 4_096;

impl Joins {
    pub fn open_function(&mut self, locals: u32) {
        self.frames.clear();
        self.values = 0;
        if self.set_at.len() < locals as usize {
            self.set_at.resize(locals as usize, 0);
        }
        self.open(1);
    }

    /// An operator that can be reached, but not an `end`.
    pub fn follow(&mut self, operator: &Operator) {
        self.time += 1;
        match operator {
            Operator::Block { .. } | Operator::Loop { .. } => self.open(1),
            // One way leads through it and one past it, with an `else` or without.
            Operator::If { .. } => self.open(2),
            Operator::LocalSet { local_index } | Operator::LocalTee { local_index } => self.set(*local_index as usize),
            Operator::Br { relative_depth } | Operator::BrIf { relative_depth } => self.branch(*relative_depth),
            Operator::BrTable { targets } => {
                targets.targets().flatten().for_each(|target| self.branch(target));
                self.branch(targets.default());
            }
            Operator::Return => self.branch(self.frames.len() as u32 - 1),
            _ => {}
        }
    }

    /// The `end` of what was opened last.
    pub fn close(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        if frame.edges > 1 {
            self.values += frame.set * frame.edges;
        }
    }

    /// The cost of the function: its values, the more the more there are.
    pub fn weight(&self) -> u64 {
        self.values.saturating_mul(MANY_VALUES + self.values) / MANY_VALUES
    }

    fn open(&mut self, edges: u64) {
        self.frames.push(Frame { opened: self.time, edges, set: 0 });
    }

    fn branch(&mut self, depth: u32) {
        let frame = self.frames.len().checked_sub(depth as usize + 1);
        if let Some(frame) = frame.and_then(|index| self.frames.get_mut(index)) {
            frame.edges += 1;
        }
    }

    /// Frames around one in which the local has been set count it already.
    fn set(&mut self, local: usize) {
        let before = self.set_at[local];
        for frame in self.frames.iter_mut().rev().take_while(|frame| before <= frame.opened) {
            frame.set += 1;
            self.steps += 1;
        }
        self.set_at[local] = self.time;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SET: Operator = Operator::LocalSet { local_index: 0 };
    const OTHER: Operator = Operator::LocalSet { local_index: 1 };
    const BLOCK: Operator = Operator::Block { blockty: wasmparser::BlockType::Empty };

    fn to(relative_depth: u32) -> Operator<'static> {
        Operator::BrIf { relative_depth }
    }

    /// `None` stands for an `end`; the function's own is left out.
    fn values(operators: &[Option<Operator>]) -> u64 {
        let mut joins = Joins::default();
        joins.open_function(2);
        for operator in operators {
            match operator {
                Some(operator) => joins.follow(operator),
                None => joins.close(),
            }
        }
        joins.values
    }

    #[test]
    fn locals_set_in_a_block_meet_behind_it_once_for_each_way() {
        assert_eq!(values(&[Some(BLOCK), Some(SET), Some(to(0)), Some(to(0)), None]), 3);
        assert_eq!(values(&[Some(BLOCK), Some(SET), Some(SET), Some(OTHER), Some(to(0)), None]), 4);
    }

    #[test]
    fn nothing_meets_where_one_way_leads_or_nothing_was_set() {
        assert_eq!(values(&[Some(BLOCK), Some(SET), Some(OTHER), None]), 0);
        assert_eq!(values(&[Some(SET), Some(BLOCK), Some(to(0)), None]), 0);
    }

    #[test]
    fn what_is_set_inside_is_set_in_all_blocks_around() {
        let nested = [Some(BLOCK), Some(BLOCK), Some(SET), Some(to(1)), None, Some(SET), None];
        assert_eq!(values(&nested), 2);
        let after = [Some(BLOCK), Some(SET), Some(BLOCK), Some(SET), Some(to(0)), None, None];
        assert_eq!(values(&after), 2);
    }

    #[test]
    fn many_values_in_one_function_weigh_more() {
        let weight = |values: u64| Joins { values, ..Joins::default() }.weight();
        assert_eq!((weight(0), weight(100), weight(4_096), weight(8_192)), (0, 102, 8_192, 24_576));
    }
}
