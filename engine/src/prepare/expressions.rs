//! Constant expressions, and the element segments that have them.

use wasmparser::{ConstExpr, ElementItems, ElementKind, Operator};

use super::gate::Gate;
use super::{ElementList, ElementSegment};
use crate::artifact::Span;
use crate::bounds;
use crate::failure::Result;
use crate::plan;

impl Gate<'_> {
    /// Reads a constant expression, wherever one stands. The interpreter evaluates it by native recursion, a level for
    /// each operator.
    pub fn constant(&mut self, expression: &ConstExpr) -> Result<()> {
        let mut count = 0;
        let mut operators = expression.get_operators_reader();
        while !operators.is_end_then_eof() {
            count += 1;
            bounds::constant_operators.check(self.set(), count, operators.original_position())?;
            self.constant_operator(&operators.read()?);
        }
        self.analysis.findings.load.constant_operators += count;
        Ok(())
    }

    fn constant_operator(&mut self, operator: &Operator) {
        let findings = &mut self.analysis.findings;
        match operator {
            Operator::RefFunc { function_index } => findings.addressed.push(*function_index),
            Operator::I32Add
            | Operator::I32Sub
            | Operator::I32Mul
            | Operator::I64Add
            | Operator::I64Sub
            | Operator::I64Mul => {
                findings.features |= plan::USES_EXTENDED_CONST;
            }
            _ => {}
        }
    }

    pub fn elements(&mut self, section: &wasmparser::ElementSectionReader) -> Result<()> {
        let mut entries = 0;
        for element in section.clone() {
            let element = element?;
            if !matches!(element.kind, ElementKind::Active { table_index: None, .. }) {
                self.analysis.findings.features |= plan::USES_BULK_MEMORY;
            }
            if let ElementKind::Active { offset_expr, .. } = &element.kind {
                self.constant(offset_expr)?;
            }
            let (items, items_start) = match &element.items {
                ElementItems::Functions(functions) => {
                    entries += u64::from(functions.count());
                    bounds::elements.check(self.set(), entries, element.range.start)?;
                    let list = functions.clone().into_iter().collect::<std::result::Result<Vec<u32>, _>>()?;
                    self.analysis.findings.addressed.extend_from_slice(&list);
                    (ElementList::Functions(list), functions.range().start)
                }
                ElementItems::Expressions(_, expressions) => {
                    entries += u64::from(expressions.count());
                    bounds::elements.check(self.set(), entries, element.range.start)?;
                    let mut list = Vec::new();
                    for expression in expressions.clone() {
                        let expression = expression?;
                        self.constant(&expression)?;
                        list.push(expression_span(&expression));
                    }
                    (ElementList::Expressions(list), expressions.range().start)
                }
            };
            let head = element.range.start..items_start;
            self.analysis.raw.elements.push(ElementSegment { head, items });
        }
        let load = &mut self.analysis.findings.load;
        load.elements = entries;
        load.check(self.wasm.len(), section.range().start)?;
        self.declared.element_segments = section.count();
        Ok(())
    }
}

/// An expression with its `end`.
pub fn expression_span(expression: &ConstExpr) -> Span {
    let reader = expression.get_binary_reader();
    reader.original_position()..reader.original_position() + reader.bytes_remaining()
}
