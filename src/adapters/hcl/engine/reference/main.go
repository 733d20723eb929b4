// A native program that parses texts with hashicorp/hcl itself. Tests compare its output with the engine's.
// It shares the functions with the engine, but not the encoding.
//
// Each line of input is one text in base64; each line of output is its description as JSON.
package main

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"sort"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"millrace.dev/hcl-engine/functions"
	"millrace.dev/hcl-engine/guard"
)

func main() {
	functions.LimitOperators()
	context := (&hcl.EvalContext{Functions: functions.Table("2026-02-03T04:05:06Z")}).NewChild()
	context.Variables = map[string]cty.Value{
		"var": cty.ObjectVal(map[string]cty.Value{
			"text":    cty.StringVal("ä b"),
			"number":  cty.NumberFloatVal(1.5),
			"flag":    cty.True,
			"nothing": cty.NullVal(cty.DynamicPseudoType),
			"list":    cty.TupleVal([]cty.Value{cty.StringVal("x"), cty.StringVal("y")}),
			"map":     cty.ObjectVal(map[string]cty.Value{"a": cty.NumberIntVal(1), "b": cty.StringVal("z")}),
		}),
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 4<<20)
	answers := json.NewEncoder(os.Stdout)
	answers.SetEscapeHTML(false)
	for lines.Scan() {
		source, err := base64.StdEncoding.DecodeString(lines.Text())
		if err != nil {
			panic(err)
		}
		if err := answers.Encode(describe(source, context)); err != nil {
			panic(err)
		}
	}
}

type text struct {
	Problems  []problem `json:"problems"`
	Items     []any     `json:"items"`
	Formatted string    `json:"formatted"`
	// Sure is the result of the guard's quick check. Wrongly lists the limits with which the quick check
	// accepts the text although CheckTokens refuses it.
	Sure    bool           `json:"sure"`
	Wrongly []guard.Limits `json:"wrongly"`
}

type problem struct {
	Severity string `json:"severity"`
	Summary  string `json:"summary"`
	Detail   string `json:"detail"`
	Subject  any    `json:"subject"`
	Context  any    `json:"context"`
}

type attribute struct {
	Name       string    `json:"name"`
	NameRange  any       `json:"nameRange"`
	Range      any       `json:"range"`
	Expression any       `json:"expression"`
	Variables  []string  `json:"variables"`
	Problems   []problem `json:"problems"`
	Value      any       `json:"value"`
}

type block struct {
	Type        string   `json:"type"`
	TypeRange   any      `json:"typeRange"`
	Labels      []string `json:"labels"`
	LabelRanges []any    `json:"labelRanges"`
	Range       any      `json:"range"`
	Body        any      `json:"body"`
	Items       []any    `json:"items"`
}

func describe(source []byte, context *hcl.EvalContext) text {
	file, diagnostics := hclsyntax.ParseConfig(source, "", hcl.InitialPos)
	return text{
		Problems:  problems(diagnostics),
		Items:     items(file.Body.(*hclsyntax.Body), context),
		Formatted: string(hclwrite.Format(source)),
		Sure:      guard.IsSurelySound(source, guard.Limits{Depth: 200, Pieces: 5000}),
		Wrongly:   wronglySure(source),
	}
}

func wronglySure(source []byte) []guard.Limits {
	wrong := []guard.Limits{}
	for _, pieces := range []int{1, 2, 3, 5, 8, 5000} {
		for _, depth := range []int{0, 1, 2, 3, 4, 5, 6, 8, 10, 200} {
			limits := guard.Limits{Depth: depth, Pieces: pieces}
			if guard.IsSurelySound(source, limits) && guard.CheckTokens(source, limits) != nil {
				wrong = append(wrong, limits)
			}
		}
	}
	return wrong
}

func items(body *hclsyntax.Body, context *hcl.EvalContext) []any {
	type positioned struct {
		at   int
		item any
	}
	all := []positioned{}
	for name, found := range body.Attributes {
		value, diagnostics := found.Expr.Value(context)
		described := attribute{
			Name: name, NameRange: rangeOf(&found.NameRange), Range: rangeOf(&found.SrcRange), Expression: rangeOf(found.Expr.Range().Ptr()),
			Variables: variables(found.Expr), Problems: problems(diagnostics),
		}
		if !diagnostics.HasErrors() && value.IsWhollyKnown() {
			described.Value = valueOf(value)
		}
		all = append(all, positioned{found.SrcRange.Start.Byte, described})
	}
	for _, found := range body.Blocks {
		described := block{
			Type: found.Type, TypeRange: rangeOf(&found.TypeRange), Labels: append([]string{}, found.Labels...), LabelRanges: []any{},
			Range: rangeOf(found.DefRange().Ptr()), Body: rangeOf(&found.Body.SrcRange), Items: items(found.Body, context),
		}
		for i := range found.LabelRanges {
			described.LabelRanges = append(described.LabelRanges, rangeOf(&found.LabelRanges[i]))
		}
		all = append(all, positioned{found.TypeRange.Start.Byte, described})
	}
	sort.Slice(all, func(i, j int) bool { return all[i].at < all[j].at })
	described := make([]any, len(all))
	for i := range all {
		described[i] = all[i].item
	}
	return described
}

// variables returns the names that an expression references, each with its byte offset.
func variables(expression hclsyntax.Expression) []string {
	all := []string{}
	for _, found := range hclsyntax.Variables(expression) {
		all = append(all, fmt.Sprintf("%s@%d", found.RootName(), found.SourceRange().Start.Byte))
	}
	sort.Strings(all)
	return all
}

func problems(diagnostics hcl.Diagnostics) []problem {
	all := []problem{}
	for _, found := range diagnostics {
		severity := "error"
		if found.Severity == hcl.DiagWarning {
			severity = "warning"
		}
		all = append(all, problem{severity, found.Summary, found.Detail, rangeOf(found.Subject), rangeOf(found.Context)})
	}
	return all
}

func rangeOf(at *hcl.Range) any {
	if at == nil {
		return nil
	}
	return map[string]any{"start": position(at.Start), "end": position(at.End)}
}

func position(at hcl.Pos) any {
	return map[string]int{"line": at.Line, "column": at.Column, "byte": at.Byte}
}

// valueOf encodes the kind and content of a value: all digits of a number, map entries sorted by key.
func valueOf(value cty.Value) any {
	kind := value.Type()
	switch {
	case value.IsNull():
		return map[string]any{"kind": "null"}
	case kind == cty.String:
		return map[string]any{"kind": "string", "text": value.AsString()}
	case kind == cty.Number:
		return map[string]any{"kind": "number", "digits": value.AsBigFloat().Text('f', -1)}
	case kind == cty.Bool:
		return map[string]any{"kind": "bool", "value": value.True()}
	case kind.IsMapType():
		return map[string]any{"kind": "map", "entries": entries(value)}
	case kind.IsObjectType():
		return map[string]any{"kind": "object", "entries": entries(value)}
	}
	elements := []any{}
	for it := value.ElementIterator(); it.Next(); {
		_, element := it.Element()
		elements = append(elements, valueOf(element))
	}
	name := "tuple"
	if kind.IsListType() {
		name = "list"
	} else if kind.IsSetType() {
		name = "set"
	}
	return map[string]any{"kind": name, "items": elements}
}

func entries(value cty.Value) []any {
	pairs := []any{}
	for it := value.ElementIterator(); it.Next(); {
		key, element := it.Element()
		pairs = append(pairs, []any{key.AsString(), valueOf(element)})
	}
	return pairs
}
