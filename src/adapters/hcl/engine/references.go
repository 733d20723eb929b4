//go:build wasip1

package main

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// references collects the variables and function calls of an expression. A traversal is direct if its value
// reaches the result unchanged or inside a string; operators, conditions, indexes and functions make it
// indirect. locals are the names that enclosing for expressions define.
type references struct {
	traversals []*hclsyntax.ScopeTraversalExpr
	calls      []*hclsyntax.FunctionCallExpr
	direct     map[*hclsyntax.ScopeTraversalExpr]bool
	locals     []map[string]struct{}
}

func findReferences(expression hclsyntax.Expression) *references {
	found := &references{direct: map[*hclsyntax.ScopeTraversalExpr]bool{}}
	hclsyntax.Walk(expression, found)
	found.markDirect(expression)
	return found
}

func (r *references) Enter(node hclsyntax.Node) hcl.Diagnostics {
	switch typed := node.(type) {
	case *hclsyntax.ScopeTraversalExpr:
		if !r.isLocal(typed.Traversal.RootName()) {
			r.traversals = append(r.traversals, typed)
		}
	case *hclsyntax.FunctionCallExpr:
		r.calls = append(r.calls, typed)
	case hclsyntax.ChildScope:
		r.locals = append(r.locals, typed.LocalNames)
	}
	return nil
}

func (r *references) Exit(node hclsyntax.Node) hcl.Diagnostics {
	if _, ok := node.(hclsyntax.ChildScope); ok {
		r.locals = r.locals[:len(r.locals)-1]
	}
	return nil
}

func (r *references) isLocal(name string) bool {
	for _, names := range r.locals {
		if _, ok := names[name]; ok {
			return true
		}
	}
	return false
}

func (r *references) markDirect(expression hclsyntax.Expression) {
	switch typed := expression.(type) {
	case *hclsyntax.ScopeTraversalExpr:
		r.direct[typed] = true
	case *hclsyntax.ParenthesesExpr:
		r.markDirect(typed.Expression)
	case *hclsyntax.TemplateWrapExpr:
		r.markDirect(typed.Wrapped)
	case *hclsyntax.TemplateExpr:
		for _, part := range typed.Parts {
			r.markDirect(part)
		}
	case *hclsyntax.TupleConsExpr:
		for _, element := range typed.Exprs {
			r.markDirect(element)
		}
	case *hclsyntax.ObjectConsExpr:
		for _, item := range typed.Items {
			r.markDirect(item.ValueExpr)
		}
	case *hclsyntax.ConditionalExpr:
		r.markDirect(typed.TrueResult)
		r.markDirect(typed.FalseResult)
	}
}

// literal returns the value of a literal: a number, bool, null or string without template parts.
func literal(expression hclsyntax.Expression) (cty.Value, bool) {
	switch typed := expression.(type) {
	case *hclsyntax.LiteralValueExpr:
		return typed.Val, typed.Val.IsWhollyKnown()
	case *hclsyntax.TemplateExpr:
		if !typed.IsStringLiteral() && len(typed.Parts) > 0 {
			for _, part := range typed.Parts {
				if _, ok := part.(*hclsyntax.LiteralValueExpr); !ok {
					return cty.NilVal, false
				}
			}
		}
		value, diagnostics := typed.Value(nil)
		return value, !diagnostics.HasErrors() && value.IsWhollyKnown()
	}
	return cty.NilVal, false
}

func stepName(step hcl.Traverser) (string, bool) {
	switch typed := step.(type) {
	case hcl.TraverseAttr:
		return typed.Name, true
	case hcl.TraverseIndex:
		if key, err := convert.Convert(typed.Key, cty.String); err == nil && key.IsWhollyKnown() && !key.IsNull() {
			return key.AsString(), true
		}
	}
	return "", false
}
