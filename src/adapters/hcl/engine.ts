import type { Body, Convert, Evaluate, HclProblem, Scope } from '#domain/language/syntax.ts';
import { encodeScope } from './encode-scope.ts';
import { completeImports, EngineExit, systemCalls } from './wasi.ts';
import {
  decodeBody,
  decodeProblem,
  decodeValue,
  encodeValue,
  type EvaluateAnswer,
  type ParseAnswer,
} from './wire.ts';

export interface HclDocument {
  body?: Body;
  problems: HclProblem[];
  /**
   * Evaluates expressions of this document only. Throws `EngineExit` if the engine breaks. Do not use the
   * engine after that.
   */
  evaluate: Evaluate;
  /** Converts values with type expressions of this document only. Throws like `evaluate`. */
  convert: Convert;
  /** Frees the engine's memory for the scopes of this document. */
  releaseScopes(): void;
  /** Frees the engine's memory for this document. */
  release(): void;
}

export interface HclEngine {
  /**
   * `maxDepth`: limit for nested blocks, brackets, templates and operators. `time`: result of timestamp() in
   * RFC 3339; if absent, a call of timestamp() is an error.
   */
  parse(source: string | Uint8Array, maxDepth: number, time?: string): HclDocument;
  /** Formats a text as HCL's own formatter does, even an invalid text. */
  format(source: string | Uint8Array): string;
  /** Returns the names of the functions that expressions can call. */
  functionNames(): string[];
  /**
   * Runs the engine's garbage collector, because the engine itself runs it too rarely. Takes some
   * milliseconds.
   */
  collect(): void;
  /** Size of the engine's memory in bytes. It never shrinks. */
  memorySize(): number;
}

interface EngineExports {
  memory: WebAssembly.Memory;
  _initialize(): void;
  allocate(size: number): number;
  free(address: number): void;
  parse(address: number, length: number, maxDepth: number): bigint;
  makeScope(address: number, length: number): number;
  evaluate(tree: number, expression: number, scope: number): bigint;
  convertTo(tree: number, expression: number, address: number, length: number): bigint;
  format(address: number, length: number): bigint;
  functionNames(): bigint;
  releaseTree(tree: number): void;
  releaseScope(scope: number): void;
  collect(): void;
}

const encoder = new TextEncoder();
/** Keeps a byte order mark, which belongs to a formatted text. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Starts an engine from a compiled module, which takes about 20 ms. Calls of the engine are synchronous. */
export function startEngine(module: WebAssembly.Module): HclEngine {
  const { calls, stderr } = systemCalls(() => exports.memory);
  const exports = readExports(new WebAssembly.Instance(module, completeImports(module, calls)).exports);
  exports['_initialize']();

  /**
   * Runs a function of the engine. If the function traps, the engine is unusable: throws `EngineExit` with
   * the first line that the engine's runtime wrote to stderr.
   */
  const explainTrap = <Result>(run: () => Result): Result => {
    try {
      return run();
    } catch (error) {
      const [line = ''] = stderr().trim().split('\n');
      throw new EngineExit(line === '' ? String(error) : line, { cause: error });
    }
  };
  const send = <Result>(
    text: string | Uint8Array,
    call: (address: number, length: number) => Result,
  ): Result => {
    const bytes = typeof text === 'string' ? encoder.encode(text) : text;
    const address = exports.allocate(bytes.length);
    new Uint8Array(exports.memory.buffer, address, bytes.length).set(bytes);
    const result = explainTrap(() => call(address, bytes.length));
    exports.free(address);
    return result;
  };
  /**
   * Reads a text from the engine's memory and frees it. The high 32 bits of `answer` are its address, the low
   * 32 bits its length in bytes.
   */
  const receive = (answer: bigint): string => {
    const address = Number((answer >> 32n) & 0xffffffffn);
    const length = Number(answer & 0xffffffffn);
    const text = decoder.decode(new Uint8Array(exports.memory.buffer, address, length));
    exports.free(address);
    return text;
  };

  const makeScope = (wire: string): number =>
    send(wire, (address, length) => exports.makeScope(address, length));
  return {
    parse(source, maxDepth, time = '') {
      const answer: ParseAnswer = JSON.parse(
        receive(send(source, (address, length) => exports.parse(address, length, maxDepth))),
      );
      if (answer.fault !== undefined) throw new EngineExit(answer.fault);
      return openDocument(exports, answer, { makeScope, receive, explainTrap, send, time });
    },
    format: (source) => receive(send(source, (address, length) => exports.format(address, length))),
    functionNames: () => JSON.parse(receive(explainTrap(() => exports.functionNames()))),
    collect: () => explainTrap(() => exports.collect()),
    memorySize: () => exports.memory.buffer.byteLength,
  };
}

interface Channel {
  send: (text: string, call: (address: number, length: number) => bigint) => bigint;
  makeScope: (wire: string) => number;
  receive: (answer: bigint) => string;
  explainTrap: (run: () => bigint) => bigint;
  time: string;
}

function openDocument(
  exports: EngineExports,
  answer: ParseAnswer,
  { makeScope, receive, explainTrap, send, time }: Channel,
): HclDocument {
  const tree = answer.tree ?? 0;
  const scopes = new Map<Scope, number>();
  const scopeId = (scope: Scope): number => {
    const knownId = scopes.get(scope);
    if (knownId !== undefined) return knownId;
    const id = makeScope(encodeScope(scope, time));
    scopes.set(scope, id);
    return id;
  };
  const releaseScopes = (): void => {
    for (const id of scopes.values()) exports.releaseScope(id);
    scopes.clear();
  };
  return {
    ...(answer.body && { body: decodeBody(answer.body) }),
    problems: answer.diagnostics.map(decodeProblem),
    evaluate(expression, scope) {
      if (expression.value) return { value: expression.value, problems: [] };
      return readEvaluation(
        receive(explainTrap(() => exports.evaluate(tree, expression.id, scopeId(scope)))),
      );
    },
    convert(type, value) {
      const text = value === undefined ? '' : JSON.stringify(encodeValue(value));
      return readEvaluation(
        receive(send(text, (address, length) => exports.convertTo(tree, type.id, address, length))),
      );
    },
    releaseScopes,
    release() {
      exports.releaseTree(tree);
      releaseScopes();
    },
  };
}

function readEvaluation(text: string): ReturnType<Evaluate> {
  const wire: EvaluateAnswer = JSON.parse(text);
  if (wire.fault !== undefined) throw new EngineExit(wire.fault);
  const problems = wire.diagnostics.map(decodeProblem);
  return wire.value === undefined ? { problems } : { value: decodeValue(wire.value), problems };
}

function isEngine(exports: WebAssembly.Exports): exports is WebAssembly.Exports & EngineExports {
  return exports['memory'] instanceof WebAssembly.Memory && typeof exports['parse'] === 'function';
}

function readExports(exports: WebAssembly.Exports): EngineExports {
  if (!isEngine(exports)) throw new Error('hcl.wasm is not the HCL engine; build it again');
  return exports;
}
