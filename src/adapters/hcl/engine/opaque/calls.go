package opaque

import (
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// movers are the functions that do not inspect some of their arguments. Each list gives the care (see
// protect.go) of each argument by position; its last entry also holds for all later arguments. Functions that
// are not listed inspect all arguments. coalesce and compact check for empty strings; a placeholder counts as
// not empty.
var movers = map[string][]care{
	"chunklist":    {nothing, all},
	"coalesce":     {nothing},
	"coalescelist": {nothing},
	"compact":      {nothing},
	"concat":       {nothing},
	"element":      {nothing, all},
	"flatten":      {nothing},
	"join":         {nothing},
	"keys":         {nothing},
	"length":       {itself},
	"lookup":       {nothing, all, nothing},
	"merge":        {nothing},
	"one":          {nothing},
	"reverse":      {nothing},
	"slice":        {nothing, all},
	"tolist":       {nothing},
	"tomap":        {nothing},
	"tostring":     {nothing},
	"values":       {nothing},
	"zipmap":       {all, nothing},
}

func protectCall(call *hclsyntax.FunctionCallExpr) {
	for i := range call.Args {
		care := careOf(call, i)
		if call.ExpandFinal && i == len(call.Args)-1 {
			care = careOfRest(call, i)
		}
		call.Args[i] = guard(call.Args[i], care, call.Name+"()")
	}
}

func careOf(call *hclsyntax.FunctionCallExpr, position int) care {
	if call.Name == "format" || call.Name == "formatlist" {
		return careOfFormat(call, position)
	}
	cares, ok := movers[call.Name]
	if !ok {
		return all
	}
	return cares[min(position, len(cares)-1)]
}

// careOfRest returns the care for a list that is expanded to the arguments from this position on. The care is
// all unless the function moves each of these arguments.
func careOfRest(call *hclsyntax.FunctionCallExpr, position int) care {
	if call.Name == "format" && position > 0 {
		if verbs, ok := verbsOf(call); ok && arePlain(verbs) {
			return elements
		}
		return all
	}
	for i := position; i < max(position+1, len(movers[call.Name])); i++ {
		if careOf(call, i) != nothing {
			return all
		}
	}
	return nothing
}

var (
	anyVerb   = regexp.MustCompile(`%[^a-zA-Z%]*[a-zA-Z%]?`)
	plainVerb = regexp.MustCompile(`^%(\[\d+\])?[sv]$`)
)

// careOfFormat allows strings where a literal format has %s or %v without width and precision.
func careOfFormat(call *hclsyntax.FunctionCallExpr, position int) care {
	verbs, ok := verbsOf(call)
	if position == 0 || !ok {
		return all
	}
	// With numbered or missing verbs, any argument can belong to any verb.
	if !slices.ContainsFunc(verbs, isNumbered) && position <= len(verbs) {
		verbs = verbs[position-1 : position]
	}
	switch {
	case !arePlain(verbs):
		return all
	case call.Name == "formatlist":
		return elements
	}
	return structure
}

func verbsOf(call *hclsyntax.FunctionCallExpr) ([]string, bool) {
	format, diagnostics := call.Args[0].Value(nil)
	if diagnostics.HasErrors() || format.Type() != cty.String || !format.IsKnown() || format.IsNull() {
		return nil, false
	}
	verbs := anyVerb.FindAllString(format.AsString(), -1)
	return slices.DeleteFunc(verbs, func(verb string) bool { return verb == "%%" }), true
}

func arePlain(verbs []string) bool {
	return !slices.ContainsFunc(verbs, func(verb string) bool { return !plainVerb.MatchString(verb) })
}

func isNumbered(verb string) bool { return strings.Contains(verb, "[") }
