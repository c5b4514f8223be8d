//! Facts about single operators that the reader of a body has to know.

use wasmparser::{FuncValidator, Operator, ValidatorResources};

/// By opcode, the operators that neither show the counter to anybody nor have to do with control: locals, globals,
/// constants, and numbers but for divisions and for conversions that do not saturate.
pub const PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut opcode = 0;
    while opcode < 256 {
        plain[opcode] = match opcode {
            0x6d..=0x70 | 0x7f..=0x82 | 0xa8..=0xab | 0xae..=0xb1 => false,
            0x01 | 0x1a..=0x1c | 0x20..=0x24 | 0x3f | 0x41..=0xc4 | 0xd0..=0xd2 => true,
            _ => false,
        };
        opcode += 1;
    }
    plain
};

/// By opcode, the plain operators of which nothing is noted but that they cost one: they are validated as they are read,
/// and expressions consist of little else.
pub const SIMPLE: [bool; 256] = {
    let mut simple = [false; 256];
    let mut opcode = 0;
    while opcode < 256 {
        simple[opcode] = match opcode {
            // Locals and globals read, real constants, comparisons of real numbers.
            0x20 | 0x23 | 0x43..=0x44 | 0x5b..=0x66 => true,
            // `abs`, `neg` and the four operations, single and double.
            0x8b..=0x8c | 0x92..=0x95 | 0x99..=0x9a | 0xa0..=0xa3 => true,
            _ => false,
        };
        opcode += 1;
    }
    simple
};

/// Returns whether the host or a callee may see the counter at this operator, which the validator has just read and
/// which is not plain: it may trap, it calls, or it leaves the function. An operator that is not known counts as one
/// that exposes it.
pub fn exposes(operator: &Operator, validator: &FuncValidator<ValidatorResources>) -> bool {
    let leaves = |label: u32| label + 1 >= validator.control_stack_height();
    match operator {
        Operator::Br { relative_depth } | Operator::BrIf { relative_depth } => leaves(*relative_depth),
        Operator::BrTable { targets } => {
            leaves(targets.default()) || targets.targets().any(|target| target.map_or(true, leaves))
        }
        Operator::End => validator.control_stack_height() == 0,
        Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. } | Operator::Else => false,
        other => !is_saturating_conversion(other),
    }
}

pub fn is_saturating_conversion(operator: &Operator) -> bool {
    matches!(
        operator,
        Operator::I32TruncSatF32S
            | Operator::I32TruncSatF32U
            | Operator::I32TruncSatF64S
            | Operator::I32TruncSatF64U
            | Operator::I64TruncSatF32S
            | Operator::I64TruncSatF32U
            | Operator::I64TruncSatF64S
            | Operator::I64TruncSatF64U
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::costs;
    use crate::load::{Chain, blocks_of};

    /// An operator of this opcode, if it stands alone or with an operand of one to eight zeros.
    fn operator(opcode: u8) -> Option<Operator<'static>> {
        let bytes: &'static [u8] = Box::leak(Box::new([opcode, 0, 0, 0, 0, 0, 0, 0, 0, 0]));
        wasmparser::OperatorsReader::new(wasmparser::BinaryReader::new(bytes, 0)).read().ok()
    }

    #[test]
    fn simple_operators_are_plain_and_cost_one_and_nothing_else_is_noted_of_them() {
        for opcode in (0..=u8::MAX).filter(|opcode| SIMPLE[usize::from(*opcode)]) {
            let operator = operator(opcode).unwrap_or_else(|| panic!("{opcode:#x} is no operator"));
            assert!(PLAIN[usize::from(opcode)], "{operator:?}");
            assert_eq!((costs::operator(&operator), blocks_of(&operator)), (1, 0), "{operator:?}");
            for mut chain in [Chain::None, Chain::Result, Chain::Constant] {
                assert!(!chain.follow(&operator) && chain == Chain::None, "{operator:?}");
            }
        }
    }
}
