package functions

import (
	"errors"
	"sort"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

var (
	// allTrue treats null as false, like Terraform.
	allTrue = overBools(func(elements []cty.Value) bool {
		for _, element := range elements {
			if element.IsNull() || element.False() {
				return false
			}
		}
		return true
	})
	anyTrue = overBools(func(elements []cty.Value) bool {
		for _, element := range elements {
			if !element.IsNull() && element.True() {
				return true
			}
		}
		return false
	})

	// Unlike go-cty's function, coalesce also skips empty strings.
	coalesce = function.New(&function.Spec{
		VarParam: &function.Parameter{Name: "vals", Type: cty.DynamicPseudoType, AllowNull: true, AllowDynamicType: true},
		Type: func(args []cty.Value) (cty.Type, error) {
			types := make([]cty.Type, len(args))
			for i, arg := range args {
				types[i] = arg.Type()
			}
			unified, _ := convert.UnifyUnsafe(types)
			if unified == cty.NilType {
				return cty.NilType, errors.New("all arguments must have the same type")
			}
			return unified, nil
		},
		Impl: func(args []cty.Value, unified cty.Type) (cty.Value, error) {
			for _, arg := range args {
				value, err := convert.Convert(arg, unified)
				if err != nil {
					return cty.NilVal, err
				}
				if !value.IsNull() && (unified != cty.String || value.AsString() != "") {
					return value, nil
				}
			}
			return cty.NilVal, errors.New("no argument is other than null or an empty text")
		},
	})

	// Unlike go-cty's function, length also counts the characters of a string.
	length = function.New(&function.Spec{
		Params: []function.Parameter{{Name: "value", Type: cty.DynamicPseudoType}},
		Type: func(args []cty.Value) (cty.Type, error) {
			kind := args[0].Type()
			if kind == cty.String || kind.IsTupleType() || kind.IsObjectType() || kind.IsCollectionType() {
				return cty.Number, nil
			}
			return cty.NilType, function.NewArgErrorf(0, "a text, a list, a set or a map is required")
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			switch kind := args[0].Type(); {
			case kind == cty.String:
				return stdlib.Strlen(args[0])
			case kind.IsObjectType():
				return cty.NumberIntVal(int64(len(kind.AttributeTypes()))), nil
			}
			return cty.NumberIntVal(int64(args[0].LengthInt())), nil
		},
	})

	// Unlike go-cty's function, lookup can be called without a default: then a missing key is an error.
	lookup = function.New(&function.Spec{
		Params:   []function.Parameter{{Name: "inputMap", Type: cty.DynamicPseudoType}, {Name: "key", Type: cty.String}},
		VarParam: &function.Parameter{Name: "default", Type: cty.DynamicPseudoType, AllowNull: true, AllowDynamicType: true},
		Type: func(args []cty.Value) (cty.Type, error) {
			if err := checkLookup(args); err != nil {
				return cty.NilType, err
			}
			kind, key := args[0].Type(), args[1].AsString()
			switch {
			case kind.IsMapType():
				return kind.ElementType(), nil
			case kind.HasAttribute(key):
				return kind.AttributeType(key), nil
			}
			return args[2].Type(), nil
		},
		Impl: func(args []cty.Value, kind cty.Type) (cty.Value, error) {
			switch {
			case args[0].Type().IsObjectType() && args[0].Type().HasAttribute(args[1].AsString()):
				return args[0].GetAttr(args[1].AsString()), nil
			case args[0].Type().IsMapType() && args[0].HasIndex(args[1]).True():
				return args[0].Index(args[1]), nil
			}
			value, err := convert.Convert(args[2], kind)
			if err != nil {
				return cty.NilVal, function.NewArgErrorf(2, "the default must be like the values of the map: %s", err)
			}
			return value, nil
		},
	})

	one = function.New(&function.Spec{
		Params: []function.Parameter{{Name: "list", Type: cty.DynamicPseudoType}},
		Type: func(args []cty.Value) (cty.Type, error) {
			kind := args[0].Type()
			switch {
			case kind.IsListType() || kind.IsSetType():
				return kind.ElementType(), nil
			case kind.IsTupleType() && len(kind.TupleElementTypes()) == 0:
				return cty.DynamicPseudoType, nil
			case kind.IsTupleType() && len(kind.TupleElementTypes()) == 1:
				return kind.TupleElementType(0), nil
			}
			return cty.NilType, errNotOne
		},
		Impl: func(args []cty.Value, kind cty.Type) (cty.Value, error) {
			elements := args[0].AsValueSlice()
			switch len(elements) {
			case 0:
				return cty.NullVal(kind), nil
			case 1:
				return elements[0], nil
			}
			return cty.NilVal, errNotOne
		},
	})
	errNotOne = function.NewArgErrorf(0, "a list or set with at most one element is required")

	sum = function.New(&function.Spec{
		Params: []function.Parameter{{Name: "list", Type: cty.DynamicPseudoType}},
		Type:   function.StaticReturnType(cty.Number),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			kind := args[0].Type()
			if !kind.IsTupleType() && !kind.IsListType() && !kind.IsSetType() || args[0].LengthInt() == 0 {
				return cty.NilVal, function.NewArgErrorf(0, "a list or set with at least one number is required")
			}
			total := cty.Zero
			for _, element := range args[0].AsValueSlice() {
				number, err := convert.Convert(element, cty.Number)
				if err != nil || number.IsNull() {
					return cty.NilVal, function.NewArgErrorf(0, "every element must be a number")
				}
				if total, err = stdlib.Add(total, number); err != nil {
					return cty.NilVal, err
				}
			}
			return total, nil
		},
	})

	transpose = function.New(&function.Spec{
		Params: []function.Parameter{{Name: "values", Type: cty.Map(cty.List(cty.String))}},
		Type:   function.StaticReturnType(cty.Map(cty.List(cty.String))),
		Impl: func(args []cty.Value, kind cty.Type) (cty.Value, error) {
			keysByElement := map[string][]cty.Value{}
			for it := args[0].ElementIterator(); it.Next(); {
				key, list := it.Element()
				if list.IsNull() {
					return cty.NilVal, function.NewArgErrorf(0, "no list may be null")
				}
				for _, element := range list.AsValueSlice() {
					if element.IsNull() {
						return cty.NilVal, function.NewArgErrorf(0, "no text in a list may be null")
					}
					keysByElement[element.AsString()] = append(keysByElement[element.AsString()], key)
				}
			}
			if len(keysByElement) == 0 {
				return cty.MapValEmpty(kind.ElementType()), nil
			}
			result := make(map[string]cty.Value, len(keysByElement))
			for name, keys := range keysByElement {
				sort.Slice(keys, func(i, j int) bool { return keys[i].AsString() < keys[j].AsString() })
				result[name] = cty.ListVal(keys)
			}
			return cty.MapVal(result), nil
		},
	})
)

func overBools(holds func(elements []cty.Value) bool) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "list", Type: cty.List(cty.Bool)}},
		Type:   function.StaticReturnType(cty.Bool),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			return cty.BoolVal(holds(args[0].AsValueSlice())), nil
		},
	})
}

func checkLookup(args []cty.Value) error {
	kind, key := args[0].Type(), args[1].AsString()
	switch {
	case len(args) > 3:
		return errors.New("lookup takes two or three arguments")
	case !kind.IsMapType() && !kind.IsObjectType():
		return function.NewArgErrorf(0, "a map is required")
	case len(args) == 3:
		return nil
	case kind.IsObjectType() && !kind.HasAttribute(key), kind.IsMapType() && !args[0].HasIndex(args[1]).True():
		return function.NewArgErrorf(1, "the map has no key %q, and no default is given", key)
	}
	return nil
}
