//go:build wasip1

// The HCL engine: hashicorp/hcl as a WebAssembly reactor. It parses, evaluates and formats. It has no rules
// of Millrace.
//
// The caller allocates and frees the buffers for its input. Every result is a buffer of JSON: its address is
// the high half of one integer, its length the low half.
package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"unsafe"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"

	"millrace.dev/hcl-engine/functions"
	"millrace.dev/hcl-engine/guard"
	"millrace.dev/hcl-engine/opaque"
)

var (
	buffers = map[uint32][]byte{}
	trees   = map[uint32][]hclsyntax.Expression{}
	// protected holds, for each tree, the expressions that opaque.Protect has changed.
	protected = map[uint32]map[uint32]struct{}{}
	scopes    = map[uint32]*scope{}
	lastID    uint32
	// callable is the parent of all scopes with the same time and holds the functions. If each scope held
	// them, HCL would suggest a random function for an unknown one.
	callable     *hcl.EvalContext
	callableTime string
)

type scope struct {
	context *hcl.EvalContext
	opaque  opaque.Texts
}

// The caller sets the hard memory limit. The soft limit of 128 MiB makes the garbage collector run well
// before that. Below the soft limit, the collector runs rarely, because a text of a thousand lines takes half
// the time if garbage is collected after it.
func init() {
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(128 << 20)
	functions.LimitOperators()
}

func main() {}

//go:wasmexport allocate
func allocate(size uint32) uint32 {
	return keep(make([]byte, size+1))
}

//go:wasmexport free
func free(address uint32) {
	delete(buffers, address)
}

//go:wasmexport releaseTree
func releaseTree(id uint32) {
	delete(trees, id)
	delete(protected, id)
}

//go:wasmexport releaseScope
func releaseScope(id uint32) {
	delete(scopes, id)
}

// maxPieces is the maximum number of lines of a heredoc, or of pieces of a quoted string.
const maxPieces = 5_000

//go:wasmexport parse
func parse(address, length, maxDepth uint32) (answer uint64) {
	defer answerPanic(&answer)
	source := buffers[address][:length]
	// The result is about seven times as long as the text.
	out := &encoder{bytes: make([]byte, 0, 8*int(length))}
	out.raw(`{"diagnostics":[`)
	if problem := guard.Check(source, guard.Limits{Depth: int(maxDepth), Pieces: maxPieces}); problem != nil {
		out.diagnostic(problem.Diagnostic, problem.Code)
		out.raw("]}")
		return reply(out.bytes)
	}
	file, diagnostics := hclsyntax.ParseConfig(source, "", hcl.InitialPos)
	out.diagnostics(diagnostics)
	lastID++
	out.raw(`],"tree":`).int(int(lastID)).raw(`,"body":`)
	out.body(file.Body.(*hclsyntax.Body))
	out.raw("}")
	trees[lastID] = out.expressions
	return reply(out.bytes)
}

//go:wasmexport makeScope
func makeScope(address, length uint32) uint32 {
	var wire struct {
		Variables map[string]any
		// Opaque maps placeholders to their names.
		Opaque opaque.Texts
		// Time is the result of timestamp().
		Time string
	}
	if err := json.Unmarshal(buffers[address][:length], &wire); err != nil {
		return 0
	}
	if callable == nil || callableTime != wire.Time {
		callable, callableTime = &hcl.EvalContext{Functions: functions.Table(wire.Time)}, wire.Time
	}
	context := callable.NewChild()
	context.Variables = decodeVariables(wire.Variables)
	lastID++
	scopes[lastID] = &scope{context: context, opaque: wire.Opaque}
	return lastID
}

//go:wasmexport evaluate
func evaluate(tree, expression, scope uint32) (answer uint64) {
	defer answerPanic(&answer)
	environment := scopes[scope]
	target := trees[tree][expression]
	opaque.Current = environment.opaque
	if len(environment.opaque) > 0 {
		protect(tree, expression)
	}
	value, diagnostics := target.Value(environment.context)
	encodedValue := &encoder{limit: maxValue}
	// A value is unknown only because of a fault that the parser has already reported.
	if !diagnostics.HasErrors() && value.IsWhollyKnown() {
		encodedValue.raw(`,"value":`).value(value)
	}
	if len(encodedValue.bytes) > maxValue {
		subject := target.Range()
		detail := fmt.Sprintf("Written out, the value is longer than %d MiB.", maxValue>>20)
		diagnostics = hcl.Diagnostics{{Severity: hcl.DiagError, Summary: "Value too large", Detail: detail, Subject: &subject}}
		encodedValue.bytes = nil
	}
	out := &encoder{}
	out.raw(`{"diagnostics":[`)
	out.diagnostics(diagnostics)
	out.raw("]").raw(string(encodedValue.bytes)).raw("}")
	return reply(out.bytes)
}

func protect(tree, expression uint32) {
	if _, done := protected[tree][expression]; done {
		return
	}
	if protected[tree] == nil {
		protected[tree] = map[uint32]struct{}{}
	}
	protected[tree][expression] = struct{}{}
	opaque.Protect(trees[tree][expression])
}

// maxValue is the maximum length of an encoded value in bytes: four times the longest text of a pipeline.
const maxValue = 1 << 20

// functionNames returns the names of all functions as a JSON list.
//
//go:wasmexport functionNames
func functionNames() (answer uint64) {
	defer answerPanic(&answer)
	out := &encoder{}
	out.raw("[")
	for i, name := range slices.Sorted(maps.Keys(functions.Table(""))) {
		out.comma(i == 0)
		out.text(name)
	}
	out.raw("]")
	return reply(out.bytes)
}

// collect runs the garbage collector, which has no thread of its own here and falls behind otherwise.
//
//go:wasmexport collect
func collect() {
	runtime.GC()
}

//go:wasmexport format
func format(address, length uint32) (answer uint64) {
	defer answerPanic(&answer)
	return reply(hclwrite.Format(buffers[address][:length]))
}

func keep(buffer []byte) uint32 {
	address := uint32(uintptr(unsafe.Pointer(unsafe.SliceData(buffer))))
	buffers[address] = buffer
	return address
}

func reply(bytes []byte) uint64 {
	bytes = append(bytes, 0)
	return uint64(keep(bytes))<<32 | uint64(len(bytes)-1)
}

// answerPanic turns a panic of the library into a result: one bad input must not end the engine.
func answerPanic(answer *uint64) {
	if fault := recover(); fault != nil {
		out := &encoder{}
		out.raw(`{"diagnostics":[],"fault":`).text(fmt.Sprint(fault)).raw("}")
		*answer = reply(out.bytes)
	}
}
