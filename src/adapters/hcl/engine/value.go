//go:build wasip1

package main

import (
	"math/big"

	"github.com/zclconf/go-cty/cty"
)

// value writes strings, bools and null as in JSON, a number as {"number": "<all its digits>"}, a sequence as
// {"tuple": […]} (or list, set), and a mapping as {"object": [[key, value], …]} (or map).
func (e *encoder) value(value cty.Value) {
	kind := value.Type()
	switch {
	case e.limit > 0 && len(e.bytes) > e.limit:
		// The value is too long. The caller, which set the limit, discards it.
	case value.IsNull():
		e.raw("null")
	case kind == cty.String:
		e.text(value.AsString())
	case kind == cty.Bool && value.True():
		e.raw("true")
	case kind == cty.Bool:
		e.raw("false")
	case kind == cty.Number:
		e.raw(`{"number":`).text(value.AsBigFloat().Text('f', -1)).raw("}")
	case kind.IsMapType() || kind.IsObjectType():
		e.raw(`{"`).raw(mappingKind(kind)).raw(`":[`)
		first := true
		for key, element := range value.Elements() {
			e.comma(first)
			first = false
			e.raw("[").text(key.AsString()).raw(",")
			e.value(element)
			e.raw("]")
		}
		e.raw("]}")
	default:
		e.raw(`{"`).raw(sequenceKind(kind)).raw(`":[`)
		first := true
		for _, element := range value.Elements() {
			e.comma(first)
			first = false
			e.value(element)
		}
		e.raw("]}")
	}
}

func mappingKind(kind cty.Type) string {
	if kind.IsMapType() {
		return "map"
	}
	return "object"
}

func sequenceKind(kind cty.Type) string {
	switch {
	case kind.IsSetType():
		return "set"
	case kind.IsListType():
		return "list"
	}
	return "tuple"
}

func decodeVariables(wire map[string]any) map[string]cty.Value {
	variables := make(map[string]cty.Value, len(wire))
	for name, value := range wire {
		variables[name] = decodeValue(value)
	}
	return variables
}

func decodeValue(wire any) cty.Value {
	switch typed := wire.(type) {
	case string:
		return cty.StringVal(typed)
	case bool:
		return cty.BoolVal(typed)
	case map[string]any:
		return decodeCompound(typed)
	}
	return cty.NullVal(cty.DynamicPseudoType)
}

func decodeCompound(wire map[string]any) cty.Value {
	if digits, ok := wire["number"].(string); ok {
		number, _, err := big.ParseFloat(digits, 10, 512, big.ToNearestEven)
		if err != nil {
			return cty.NullVal(cty.Number)
		}
		return cty.NumberVal(number)
	}
	for _, kind := range []string{"tuple", "list", "set"} {
		if items, ok := wire[kind].([]any); ok {
			return decodeSequence(kind, items)
		}
	}
	for _, kind := range []string{"object", "map"} {
		if entries, ok := wire[kind].([]any); ok {
			return decodeMapping(kind, entries)
		}
	}
	return cty.NullVal(cty.DynamicPseudoType)
}

// decodeSequence returns a list, set or tuple. A list or set whose elements have different types becomes a
// tuple. The engine never writes such a list or set itself.
func decodeSequence(kind string, items []any) cty.Value {
	values := make([]cty.Value, len(items))
	for i, item := range items {
		values[i] = decodeValue(item)
	}
	element := elementType(values)
	switch {
	case kind == "list" && len(values) == 0:
		return cty.ListValEmpty(cty.DynamicPseudoType)
	case kind == "set" && len(values) == 0:
		return cty.SetValEmpty(cty.DynamicPseudoType)
	case kind == "list" && element != cty.NilType:
		return cty.ListVal(values)
	case kind == "set" && element != cty.NilType:
		return cty.SetVal(values)
	}
	return cty.TupleVal(values)
}

func decodeMapping(kind string, entries []any) cty.Value {
	values := make(map[string]cty.Value, len(entries))
	for _, entry := range entries {
		if pair, ok := entry.([]any); ok && len(pair) == 2 {
			if key, ok := pair[0].(string); ok {
				values[key] = decodeValue(pair[1])
			}
		}
	}
	if kind == "object" {
		return cty.ObjectVal(values)
	}
	if len(values) == 0 {
		return cty.MapValEmpty(cty.DynamicPseudoType)
	}
	elements := make([]cty.Value, 0, len(values))
	for _, value := range values {
		elements = append(elements, value)
	}
	if elementType(elements) == cty.NilType {
		return cty.ObjectVal(values)
	}
	for key, value := range values {
		if value.IsNull() {
			values[key] = cty.NullVal(elementType(elements))
		}
	}
	return cty.MapVal(values)
}

// elementType returns the common type of all values, or NilType if there is none. It also changes values:
// nulls get the common type.
func elementType(values []cty.Value) cty.Type {
	common := cty.DynamicPseudoType
	for _, value := range values {
		switch {
		case value.IsNull() && value.Type() == cty.DynamicPseudoType:
		case common == cty.DynamicPseudoType:
			common = value.Type()
		case !common.Equals(value.Type()):
			return cty.NilType
		}
	}
	for i, value := range values {
		if value.IsNull() {
			values[i] = cty.NullVal(common)
		}
	}
	return common
}
