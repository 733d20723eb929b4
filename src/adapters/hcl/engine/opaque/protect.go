// Package opaque prevents expressions from inspecting placeholders: strings whose real value is inserted
// later, wherever the placeholder survives unchanged. A placeholder can be moved and can become part of a
// longer string. Reading, cutting, changing or comparing it is an error, because the operation would see the
// placeholder instead of the real string.
//
// A property test checks this invariant: if an expression has a value here, then replacing the placeholder in
// that value by the real string gives the value of the expression with the real string, unless the expression
// with the real string is an error. (The real string is assumed not to be empty.)
package opaque

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// Texts maps placeholders to their names in messages.
type Texts map[string]string

// Current holds the placeholders of the current evaluation. Expressions are evaluated one at a time.
var Current Texts

// find returns the name of the first placeholder inside the value.
func (t Texts) find(value cty.Value) (name string, found bool) {
	if len(t) == 0 {
		return "", false
	}
	_ = cty.Walk(value, func(_ cty.Path, part cty.Value) (bool, error) {
		if !found && part.Type() == cty.String && part.IsKnown() && !part.IsNull() {
			name, found = t.nameIn(part.AsString())
		}
		return !found, nil
	})
	return name, found
}

// nameIn returns the name of a placeholder inside the text.
func (t Texts) nameIn(text string) (string, bool) {
	for placeholder, name := range t {
		if strings.Contains(text, placeholder) {
			return name, true
		}
	}
	return "", false
}

// care is how much of a value an operation inspects.
type care int

const (
	// nothing: the value is moved, or becomes part of a string.
	nothing care = iota
	// itself: a string is inspected. Of a list or map, the contents are not.
	itself
	// structure: a string is moved. A list or map is inspected, because it is written out.
	structure
	// elements: like structure, but a list of strings is not inspected, because its strings are moved one by
	// one.
	elements
	// everything is inspected.
	all
)

// guarded wraps an expression whose value an operation inspects.
type guarded struct {
	hclsyntax.Expression
	care care
	// operation is what inspects the value, in words for a message.
	operation string
}

func (g *guarded) Value(context *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	value, diagnostics := g.Expression.Value(context)
	if diagnostics.HasErrors() || !g.inspects(value) {
		return value, diagnostics
	}
	name, found := Current.find(value)
	if !found {
		return value, diagnostics
	}
	subject := g.Expression.Range()
	return cty.DynamicVal, append(diagnostics, &hcl.Diagnostic{
		Severity: hcl.DiagError,
		Summary:  fmt.Sprintf("%s needs the value of %s, which is known only when a step runs", g.operation, name),
		Subject:  &subject,
		Extra:    Inspection{},
	})
}

// Inspection marks the diagnostics of this package, in their Extra.
type Inspection struct{}

// inspects reports whether an operation with this care inspects the value.
func (g *guarded) inspects(value cty.Value) bool {
	kind := value.Type()
	switch g.care {
	case all:
		return true
	case itself:
		return kind == cty.String
	case structure:
		return kind != cty.String
	case elements:
		if kind.IsListType() || kind.IsSetType() || kind.IsTupleType() {
			for it := value.ElementIterator(); value.IsKnown() && !value.IsNull() && it.Next(); {
				if _, element := it.Element(); element.Type() != cty.String {
					return true
				}
			}
			return false
		}
		return kind != cty.String
	}
	return false
}

// Protect changes the expression so that it inspects no placeholder. It is idempotent.
func Protect(expression hclsyntax.Expression) {
	_ = hclsyntax.Walk(expression, protector{})
}

type protector struct{}

func (protector) Enter(hclsyntax.Node) hcl.Diagnostics { return nil }

// Exit runs after the children were walked, so the walk does not enter the wrappers that Exit adds.
func (protector) Exit(node hclsyntax.Node) hcl.Diagnostics {
	switch typed := node.(type) {
	case *hclsyntax.BinaryOpExpr:
		if !isNull(typed.LHS) && !isNull(typed.RHS) {
			typed.LHS = guard(typed.LHS, all, "the operator")
			typed.RHS = guard(typed.RHS, all, "the operator")
		}
	case *hclsyntax.UnaryOpExpr:
		typed.Val = guard(typed.Val, all, "the operator")
	case *hclsyntax.ConditionalExpr:
		typed.Condition = guard(typed.Condition, all, "the condition")
	case *hclsyntax.IndexExpr:
		typed.Key = guard(typed.Key, all, "the index")
	case *hclsyntax.ObjectConsExpr:
		for i := range typed.Items {
			typed.Items[i].KeyExpr = guard(typed.Items[i].KeyExpr, all, "the key")
		}
	case *hclsyntax.ForExpr:
		if typed.KeyExpr != nil {
			typed.KeyExpr = guard(typed.KeyExpr, all, "the key")
		}
		if typed.CondExpr != nil {
			typed.CondExpr = guard(typed.CondExpr, all, "the condition")
		}
	case *hclsyntax.FunctionCallExpr:
		protectCall(typed)
	}
	return nil
}

// isNull reports whether the expression is the literal null. A placeholder is never null, so a comparison
// with null reveals nothing.
func isNull(expression hclsyntax.Expression) bool {
	literal, ok := expression.(*hclsyntax.LiteralValueExpr)
	return ok && literal.Val.IsNull()
}

func guard(expression hclsyntax.Expression, care care, operation string) hclsyntax.Expression {
	if _, ok := expression.(*guarded); ok || care == nothing {
		return expression
	}
	return &guarded{Expression: expression, care: care, operation: operation}
}
