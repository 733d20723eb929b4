//go:build wasip1

package main

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"millrace.dev/hcl-engine/opaque"
)

// encoder writes the syntax tree as JSON; see wire.ts for the shapes. It numbers expressions in the order in
// which it writes them.
type encoder struct {
	bytes []byte
	// limit is the length of the output in bytes at which a value is cut off; 0 means no limit.
	limit       int
	expressions []hclsyntax.Expression
}

func (e *encoder) raw(text string) *encoder {
	e.bytes = append(e.bytes, text...)
	return e
}

func (e *encoder) int(number int) *encoder {
	e.bytes = strconv.AppendInt(e.bytes, int64(number), 10)
	return e
}

func (e *encoder) text(text string) *encoder {
	const hex = "0123456789abcdef"
	e.bytes = append(e.bytes, '"')
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			e.bytes = append(e.bytes, '\\', c)
		case c == '\n':
			e.bytes = append(e.bytes, '\\', 'n')
		case c < 0x20:
			e.bytes = append(e.bytes, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			e.bytes = append(e.bytes, c)
		}
	}
	e.bytes = append(e.bytes, '"')
	return e
}

func (e *encoder) comma(first bool) {
	if !first {
		e.bytes = append(e.bytes, ',')
	}
}

func (e *encoder) span(r hcl.Range) *encoder {
	e.raw("[")
	for i, number := range []int{r.Start.Line, r.Start.Column, r.Start.Byte, r.End.Line, r.End.Column, r.End.Byte} {
		e.comma(i == 0)
		e.int(number)
	}
	return e.raw("]")
}

// maxDiagnostics bounds the diagnostics: a hostile text can have one for each of its bytes.
const maxDiagnostics = 1_000

func (e *encoder) diagnostics(diagnostics hcl.Diagnostics) {
	for i, diagnostic := range diagnostics {
		e.comma(i == 0)
		if i == maxDiagnostics {
			more := fmt.Sprintf("There are %d more.", len(diagnostics)-i)
			e.diagnostic(&hcl.Diagnostic{
				Severity: hcl.DiagError,
				Summary:  "Too many errors",
				Detail:   more,
				Subject:  diagnostic.Subject,
			}, "")
			return
		}
		code := ""
		if _, ok := diagnostic.Extra.(opaque.Inspection); ok {
			code = "secret-used-indirectly"
		}
		e.diagnostic(diagnostic, code)
	}
}

func (e *encoder) diagnostic(d *hcl.Diagnostic, code string) {
	severity := "error"
	if d.Severity == hcl.DiagWarning {
		severity = "warning"
	}
	e.raw(`{"severity":`).text(severity).raw(`,"summary":`).text(d.Summary).raw(`,"detail":`).text(withoutStack(d.Detail))
	if d.Subject != nil {
		e.raw(`,"subject":`).span(*d.Subject)
	}
	if d.Context != nil {
		e.raw(`,"context":`).span(*d.Context)
	}
	if code != "" {
		e.raw(`,"code":`).text(code)
	}
	e.raw("}")
}

// withoutStack removes the stack trace from the message of a panic in a function.
func withoutStack(detail string) string {
	const marker = "panic in function implementation: "
	before, message, found := strings.Cut(detail, marker)
	if !found {
		return detail
	}
	message, _, _ = strings.Cut(message, "\ngoroutine ")
	return before + message
}

// body writes attributes and blocks in the order of the file. The library keeps them in two collections.
func (e *encoder) body(body *hclsyntax.Body) {
	type item struct {
		offset int
		write  func()
	}
	items := make([]item, 0, len(body.Attributes)+len(body.Blocks))
	for _, attribute := range body.Attributes {
		items = append(items, item{attribute.SrcRange.Start.Byte, func() { e.attribute(attribute) }})
	}
	for _, block := range body.Blocks {
		items = append(items, item{block.TypeRange.Start.Byte, func() { e.block(block) }})
	}
	sort.Slice(items, func(i, j int) bool { return items[i].offset < items[j].offset })
	e.raw(`{"range":`).span(body.SrcRange).raw(`,"items":[`)
	for i, item := range items {
		e.comma(i == 0)
		item.write()
	}
	e.raw("]}")
}

func (e *encoder) attribute(attribute *hclsyntax.Attribute) {
	e.raw(`{"attribute":`).text(attribute.Name).raw(`,"nameRange":`).span(attribute.NameRange)
	e.raw(`,"range":`).span(attribute.SrcRange).raw(`,"expression":`)
	e.expression(attribute.Expr)
	e.raw("}")
}

func (e *encoder) block(block *hclsyntax.Block) {
	e.raw(`{"block":`).text(block.Type).raw(`,"typeRange":`).span(block.TypeRange).raw(`,"labels":[`)
	for i, label := range block.Labels {
		e.comma(i == 0)
		e.raw(`{"text":`).text(label).raw(`,"range":`).span(block.LabelRanges[i]).raw("}")
	}
	e.raw(`],"range":`).span(block.DefRange()).raw(`,"body":`)
	e.body(block.Body)
	e.raw("}")
}

func (e *encoder) expression(expression hclsyntax.Expression) {
	e.raw(`{"id":`).int(len(e.expressions)).raw(`,"range":`).span(expression.Range())
	e.expressions = append(e.expressions, expression)
	if keyword := hcl.ExprAsKeyword(expression); keyword != "" {
		e.raw(`,"keyword":`).text(keyword)
	}
	if _, ok := expression.(*hclsyntax.TemplateWrapExpr); ok {
		e.raw(`,"quoted":true`)
	}
	switch typed := expression.(type) {
	case *hclsyntax.TupleConsExpr:
		e.raw(`,"items":[`)
		for i, element := range typed.Exprs {
			e.comma(i == 0)
			e.expression(element)
		}
		e.raw("]")
	case *hclsyntax.ObjectConsExpr:
		e.raw(`,"entries":[`)
		for i, entry := range typed.Items {
			e.comma(i == 0)
			e.raw(`{"key":`)
			e.expression(entry.KeyExpr)
			e.raw(`,"value":`)
			e.expression(entry.ValueExpr)
			e.raw("}")
		}
		e.raw("]")
	default:
		e.references(expression)
	}
	e.raw("}")
}

// references writes the variables and functions of an expression. If there are none, it writes the value
// instead.
func (e *encoder) references(expression hclsyntax.Expression) {
	if value, ok := literal(expression); ok {
		e.raw(`,"value":`).value(value)
		return
	}
	found := findReferences(expression)
	if len(found.traversals) > 0 {
		e.raw(`,"variables":[`)
		for i, traversal := range found.traversals {
			e.comma(i == 0)
			e.traversal(traversal, found.direct[traversal])
		}
		e.raw("]")
	}
	if len(found.calls) > 0 {
		e.raw(`,"functions":[`)
		for i, call := range found.calls {
			e.comma(i == 0)
			e.raw(`{"name":`).text(call.Name).raw(`,"range":`).span(call.NameRange).raw("}")
		}
		e.raw("]")
	}
}

func (e *encoder) traversal(expression *hclsyntax.ScopeTraversalExpr, direct bool) {
	e.raw(`{"name":`).text(expression.Traversal.RootName()).raw(`,"range":`).span(expression.SrcRange)
	if direct {
		e.raw(`,"direct":true`)
	}
	e.raw(`,"steps":[`)
	first := true
	for _, step := range expression.Traversal[1:] {
		if name, ok := stepName(step); ok {
			e.comma(first)
			first = false
			e.raw(`{"name":`).text(name).raw(`,"range":`).span(step.SourceRange()).raw("}")
		}
	}
	e.raw("]}")
}
