// Package guard refuses texts that the parser would not survive, not notice, or take too long for.
package guard

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// Problem is a diagnostic of our own.
type Problem struct {
	Diagnostic *hcl.Diagnostic
	Code       string
}

// Limits of a text.
type Limits struct {
	// Depth is how deep blocks, brackets, templates and operators may be nested.
	Depth int
	// Pieces is how many lines a heredoc may have, or pieces a quoted text: the parser puts them together in time that grows with the
	// square of their number.
	Pieces int
}

// Check answers with what is wrong with the text, or nil.
func Check(source []byte, limits Limits) *Problem {
	if at := bytes.IndexByte(source, 0); at >= 0 {
		return refuse("nul-character", positionOf(source, at), "Invalid character", "The text contains a NUL byte.")
	}
	if at := firstBroken(source); at >= 0 {
		// HCL takes some of it for parts of a name, together with the sign behind it.
		return refuse("", positionOf(source, at), "Invalid character encoding", "The text is not UTF-8. Choose UTF-8 as the encoding in your editor.")
	}
	if IsSurelySound(source, limits) {
		return nil
	}
	return CheckTokens(source, limits)
}

// CheckTokens reads the tokens, so that brackets in strings and comments do not count, and refuses what would make the recursive parser
// or evaluator overflow its stack.
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
		depth.read(token.Type, word)
		depth.pass(token.Type, token.Bytes)
		if depth.total > limits.Depth {
			detail := fmt.Sprintf("Blocks, brackets, templates and operators may be nested or chained at most %d deep.", limits.Depth)
			return refuse("too-deep", token.Range, "Nested too deeply", detail)
		}
		if depth.top().pieces > limits.Pieces {
			detail := fmt.Sprintf("A text may have at most %d lines. (A $ or %% that begins no template counts as a line too.)", limits.Pieces)
			return refuse("too-many-lines", token.Range, "Text too long", detail)
		}
	}
	return nil
}

// wordAfter is the first token that the parser will see: it passes over comments, and over line ends in a template.
func wordAfter(tokens hclsyntax.Tokens) []byte {
	for _, token := range tokens {
		if token.Type != hclsyntax.TokenComment && token.Type != hclsyntax.TokenNewline {
			return token.Bytes
		}
	}
	return nil
}

// firstBroken is where the text stops being UTF-8, or -1.
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
	return &Problem{Code: code, Diagnostic: &hcl.Diagnostic{Severity: hcl.DiagError, Summary: summary, Detail: detail, Subject: &at}}
}

// frame is an open bracket, template or string: chain counts the operators that make its current expression a deep tree, control
// the template directives (%{ if }, %{ for }) that are open in it, pieces what its text consists of.
type frame struct {
	body    bool
	weight  int
	chain   int
	control int
	pieces  int
}

type depthCounter struct {
	frames []frame
	total  int
	// afterOperand is true behind what a bracket may index; otherwise a bracket begins a list.
	afterOperand bool
}

// read takes a token, and for the beginning of a directive the word behind it.
func (d *depthCounter) read(token hclsyntax.TokenType, word []byte) {
	switch token {
	case hclsyntax.TokenOBrace:
		d.push(frame{body: true, weight: 1})
	case hclsyntax.TokenStringLit, hclsyntax.TokenQuotedLit:
		d.top().pieces++
	case hclsyntax.TokenOBrack:
		if d.afterOperand {
			d.chain() // an index makes the tree deeper, and stays so behind its bracket
		}
		d.push(frame{weight: 1})
	case hclsyntax.TokenOParen, hclsyntax.TokenTemplateInterp:
		d.push(frame{weight: 1})
	case hclsyntax.TokenTemplateControl:
		d.control(word)
		d.push(frame{weight: 1})
	case hclsyntax.TokenOQuote, hclsyntax.TokenOHeredoc:
		d.push(frame{})
	case hclsyntax.TokenCBrace, hclsyntax.TokenCBrack, hclsyntax.TokenCParen, hclsyntax.TokenTemplateSeqEnd, hclsyntax.TokenCQuote, hclsyntax.TokenCHeredoc:
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

// pass takes note of what a bracket behind the token would be. Line ends and comments change nothing: an index may follow them in brackets.
func (d *depthCounter) pass(token hclsyntax.TokenType, word []byte) {
	switch token {
	case hclsyntax.TokenNewline, hclsyntax.TokenComment:
	case hclsyntax.TokenIdent:
		d.afterOperand = string(word) != "in"
	case hclsyntax.TokenNumberLit, hclsyntax.TokenCBrack, hclsyntax.TokenCParen, hclsyntax.TokenCBrace, hclsyntax.TokenCQuote, hclsyntax.TokenCHeredoc:
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
