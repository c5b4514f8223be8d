//! Makes every `externref` of a valid module a `funcref`, in place: both are one byte, and a module that was valid with
//! two kinds of references stays so with one. wasm-smith has no way to make only one kind.

use wasmparser::{
    BinaryReader, BlockType, ConstExpr, ElementItems, HeapType, Operator, Parser, Payload, RefType, TypeRef, ValType,
};

const EXTERNREF: u8 = 0x6f;
const FUNCREF: u8 = 0x70;

pub fn to_funcref(wasm: &mut [u8]) {
    for place in places(wasm).expect("the module is valid") {
        assert_eq!(wasm[place], EXTERNREF);
        wasm[place] = FUNCREF;
    }
}

fn places(wasm: &[u8]) -> wasmparser::Result<Vec<usize>> {
    let mut places = Vec::new();
    for payload in Parser::new(0).parse_all(wasm) {
        match payload? {
            Payload::TypeSection(section) => types(&wasm[section.range()], section.range().start, &mut places)?,
            Payload::ImportSection(section) => {
                for import in section.into_imports() {
                    let import = import?;
                    let name_end = import.name.as_ptr() as usize - wasm.as_ptr() as usize + import.name.len();
                    let refers = match import.ty {
                        TypeRef::Table(table) => table.element_type == RefType::EXTERNREF,
                        TypeRef::Global(global) => global.content_type == ValType::EXTERNREF,
                        _ => false,
                    };
                    // Behind the name stand the kind, then the type.
                    places.extend(refers.then_some(name_end + 1));
                }
            }
            Payload::TableSection(section) => {
                for table in section.into_iter_with_offsets() {
                    let (at, table) = table?;
                    places.extend((table.ty.element_type == RefType::EXTERNREF).then_some(at));
                }
            }
            Payload::GlobalSection(section) => {
                for global in section.into_iter_with_offsets() {
                    let (at, global) = global?;
                    places.extend((global.ty.content_type == ValType::EXTERNREF).then_some(at));
                    expression(&global.init_expr, &mut places)?;
                }
            }
            Payload::ElementSection(section) => {
                for element in section {
                    let ElementItems::Expressions(kind, items) = element?.items else { continue };
                    // The type stands right before the number of items.
                    places.extend((kind == RefType::EXTERNREF).then(|| items.range().start - 1));
                    for item in items {
                        expression(&item?, &mut places)?;
                    }
                }
            }
            Payload::CodeSectionEntry(body) => function(&body, &mut places)?,
            _ => {}
        }
    }
    Ok(places)
}

fn types(section: &[u8], start: usize, places: &mut Vec<usize>) -> wasmparser::Result<()> {
    let mut reader = BinaryReader::new(section, start);
    for _ in 0..reader.read_var_u32()? {
        reader.read_u8()?;
        for _side in ["parameters", "results"] {
            for _ in 0..reader.read_var_u32()? {
                let at = reader.original_position();
                places.extend((reader.read_u8()? == EXTERNREF).then_some(at));
            }
        }
    }
    Ok(())
}

fn expression(expression: &ConstExpr, places: &mut Vec<usize>) -> wasmparser::Result<()> {
    for operator in expression.get_operators_reader().into_iter_with_offsets() {
        let (operator, at) = operator?;
        places.extend(in_operator(&operator, at));
    }
    Ok(())
}

fn function(body: &wasmparser::FunctionBody, places: &mut Vec<usize>) -> wasmparser::Result<()> {
    let mut locals = body.get_locals_reader()?;
    for _ in 0..locals.get_count() {
        let (_, kind) = locals.read()?;
        places.extend((kind == ValType::EXTERNREF).then(|| locals.original_position() - 1));
    }
    for operator in body.get_operators_reader()?.into_iter_with_offsets() {
        let (operator, at) = operator?;
        places.extend(in_operator(&operator, at));
    }
    Ok(())
}

fn in_operator(operator: &Operator, at: usize) -> Option<usize> {
    match operator {
        Operator::RefNull { hty } if *hty == HeapType::EXTERN => Some(at + 1),
        Operator::TypedSelect { ty } if *ty == ValType::EXTERNREF => Some(at + 2),
        Operator::Block { blockty } | Operator::Loop { blockty } | Operator::If { blockty } => {
            (*blockty == BlockType::Type(ValType::EXTERNREF)).then_some(at + 1)
        }
        _ => None,
    }
}
