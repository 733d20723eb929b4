// Package guard refuses texts that would crash the parser, take too long, or have errors that the parser does
// not report.
package guard

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// Problem is a diagnostic of the guard.
type Problem struct {
	Diagnostic *hcl.Diagnostic
	Code       string
}

// Limits of a text.
type Limits struct {
	// Depth is the maximum depth of blocks, brackets, templates and operators.
	Depth int
	// Pieces is the maximum number of lines of a heredoc, or of pieces of a quoted string. The parser joins
	// them in quadratic time.
	Pieces int
}

// Check returns what is wrong with the text, or nil.
func Check(source []byte, limits Limits) *Problem {
	if at := bytes.IndexByte(source, 0); at >= 0 {
		return refuse("nul-character", positionOf(source, at), "Invalid character", "The text contains a NUL byte.")
	}
	if at := firstBroken(source); at >= 0 {
		// HCL takes invalid bytes as part of a name, together with the character after them.
		detail := "The text is not UTF-8. Choose UTF-8 as the encoding in your editor."
		return refuse("", positionOf(source, at), "Invalid character encoding", detail)
	}
	if IsSurelySound(source, limits) {
		return nil
	}
	return CheckTokens(source, limits)
}

// CheckTokens refuses tokens that would overflow the stack of the recursive parser or evaluator. It counts
// tokens, so brackets in strings and comments do not matter.
func CheckTokens(source []byte, limits Limits) *Problem {
	tokens, _ := hclsyntax.LexConfig(source, "", hcl.InitialPos)
	depth := depthCounter{frames: []frame{{body: true}}}
	for i, token := range tokens {
		if token.Type == hclsyntax.TokenNumberLit && hasHugeExponent(token.Bytes) {
			return refuse("huge-number", token.Range, "Number out of range", "An exponent may have at most three digits.")
		}
		var word []byte
		if token.Type == hclsyntax.TokenTemplateControl {
			word = wordAfter(tokens[i+1:])
		}
		depth.count(token.Type, word)
		depth.recordOperand(token.Type, token.Bytes)
		if depth.total > limits.Depth {
			const format = "Blocks, brackets, templates and operators may be nested or chained at most %d deep."
			detail := fmt.Sprintf(format, limits.Depth)
			return refuse("too-deep", token.Range, "Nested too deeply", detail)
		}
		if depth.top().pieces > limits.Pieces {
			const format = "A text may have at most %d lines. (A $ or %% that begins no template counts as a line too.)"
			detail := fmt.Sprintf(format, limits.Pieces)
			return refuse("too-many-lines", token.Range, "Text too long", detail)
		}
	}
	return nil
}

// wordAfter returns the next token that the parser sees. The parser skips comments, and line ends in a
// template.
func wordAfter(tokens hclsyntax.Tokens) []byte {
	for _, token := range tokens {
		if token.Type != hclsyntax.TokenComment && token.Type != hclsyntax.TokenNewline {
			return token.Bytes
		}
	}
	return nil
}

