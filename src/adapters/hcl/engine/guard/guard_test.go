package guard

import (
	"strings"
	"testing"
)

func TestGuard(t *testing.T) {
	const limit = 5
	nested := func(open, close string, depth int) string {
		return "a = " + strings.Repeat(open, depth) + "1" + strings.Repeat(close, depth)
	}
	for name, c := range map[string]struct {
		source string
		code   string
		line   int
	}{
		"an empty text":                          {"", "", 0},
		"a byte of zero":                         {"a = 1\nb = \"\x00\"", "nul-character", 2},
		"parentheses to the limit":               {nested("(", ")", 5), "", 0},
		"lists to the limit":                     {nested("[", "]", 5), "", 0},
		"lists over the limit":                   {nested("[", "]", 6), "too-deep", 1},
		"lists in for expressions":               {nested("[for a in [1, 2] : ", "]", 4), "", 0},
		"lists on lines of their own":            {"a = " + strings.Repeat("[\n", 5) + strings.Repeat("]\n", 5), "", 0},
		"an index counts twice":                  {nested("b[", "]", 3), "too-deep", 1},
		"half as many indexes":                   {nested("b[", "]", 2), "", 0},
		"indexes one after another are a tree":   {"a = b" + strings.Repeat("[0]", 6), "too-deep", 1},
		"an index of a list":                     {"a = [1]" + strings.Repeat("[0]", 5), "too-deep", 1},
		"parentheses over the limit":             {nested("(", ")", 6), "too-deep", 1},
		"objects over the limit":                 {nested("{a=", "}", 6), "too-deep", 1},
		"blocks over the limit":                  {strings.Repeat("b {\n", 6) + strings.Repeat("}\n", 6), "too-deep", 6},
		"brackets one after another":             {"a = [" + strings.Repeat("[1],", 100) + "]", "", 0},
		"brackets in strings are not brackets":   {`a = "` + strings.Repeat("[", 100) + `"`, "", 0},
		"brackets in comments are not brackets":  {"# " + strings.Repeat("[", 100), "", 0},
		"operators one after another are a tree": {"a = 1" + strings.Repeat(" + 1", 6), "too-deep", 1},
		"operators of two lines are two trees":   {"a = 1 + 1 + 1\nb = 1 + 1 + 1 + 1", "", 0},
		"a template within a template":           {"a = " + strings.Repeat(`"${`, 6) + "1" + strings.Repeat(`}"`, 6), "too-deep", 1},
		"directives that are open":               {`a = "` + strings.Repeat("%{ if true }", 6) + strings.Repeat("%{ endif }", 6) + `"`, "too-deep", 1},
		"directives that are closed":             {`a = "` + strings.Repeat("%{ if true }x%{ endif }", 100) + `"`, "", 0},
		"an exponent that takes a minute":        {"a = 1e1000", "huge-number", 1},
		"an exponent that does not":              {"a = 1e-0999", "", 0},
		"an exponent behind an exponent":         {"a = 1e1e1000", "huge-number", 1},
		"an exponent behind a broken one":        {"a = 1e1.E1000", "huge-number", 1},
		"closing what was never open":            {"a = ]]]]}}}}))))", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			got := Check([]byte(c.source), Limits{Depth: limit, Pieces: 100})
			if got == nil {
				if c.code != "" {
					t.Fatalf("the guard accepted the text")
				}
				return
			}
			if got.Code != c.code || got.Diagnostic.Subject.Start.Line != c.line {
				t.Fatalf("got %s in line %d", got.Code, got.Diagnostic.Subject.Start.Line)
			}
		})
	}
}

func TestPositionCountsCharacters(t *testing.T) {
	at := positionOf([]byte("a\nä€x"), len("a\nä€"))
	if at.Start.Line != 2 || at.Start.Column != 3 || at.Start.Byte != 7 {
		t.Fatalf("got %+v", at.Start)
	}
}
