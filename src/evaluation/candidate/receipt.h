// The results of a candidate as bytes: what receipts are made over and what the cache keeps.
#pragma once

#include <string>
#include <string_view>

#include "evaluation/candidate/canonical_bytes.h"
#include "petri/evaluate.h"

namespace petri {

// Everything deterministic but the message, the score, and what belongs to the row: its number, whether it repeats
// another, the receipt.
void add_result(CanonicalBytes& bytes, const Record& record);
// The same back. Of bytes from anywhere, its enumerators may be none and its lists may not fit one another.
Record take_result(CanonicalReader& reader);

// Results that only some evaluations have: wrong cases, metrics, kept outputs. add_more() says which of them there are.
bool has_more(const Record& record);
void add_more(CanonicalBytes& bytes, const Record& record);
// The same back; the record has its kinds already. Of bytes from anywhere, as take_result().
void take_more(CanonicalReader& reader, Record& record);

// True when the record is a fact that a receipt can bind: of an artifact, and not ended by time.
bool can_have_receipt(const Record& record);

// As the public receipt_of, but with a buffer that is kept.
Sha256 receipt_of(const Record& record, const Sha256& spec, CanonicalBytes& buffer);

// For the cache: the results and the message. The answer lies in the buffer.
std::string_view pack_result(const Record& record, CanonicalBytes& buffer);
Record unpack_result(std::string_view packed);

}  // namespace petri