// firstBroken returns the offset of the first invalid UTF-8 byte, or -1.
func firstBroken(source []byte) int {
	for at := 0; at < len(source); {
		char, size := utf8.DecodeRune(source[at:])
		if char == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}

func refuse(code string, at hcl.Range, summary, detail string) *Problem {
	diagnostic := &hcl.Diagnostic{Severity: hcl.DiagError, Summary: summary, Detail: detail, Subject: &at}
	return &Problem{Code: code, Diagnostic: diagnostic}
}

// frame is an open bracket, template or string.
type frame struct {
	// body is true for braces and for the file itself: in these, a line end begins another expression.
	body bool
	// weight is how much the frame itself adds to the depth.
	weight int
	// chain counts the operators that deepen the tree of the current expression.
	chain int
	// control counts the open template directives (%{ if }, %{ for }).
	control int
	// pieces counts the pieces of the text.
	pieces int
}

type depthCounter struct {
	frames []frame
	total  int
	// afterOperand is true after an operand: there a bracket begins an index, elsewhere a list.
	afterOperand bool
}

// count adds a token to the depth and the pieces. word is the token after it if the token begins a template
// directive, otherwise nil.
func (d *depthCounter) count(token hclsyntax.TokenType, word []byte) {
	switch token {
	case hclsyntax.TokenOBrace:
		d.push(frame{body: true, weight: 1})
	case hclsyntax.TokenStringLit, hclsyntax.TokenQuotedLit:
		d.top().pieces++
	case hclsyntax.TokenOBrack:
		if d.afterOperand {
			d.chain() // an index makes the tree deeper, even after its closing bracket
		}
		d.push(frame{weight: 1})
	case hclsyntax.TokenOParen, hclsyntax.TokenTemplateInterp:
		d.push(frame{weight: 1})
	case hclsyntax.TokenTemplateControl:
		d.control(word)
		d.push(frame{weight: 1})
	case hclsyntax.TokenOQuote, hclsyntax.TokenOHeredoc:
		d.push(frame{})
	case hclsyntax.TokenCBrace, hclsyntax.TokenCBrack, hclsyntax.TokenCParen, hclsyntax.TokenTemplateSeqEnd,
		hclsyntax.TokenCQuote, hclsyntax.TokenCHeredoc:
		d.pop()
	case hclsyntax.TokenNewline:
		if d.top().body {
			d.reset()
		}
	case hclsyntax.TokenComma, hclsyntax.TokenEqual, hclsyntax.TokenFatArrow:
		d.reset()
	case hclsyntax.TokenStar, hclsyntax.TokenSlash, hclsyntax.TokenPlus, hclsyntax.TokenMinus, hclsyntax.TokenPercent,
		hclsyntax.TokenEqualOp, hclsyntax.TokenNotEqual, hclsyntax.TokenLessThan, hclsyntax.TokenLessThanEq,
		hclsyntax.TokenGreaterThan, hclsyntax.TokenGreaterThanEq, hclsyntax.TokenAnd, hclsyntax.TokenOr,
		hclsyntax.TokenBang, hclsyntax.TokenQuestion:
		d.chain()
	}
}

// recordOperand records whether a bracket after the token would be an index. Line ends and comments change
// nothing, because an index can follow them inside brackets.
func (d *depthCounter) recordOperand(token hclsyntax.TokenType, word []byte) {
	switch token {
	case hclsyntax.TokenNewline, hclsyntax.TokenComment:
	case hclsyntax.TokenIdent:
		d.afterOperand = string(word) != "in"
	case hclsyntax.TokenNumberLit, hclsyntax.TokenCBrack, hclsyntax.TokenCParen, hclsyntax.TokenCBrace,
		hclsyntax.TokenCQuote, hclsyntax.TokenCHeredoc:
		d.afterOperand = true
	default:
		d.afterOperand = false
	}
}

func (d *depthCounter) top() *frame { return &d.frames[len(d.frames)-1] }

func (d *depthCounter) push(f frame) {
	d.total += f.weight
	d.frames = append(d.frames, f)
}

func (d *depthCounter) pop() {
	if len(d.frames) == 1 {
		return
	}
	top := d.top()
	d.total -= top.weight + top.chain + top.control
	d.frames = d.frames[:len(d.frames)-1]
}

func (d *depthCounter) chain() {
	d.top().chain++
	d.total++
}

func (d *depthCounter) reset() {
	d.total -= d.top().chain
	d.top().chain = 0
}

func (d *depthCounter) control(word []byte) {
	switch string(word) {
	case "if", "for":
		d.top().control++
		d.total++
	case "endif", "endfor":
		if d.top().control > 0 {
			d.top().control--
			d.total--
		}
	}
}

func hasHugeExponent(number []byte) bool {
	at := bytes.IndexAny(number, "eE")
	return at >= 0 && len(bytes.TrimLeft(number[at+1:], "+-0")) > 3
}

func positionOf(source []byte, at int) hcl.Range {
	before := source[:at]
	line := bytes.Count(before, []byte("\n")) + 1
	column := len([]rune(string(before[bytes.LastIndexByte(before, '\n')+1:]))) + 1
	start := hcl.Pos{Line: line, Column: column, Byte: at}
	return hcl.Range{Start: start, End: hcl.Pos{Line: line, Column: column + 1, Byte: at + 1}}
}
