//go:build wasip1

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// convertTo converts a value to a type expression such as list(string) or object({ name = string, port =
// optional(number, 80) }), by HCL's own rules. Without a value (length 0), it only checks the type.
// Diagnostics about the type have a range, those about the value have none.
//
//go:wasmexport convertTo
func convertTo(tree, expression, address, length uint32) (answer uint64) {
	defer answerPanic(&answer)
	constraint, defaults, diagnostics := typeexpr.TypeConstraintWithDefaults(trees[tree][expression])
	var value cty.Value
	if !diagnostics.HasErrors() && length > 0 {
		var wire any
		err := json.Unmarshal(buffers[address][:length], &wire)
		if err == nil {
			value = decodeValue(wire)
			if defaults != nil && !value.IsNull() {
				value = defaults.Apply(value)
			}
			value, err = convert.Convert(value, constraint)
		}
		if err != nil {
			diagnostics = append(diagnostics, &hcl.Diagnostic{
				Severity: hcl.DiagError,
				Summary:  "Unsuitable value",
				Detail:   explain(err),
			})
		}
	}
	out := &encoder{}
	out.raw(`{"diagnostics":[`)
	out.diagnostics(diagnostics)
	out.raw("]")
	if !diagnostics.HasErrors() && value != cty.NilVal {
		out.raw(`,"value":`).value(value)
	}
	out.raw("}")
	return reply(out.bytes)
}

// explain returns the path inside the value and the reason why it does not fit.
func explain(err error) string {
	var pathError cty.PathError
	if !errors.As(err, &pathError) || len(pathError.Path) == 0 {
		return err.Error()
	}
	var path strings.Builder
	for _, step := range pathError.Path {
		switch typed := step.(type) {
		case cty.GetAttrStep:
			path.WriteString("." + typed.Name)
		case cty.IndexStep:
			if typed.Key.Type() == cty.String {
				fmt.Fprintf(&path, "[%q]", typed.Key.AsString())
			} else if typed.Key.Type() == cty.Number {
				path.WriteString("[" + typed.Key.AsBigFloat().Text('f', -1) + "]")
			}
		}
	}
	return path.String() + ": " + err.Error()
}
