package guard

import (
	"bytes"

	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// IsSurelySound is a quick check without the lexer, which takes a fraction of the time of CheckTokens. It
// accepts only texts whose brackets match, and never counts a smaller depth or fewer pieces than CheckTokens.
// If it is not sure, it returns false, and CheckTokens decides.
func IsSurelySound(source []byte, limits Limits) bool {
	r := quickReader{source: source, depth: depthCounter{frames: []frame{{body: true}}}, open: []opened{{kind: inFile}}}
	for r.at < len(source) {
		if !r.step() || r.depth.total > limits.Depth || r.depth.top().pieces > limits.Pieces {
			return false
		}
	}
	return len(r.open) == 1
}

const (
	inFile     = 0
	inQuotes   = '"'
	inHeredoc  = '<'
	inTemplate = '$'
)

// opened is an open bracket by its character, or one of the constants above. marker is the word that ends a
// heredoc.
type opened struct {
	kind   byte
	marker []byte
}

type quickReader struct {
	source []byte
	at     int
	depth  depthCounter
	open   []opened
	// lineStart is true at the start of a line, where a heredoc can end.
	lineStart bool
}

// step consumes one lexical element. It returns false if it is not sure which element comes.
func (r *quickReader) step() bool {
	switch r.open[len(r.open)-1].kind {
	case inQuotes:
		return r.quoted()
	case inHeredoc:
		return r.heredoc()
	}
	return r.plain()
}

func (r *quickReader) peek(offset int) byte {
	if r.at+offset < len(r.source) {
		return r.source[r.at+offset]
	}
	return 0
}

// read counts a token and consumes its length. It always returns true, for use in a return statement.
func (r *quickReader) read(token hclsyntax.TokenType, length int) bool {
	r.depth.count(token, nil)
	r.depth.recordOperand(token, nil)
	r.at += length
	return true
}

func (r *quickReader) push(kind byte, token hclsyntax.TokenType, length int) bool {
	r.open = append(r.open, opened{kind: kind})
	return r.read(token, length)
}

func (r *quickReader) pop(kind byte, token hclsyntax.TokenType, length int) bool {
	if r.open[len(r.open)-1].kind != kind {
		return false
	}
	r.open = r.open[:len(r.open)-1]
	return r.read(token, length)
}

func (r *quickReader) plain() bool {
	switch c, next := r.source[r.at], r.peek(1); {
	case c == ' ' || c == '\t' || c == '.' || c == ':':
		r.at++
		return true
	case c == '\n':
		return r.read(hclsyntax.TokenNewline, 1)
	case c == '\r' && next == '\n':
		r.at++
		return true
	case c == '#' || c == '/' && next == '/':
		r.at += lengthOfLine(r.source[r.at:])
		return true
	case isWordStart(c):
		length := lengthOfWord(r.source[r.at:])
		r.depth.recordOperand(hclsyntax.TokenIdent, r.source[r.at:r.at+length])
		r.at += length
		return true
	case c >= '0' && c <= '9':
		return r.number()
	case c == '"':
		r.push(inQuotes, hclsyntax.TokenOQuote, 1)
		r.depth.top().pieces++
		return true
	case c == '<' && next == '<':
		return r.openHeredoc()
	}
	return r.bracket() || r.operator()
}

func (r *quickReader) bracket() bool {
	switch c := r.source[r.at]; c {
	case '{':
		return r.push('{', hclsyntax.TokenOBrace, 1)
	case '[':
		return r.push('[', hclsyntax.TokenOBrack, 1)
	case '(':
		return r.push('(', hclsyntax.TokenOParen, 1)
	case ']':
		return r.pop('[', hclsyntax.TokenCBrack, 1)
	case ')':
		return r.pop('(', hclsyntax.TokenCParen, 1)
	case '}':
		return r.pop('{', hclsyntax.TokenCBrace, 1) || r.pop(inTemplate, hclsyntax.TokenTemplateSeqEnd, 1)
	case '~':
		return r.peek(1) == '}' && r.pop(inTemplate, hclsyntax.TokenTemplateSeqEnd, 2)
	}
	return false
}

func (r *quickReader) operator() bool {
	c, next := r.source[r.at], r.peek(1)
	switch {
	case c == ',':
		return r.read(hclsyntax.TokenComma, 1)
	case c == '=' && next == '>':
		return r.read(hclsyntax.TokenFatArrow, 2)
	case next == '=' && (c == '=' || c == '!' || c == '<' || c == '>'), c == '&' && next == '&', c == '|' && next == '|':
		return r.read(hclsyntax.TokenEqualOp, 2)
	case c == '=':
		return r.read(hclsyntax.TokenEqual, 1)
	case c == '/' && next == '*':
		return false
	case bytes.IndexByte([]byte("<>!?+-*/%"), c) >= 0:
		return r.read(hclsyntax.TokenPlus, 1)
	}
	return false
}

// number returns false for an exponent of more than three digits, or if the token can continue after it.
func (r *quickReader) number() bool {
	r.depth.recordOperand(hclsyntax.TokenNumberLit, nil)
	for c := r.peek(0); c >= '0' && c <= '9' || c == '.'; c = r.peek(0) {
		r.at++
	}
	if c := r.peek(0); c != 'e' && c != 'E' {
		return true
	}
	r.at++
	if c := r.peek(0); c == '+' || c == '-' {
		r.at++
	}
	from := r.at
	for c := r.peek(0); c >= '0' && c <= '9'; c = r.peek(0) {
		r.at++
	}
	return r.at-from <= 3 && bytes.IndexByte([]byte("eE."), r.peek(0)) < 0
}

func (r *quickReader) quoted() bool {
	switch c, next := r.source[r.at], r.peek(1); {
	case c == '"':
		return r.pop(inQuotes, hclsyntax.TokenCQuote, 1)
	case c == '\\' && next != '\n' && next != '\r':
		r.at += 2
		return true
	case c == '$' || c == '%':
		return r.template(c)
	case c == '\n' || c == '\r' || c == '\\':
		return false
	}
	r.at++
	return true
}

// template reads text from a $ or %: a template sequence, an escaped one, or the character itself. It adds at
// most two pieces.
func (r *quickReader) template(c byte) bool {
	r.depth.top().pieces += 2
	r.lineStart = false
	switch {
	case r.peek(1) == c && r.peek(2) == '{':
		r.at += 3
		return true
	case r.peek(1) != '{':
		r.at++
		return true
	}
	r.at += 2
	if r.peek(0) == '~' {
		r.at++
	}
	if c == '$' {
		return r.push(inTemplate, hclsyntax.TokenTemplateInterp, 0)
	}
	rest := bytes.TrimLeft(r.source[r.at:], " \t\r\n")
	if len(rest) == 0 || !isWordStart(rest[0]) {
		return false
	}
	r.open = append(r.open, opened{kind: inTemplate})
	r.depth.count(hclsyntax.TokenTemplateControl, rest[:lengthOfWord(rest)])
	return true
}

func (r *quickReader) openHeredoc() bool {
	at := r.at + 2
	if at < len(r.source) && r.source[at] == '-' {
		at++
	}
	if at >= len(r.source) || !isWordStart(r.source[at]) {
		return false
	}
	length := lengthOfWord(r.source[at:])
	marker := r.source[at : at+length]
	at += length
	if at < len(r.source) && r.source[at] == '\r' {
		at++
	}
	if at >= len(r.source) || r.source[at] != '\n' {
		return false
	}
	r.push(inHeredoc, hclsyntax.TokenOHeredoc, at+1-r.at)
	r.open[len(r.open)-1].marker = marker
	r.lineStart = true
	return true
}

func (r *quickReader) heredoc() bool {
	if r.lineStart {
		r.lineStart = false
		r.depth.top().pieces++
		line, _, closed := bytes.Cut(r.source[r.at:], []byte("\n"))
		if !closed {
			return false
		}
		if bytes.Equal(bytes.TrimSpace(line), r.open[len(r.open)-1].marker) {
			return r.pop(inHeredoc, hclsyntax.TokenCHeredoc, len(bytes.TrimSuffix(line, []byte("\r"))))
		}
	}
	switch c := r.source[r.at]; {
	case c == '$' || c == '%':
		return r.template(c)
	case c == '\r' && r.peek(1) != '\n':
		return false
	case c == '\n':
		r.lineStart = true
	}
	r.at++
	return true
}

func isWordStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
}

func lengthOfWord(text []byte) int {
	for i, c := range text {
		if !isWordStart(c) && c != '-' && (c < '0' || c > '9') {
			return i
		}
	}
	return len(text)
}

func lengthOfLine(text []byte) int {
	if end := bytes.IndexByte(text, '\n'); end >= 0 {
		return end + 1
	}
	return len(text)
}
