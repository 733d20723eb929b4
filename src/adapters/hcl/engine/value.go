//go:build wasip1

package main

import (
	"math/big"

	"github.com/zclconf/go-cty/cty"
)

// value writes texts, bools and null as JSON has them, a number as {"number": "<all its digits>"}, a sequence as
// {"tuple": […]} (or list, set), a mapping as {"object": [[key, value], …]} (or map).
func (e *encoder) value(value cty.Value) {
	value, _ = value.Unmark()
	kind := value.Type()
	switch {
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
	if items, ok := wire["tuple"].([]any); ok {
		values := make([]cty.Value, len(items))
		for i, item := range items {
			values[i] = decodeValue(item)
		}
		return cty.TupleVal(values)
	}
	entries, _ := wire["object"].([]any)
	values := make(map[string]cty.Value, len(entries))
	for _, entry := range entries {
		if pair, ok := entry.([]any); ok && len(pair) == 2 {
			if key, ok := pair[0].(string); ok {
				values[key] = decodeValue(pair[1])
			}
		}
	}
	return cty.ObjectVal(values)
}
