package functions

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// Limits for the result of one call. A short text could otherwise exhaust any machine.
const (
	maxText     = 4 << 20
	maxElements = 10_000
	maxPadding  = 1_000
	maxNesting  = 200
	// The maximum exponent of a number in base 2: about 1,200 decimal digits before or after the point.
	// Larger numbers would exhaust the memory when they are written out.
	maxExponent = 4_096
)

// LimitOperators makes HCL's arithmetic refuse numbers that are too large to write. It affects the whole
// program.
func LimitOperators() {
	arithmetic := []*hclsyntax.Operation{
		hclsyntax.OpAdd, hclsyntax.OpSubtract, hclsyntax.OpMultiply, hclsyntax.OpNegate,
	}
	for _, operation := range arithmetic {
		operation.Impl = bounded(operation.Impl)
	}
	for _, operation := range []*hclsyntax.Operation{hclsyntax.OpDivide, hclsyntax.OpModulo} {
		operation.Impl = bounded(checked(operation.Impl, checkDivisor))
	}
}

// checked returns the function with a check of its arguments.
func checked(inner function.Function, check func(args []cty.Value) error) function.Function {
	return wrapped(inner, func(args []cty.Value) (cty.Value, error) {
		if err := check(args); err != nil {
			return cty.NilVal, err
		}
		return inner.Call(args)
	})
}

// bounded returns the function with checks that the numbers in its arguments and in its result are within the
// limits.
func bounded(inner function.Function) function.Function {
	return wrapped(inner, func(args []cty.Value) (cty.Value, error) {
		for i, arg := range args {
			if err := checkNumbers(arg); err != nil {
				return cty.NilVal, function.NewArgError(i, err)
			}
		}
		result, err := inner.Call(args)
		if err != nil {
			return cty.NilVal, err
		}
		return result, checkNumbers(result)
	})
}

func wrapped(inner function.Function, call func(args []cty.Value) (cty.Value, error)) function.Function {
	return function.New(&function.Spec{
		Params:   inner.Params(),
		VarParam: inner.VarParam(),
		Type:     inner.ReturnTypeForValues,
		Impl:     func(args []cty.Value, _ cty.Type) (cty.Value, error) { return call(args) },
	})
}

func checkNumbers(value cty.Value) error {
	return cty.Walk(value, func(_ cty.Path, part cty.Value) (bool, error) {
		if part.Type() != cty.Number || part.IsNull() || !part.IsKnown() {
			return true, nil
		}
		return true, checkNumber(part.AsBigFloat())
	})
}

func checkNumber(number *big.Float) error {
	if number.IsInf() {
		return fmt.Errorf("the number is infinite")
	}
	if exponent := number.MantExp(nil); exponent > maxExponent || exponent < -maxExponent {
		return fmt.Errorf("the number has more than 1,200 digits")
	}
	return nil
}

func checkDivisor(args []cty.Value) error {
	if args[1].AsBigFloat().Sign() == 0 {
		return fmt.Errorf("nothing can be divided by zero")
	}
	return nil
}

func checkLog(args []cty.Value) error {
	for i, arg := range args {
		if arg.AsBigFloat().Sign() <= 0 {
			return function.NewArgErrorf(i, "a number greater than zero is required")
		}
	}
	return nil
}

func checkRange(args []cty.Value) error {
	if len(args) == 3 && args[2].AsBigFloat().Sign() == 0 {
		return function.NewArgErrorf(2, "step must not be zero")
	}
	return nil
}

func tooLong(what string) error {
	return fmt.Errorf("%s would make a text of more than %d MiB", what, maxText>>20)
}

func checkIndent(args []cty.Value) error {
	spaces, accuracy := args[0].AsBigFloat().Int64()
	if accuracy != big.Exact || spaces < 0 || spaces > maxPadding {
		return function.NewArgErrorf(0, "a whole number from 0 to %d is required", maxPadding)
	}
	text := args[1].AsString()
	if len(text)+strings.Count(text, "\n")*int(spaces) > maxText {
		return tooLong("indent")
	}
	return nil
}

