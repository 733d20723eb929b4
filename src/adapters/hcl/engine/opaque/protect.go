// Package opaque keeps texts whose true value is not known yet from being looked at. Such a text stands in for another one that is put
// in its place later, wherever it has survived letter by letter. So it may be moved about and become part of a longer text; whatever
// would read, cut, change or compare it is an error, because it would see the stand-in instead.
//
// The claim, which a property test holds: if an expression has a value here, then putting the true text in place of the stand-in gives
// what the expression would have been with the true text from the start, unless that would have been an error. (One thing is assumed:
// the true text is not empty.)
package opaque

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// Texts has the stand-ins, and what each is called in messages.
type Texts map[string]string

// Current are the stand-ins of the evaluation under way. Expressions are evaluated one at a time.
var Current Texts

// find answers with the name of a stand-in inside the value.
func (t Texts) find(value cty.Value) (name string, found bool) {
	if len(t) == 0 {
		return "", false
	}
	_ = cty.Walk(value, func(_ cty.Path, part cty.Value) (bool, error) {
		if !found && part.Type() == cty.String && part.IsKnown() && !part.IsNull() {
			name, found = t.in(part.AsString())
		}
		return !found, nil
	})
	return name, found
}

func (t Texts) in(text string) (string, bool) {
	for standIn, name := range t {
		if strings.Contains(text, standIn) {
			return name, true
		}
	}
	return "", false
}

// care says how much of a value is looked at.
type care int

const (
	// nothing: the value is moved, or becomes part of a text.
	nothing care = iota
	// itself: a text is looked at, but not what a list or map holds.
	itself
	// structure: a text is taken as it is, but a list or map is written out.
	structure
	// elements: as structure, where a list stands for one text after the other.
	elements
	// all of it.
	all
)

// guarded is an expression whose value somebody is about to look at.
type guarded struct {
	hclsyntax.Expression
	care care
	// by names who looks.
	by string
}

func (g *guarded) Value(context *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	value, diagnostics := g.Expression.Value(context)
	if diagnostics.HasErrors() || !g.looks(value) {
		return value, diagnostics
	}
	name, found := Current.find(value)
	if !found {
		return value, diagnostics
	}
	at := g.Expression.Range()
	return cty.DynamicVal, append(diagnostics, &hcl.Diagnostic{
		Severity: hcl.DiagError,
		Summary:  fmt.Sprintf("%s needs the value of %s, which is known only when a step runs", g.by, name),
		Subject:  &at,
		Extra:    Looked{},
	})
}

// Looked marks the diagnostics of this package.
type Looked struct{}

func (g *guarded) looks(value cty.Value) bool {
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

// Protect changes the expression so that it looks at no stand-in. It is done once for each expression, and does no harm twice.
func Protect(expression hclsyntax.Expression) {
	_ = hclsyntax.Walk(expression, protector{})
}

type protector struct{}

func (protector) Enter(hclsyntax.Node) hcl.Diagnostics { return nil }

// Exit comes after the children: a guarded expression is not walked as the node that it is.
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

// isNull says whether the expression is the word null: a stand-in never is, so comparing with it reveals nothing.
func isNull(expression hclsyntax.Expression) bool {
	literal, ok := expression.(*hclsyntax.LiteralValueExpr)
	return ok && literal.Val.IsNull()
}

func guard(expression hclsyntax.Expression, care care, by string) hclsyntax.Expression {
	if _, ok := expression.(*guarded); ok || care == nothing {
		return expression
	}
	return &guarded{Expression: expression, care: care, by: by}
}
