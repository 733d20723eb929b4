package functions

import (
	"encoding/base64"
	"errors"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

var (
	startsWith     = compare("prefix", strings.HasPrefix)
	endsWith       = compare("suffix", strings.HasSuffix)
	stringContains = compare("substr", strings.Contains)

	base64Encode = convertText(func(text string) (string, error) {
		return base64.StdEncoding.EncodeToString([]byte(text)), nil
	})
	base64Decode = convertText(func(text string) (string, error) {
		decoded, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return "", errors.New("the text is not base64")
		}
		if !utf8.Valid(decoded) {
			return "", errors.New("what the base64 text stands for is not UTF-8")
		}
		return string(decoded), nil
	})
	urlEncode = convertText(func(text string) (string, error) { return url.QueryEscape(text), nil })
)

func compare(secondName string, holds func(text, part string) bool) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "str", Type: cty.String}, {Name: secondName, Type: cty.String}},
		Type:   function.StaticReturnType(cty.Bool),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			return cty.BoolVal(holds(args[0].AsString(), args[1].AsString())), nil
		},
	})
}

func convertText(run func(text string) (string, error)) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "str", Type: cty.String}},
		Type:   function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			text, err := run(args[0].AsString())
			if err != nil {
				return cty.NilVal, function.NewArgError(0, err)
			}
			return cty.StringVal(text), nil
		},
	})
}

func timestamp(time string) function.Function {
	return function.New(&function.Spec{
		Type: function.StaticReturnType(cty.String),
		Impl: func([]cty.Value, cty.Type) (cty.Value, error) {
			if time == "" {
				return cty.NilVal, errors.New("the time is not known here")
			}
			return cty.StringVal(time), nil
		},
	})
}