func checkJoin(args []cty.Value) error {
	separator, length := len(args[0].AsString()), 0
	for _, list := range args[1:] {
		for _, element := range list.AsValueSlice() {
			if !element.IsNull() {
				length += separator + len(element.AsString())
			}
		}
	}
	if length > maxText {
		return tooLong("join")
	}
	return nil
}

func checkReplace(args []cty.Value) error {
	text, part, replacement := args[0].AsString(), args[1].AsString(), args[2].AsString()
	if len(text)+strings.Count(text, part)*len(replacement) > maxText {
		return tooLong("replace")
	}
	return nil
}

func checkRegexReplace(args []cty.Value) error {
	text, replacement := args[0].AsString(), args[2].AsString()
	pattern, err := regexp.Compile(args[1].AsString())
	if err != nil {
		return nil // the function itself reports a better error
	}
	matches := len(pattern.FindAllStringIndex(text, -1))
	if len(text)*(1+strings.Count(replacement, "$"))+matches*len(replacement) > maxText {
		return tooLong("regexreplace")
	}
	return nil
}

func checkParseInt(args []cty.Value) error {
	if args[0].Type() == cty.String && len(args[0].AsString()) > maxExponent {
		return function.NewArgErrorf(0, "at most %d digits are allowed", maxExponent)
	}
	return nil
}

func checkSetProduct(args []cty.Value) error {
	elements := len(args)
	for _, arg := range args {
		kind := arg.Type()
		if !kind.IsSetType() && !kind.IsListType() && !kind.IsTupleType() || arg.IsNull() {
			return nil // the function itself reports the error
		}
		length := arg.LengthInt()
		if length == 0 {
			return nil
		}
		if elements *= length; elements > maxElements {
			return fmt.Errorf("setproduct would make more than %d elements", maxElements)
		}
	}
	return nil
}

func checkJSON(args []cty.Value) error {
	depth, quoted := 0, false
	text := args[0].AsString()
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			if depth++; depth > maxNesting {
				return function.NewArgErrorf(0, "lists and maps may be nested at most %d deep", maxNesting)
			}
		case c == ']' || c == '}':
			depth--
		}
	}
	return nil
}

var verbPattern = regexp.MustCompile(`%[ +#0-]*(\d*)(?:\.(\d*))?(?:\[\d+\])?`)

// checkFormat limits padding, repetition and numbers written as text.
func checkFormat(args []cty.Value) error {
	format := args[0].AsString()
	verbs := verbPattern.FindAllStringSubmatch(format, -1)
	for _, groups := range verbs {
		if exceeds(groups[1], maxPadding) || exceeds(groups[2], maxPadding) {
			return function.NewArgErrorf(0, "width and precision may be at most %d", maxPadding)
		}
	}
	longest, resultCount := 0, 1
	for i, arg := range args[1:] {
		length, err := longestText(arg)
		if err != nil {
			return function.NewArgError(i+1, err)
		}
		longest = max(longest, length)
		kind := arg.Type()
		if arg.IsKnown() && !arg.IsNull() && (kind.IsTupleType() || kind.IsListType() || kind.IsSetType()) {
			resultCount = max(resultCount, arg.LengthInt())
		}
	}
	if resultCount*(len(format)+len(verbs)*(longest+maxPadding)) > 4*maxText {
		return tooLong("format")
	}
	return nil
}

func longestText(value cty.Value) (int, error) {
	longest := 0
	err := cty.Walk(value, func(_ cty.Path, part cty.Value) (bool, error) {
		if part.Type() != cty.String || part.IsNull() || !part.IsKnown() {
			return true, nil
		}
		text := part.AsString()
		longest = max(longest, len(text))
		if hugeNumber.MatchString(text) {
			return false, fmt.Errorf("an exponent may have at most three digits")
		}
		return true, nil
	})
	return longest, err
}

var hugeNumber = regexp.MustCompile(`^[+-]?[0-9.]+[eEpP][+-]?0*[1-9][0-9]{3}`)

func exceeds(digits string, limit int) bool {
	var number int
	if digits == "" {
		return false
	}
	_, err := fmt.Sscanf(digits, "%d", &number)
	return err != nil || number > limit
}
