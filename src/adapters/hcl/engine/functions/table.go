// Package functions has the functions that expressions can call. They have the names and the behaviour of
// Terraform's functions. Most come from go-cty; those that go-cty lacks, or that behave differently there,
// are in this package. None reads a clock, files, processes or random numbers: the time is a parameter.
package functions

import (
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// Table returns all functions by name. time is in RFC 3339; if it is empty, timestamp() is an error.
func Table(time string) map[string]function.Function {
	table := map[string]function.Function{"timestamp": timestamp(time)}
	for _, group := range []map[string]function.Function{texts, collections, numbers, encodings, sets, conversions} {
		for name, implementation := range group {
			table[name] = implementation
		}
	}
	return table
}

var texts = map[string]function.Function{
	"chomp":        stdlib.ChompFunc,
	"endswith":     endsWith,
	"format":       checked(stdlib.FormatFunc, checkFormat),
	"formatlist":   checked(stdlib.FormatListFunc, checkFormat),
	"indent":       checked(stdlib.IndentFunc, checkIndent),
	"join":         checked(stdlib.JoinFunc, checkJoin),
	"lower":        stdlib.LowerFunc,
	"regex":        stdlib.RegexFunc,
	"regexall":     stdlib.RegexAllFunc,
	"regexreplace": checked(stdlib.RegexReplaceFunc, checkRegexReplace),
	"replace":      checked(stdlib.ReplaceFunc, checkReplace),
	"split":        stdlib.SplitFunc,
	"startswith":   startsWith,
	"strcontains":  stringContains,
	"strlen":       stdlib.StrlenFunc,
	"strrev":       stdlib.ReverseFunc,
	"substr":       stdlib.SubstrFunc,
	"title":        stdlib.TitleFunc,
	"trim":         stdlib.TrimFunc,
	"trimprefix":   stdlib.TrimPrefixFunc,
	"trimspace":    stdlib.TrimSpaceFunc,
	"trimsuffix":   stdlib.TrimSuffixFunc,
	"upper":        stdlib.UpperFunc,
}

var collections = map[string]function.Function{
	"alltrue":      allTrue,
	"anytrue":      anyTrue,
	"chunklist":    stdlib.ChunklistFunc,
	"coalesce":     coalesce,
	"coalescelist": stdlib.CoalesceListFunc,
	"compact":      stdlib.CompactFunc,
	"concat":       stdlib.ConcatFunc,
	"contains":     stdlib.ContainsFunc,
	"distinct":     stdlib.DistinctFunc,
	"element":      stdlib.ElementFunc,
	"flatten":      stdlib.FlattenFunc,
	"keys":         stdlib.KeysFunc,
	"length":       length,
	"lookup":       lookup,
	"merge":        stdlib.MergeFunc,
	"one":          one,
	"range":        bounded(checked(stdlib.RangeFunc, checkRange)),
	"reverse":      stdlib.ReverseListFunc,
	"slice":        stdlib.SliceFunc,
	"sort":         stdlib.SortFunc,
	"sum":          bounded(sum),
	"transpose":    transpose,
	"values":       stdlib.ValuesFunc,
	"zipmap":       stdlib.ZipmapFunc,
}

var numbers = map[string]function.Function{
	"abs":      bounded(stdlib.AbsoluteFunc),
	"ceil":     bounded(stdlib.CeilFunc),
	"floor":    bounded(stdlib.FloorFunc),
	"log":      bounded(checked(stdlib.LogFunc, checkLog)),
	"max":      bounded(stdlib.MaxFunc),
	"min":      bounded(stdlib.MinFunc),
	"parseint": bounded(checked(stdlib.ParseIntFunc, checkParseInt)),
	"pow":      bounded(stdlib.PowFunc),
	"signum":   stdlib.SignumFunc,
}

var encodings = map[string]function.Function{
	"base64decode": base64Decode,
	"base64encode": base64Encode,
	"csvdecode":    stdlib.CSVDecodeFunc,
	"formatdate":   stdlib.FormatDateFunc,
	"jsondecode":   bounded(checked(stdlib.JSONDecodeFunc, checkJSON)),
	"jsonencode":   stdlib.JSONEncodeFunc,
	"timeadd":      stdlib.TimeAddFunc,
	"urlencode":    urlEncode,
}

var sets = map[string]function.Function{
	"setintersection":        stdlib.SetIntersectionFunc,
	"setproduct":             checked(stdlib.SetProductFunc, checkSetProduct),
	"setsubtract":            stdlib.SetSubtractFunc,
	"setsymmetricdifference": stdlib.SetSymmetricDifferenceFunc,
	"setunion":               stdlib.SetUnionFunc,
}

var conversions = map[string]function.Function{
	"tobool":   stdlib.MakeToFunc(cty.Bool),
	"tolist":   stdlib.MakeToFunc(cty.List(cty.DynamicPseudoType)),
	"tomap":    stdlib.MakeToFunc(cty.Map(cty.DynamicPseudoType)),
	"tonumber": bounded(stdlib.MakeToFunc(cty.Number)),
	"toset":    stdlib.MakeToFunc(cty.Set(cty.DynamicPseudoType)),
	"tostring": stdlib.MakeToFunc(cty.String),
}
