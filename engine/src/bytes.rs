//! Writing WebAssembly, byte by byte.

/// Unsigned LEB128.
pub fn unsigned(out: &mut Vec<u8>, mut value: u64) {
    loop {
        let byte = (value & 0x7f) as u8;
        value >>= 7;
        if value == 0 {
            return out.push(byte);
        }
        out.push(byte | 0x80);
    }
}

/// How many bytes `unsigned` writes.
fn unsigned_bytes(value: u64) -> usize {
    (u64::BITS - (value | 1).leading_zeros()).div_ceil(7) as usize
}

/// Signed LEB128.
pub fn signed(out: &mut Vec<u8>, mut value: i64) {
    loop {
        let byte = (value & 0x7f) as u8;
        value >>= 7;
        let sign = byte & 0x40 != 0;
        if (value == 0 && !sign) || (value == -1 && sign) {
            return out.push(byte);
        }
        out.push(byte | 0x80);
    }
}

pub fn name(out: &mut Vec<u8>, text: &str) {
    unsigned(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

/// A section whose content is a vector: `count` items, already encoded in `items`.
pub fn vector_section(out: &mut Vec<u8>, id: u8, count: usize, items: &[&[u8]]) {
    if count == 0 {
        return;
    }
    let size = unsigned_bytes(count as u64) + items.iter().map(|part| part.len()).sum::<usize>();
    out.push(id);
    unsigned(out, size as u64);
    unsigned(out, count as u64);
    for part in items {
        out.extend_from_slice(part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_take_as_few_bytes_as_they_can() {
        let encode = |value| {
            let mut out = Vec::new();
            signed(&mut out, value);
            out
        };
        assert_eq!(encode(0), [0]);
        assert_eq!(encode(63), [63]);
        assert_eq!(encode(64), [0xc0, 0]);
        assert_eq!(encode(-1), [0x7f]);
        assert_eq!(encode(-65), [0xbf, 0x7f]);
        let mut out = Vec::new();
        unsigned(&mut out, 300);
        assert_eq!(out, [0xac, 2]);
    }

    #[test]
    fn a_number_s_bytes_are_known_before_it_is_written() {
        for value in [0, 1, 127, 128, 16_383, 16_384, u64::from(u32::MAX), u64::MAX] {
            let mut out = Vec::new();
            unsigned(&mut out, value);
            assert_eq!(unsigned_bytes(value), out.len(), "{value}");
        }
    }
}
