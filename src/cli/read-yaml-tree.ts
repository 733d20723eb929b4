import {
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  parseAllDocuments,
  type Alias,
  type Node,
  type Pair,
  type Scalar,
} from 'yaml';
import type { YamlEntry, YamlSpan, YamlTree } from '#domain/convert/yaml-tree.ts';
import { resolvePlain } from './resolve-plain.ts';

/** Counted with aliases resolved, because a small text can have aliases of aliases. */
const MAX_NODES = 100_000;
const MAX_DEPTH = 100;

interface YamlFault {
  message: string;
  help: string;
  span: YamlSpan;
}

const NOWHERE: YamlSpan = { start: 0, end: 0 };

const TOO_DEEP: YamlFault = {
  message: 'the YAML is nested too deeply',
  help: 'Nest it less deeply.',
  span: NOWHERE,
};

export interface ReadYaml {
  /** Absent if there are faults. */
  tree?: YamlTree;
  faults: YamlFault[];
  lines: LineCounter;
}

/** Reads one document, with its aliases and merge keys resolved. */
export function readYamlTree(source: string): ReadYaml {
  const lines = new LineCounter();
  try {
    const documents = parseAllDocuments(source, {
      lineCounter: lines,
      prettyErrors: false,
      // Every scalar is a text; `resolvePlain` decides what it means.
      schema: 'failsafe',
    });
    const [document, second] = [...documents];
    const faults = [...documents].flatMap(({ errors }) => errors.map(syntaxFault));
    if (second) {
      const [start, end] = second.range;
      faults.push({
        message: 'there are several YAML documents',
        help: 'Convert one pipeline at a time.',
        span: { start, end },
      });
    }
    // The parser reports an overflow of the stack as a syntax error.
    if (faults.some(({ message }) => message.includes('call stack'))) return { faults: [TOO_DEEP], lines };
    if (faults.length > 0) return { faults, lines };
    if (!document) return { tree: { kind: 'scalar', span: NOWHERE, value: null }, faults, lines };
    const reader = new TreeReader();
    const tree = reader.read(document.contents, 0);
    return reader.faults.length > 0 ? { faults: reader.faults, lines } : { tree, faults: [], lines };
  } catch (thrown) {
    // The calls of the parser nest as deeply as the text, so a deep text overflows the stack.
    if (!(thrown instanceof RangeError)) throw thrown;
    return { faults: [TOO_DEEP], lines };
  }
}

const syntaxFault = ({ message, pos }: { message: string; pos: [number, number] }): YamlFault => ({
  message: `this is not YAML: ${message.split('\n')[0] ?? ''}`,
  help: 'Correct the text at this place.',
  span: { start: pos[0], end: pos[1] },
});

class TreeReader {
  readonly faults: YamlFault[] = [];
  /** The anchors that were read so far, by name. A later anchor may have the same name. */
  readonly #anchors = new Map<string, Node>();
  /** The node of each alias. When an alias is read again, its name may belong to a later anchor. */
  readonly #targets = new Map<Node, Node | undefined>();
  #nodes = 0;
  #isTooLarge = false;
  #aliasDepth = 0;

  read(node: unknown, depth: number, parentSpan: YamlSpan = NOWHERE): YamlTree {
    const span = spanOf(node) ?? parentSpan;
    this.#nodes++;
    if (this.#nodes > MAX_NODES || depth > MAX_DEPTH) {
      this.#refuseSize(depth, span);
      return { kind: 'scalar', span, value: null };
    }
    if (isAlias(node)) return this.#readAlias(node, depth, span);
    if (isNode(node)) this.#rememberAnchor(node);
    return this.#readValue(node, depth, span);
  }

  #readValue(node: unknown, depth: number, span: YamlSpan): YamlTree {
    if (isSeq(node))
      return { kind: 'list', span, items: node.items.map((item) => this.read(item, depth + 1, span)) };
    if (isMap(node)) return { kind: 'map', span, entries: this.#readEntries(node.items, depth, span) };
    return {
      kind: 'scalar',
      span,
      value: isScalar(node) ? this.#checkValue(resolveScalar(node), span) : null,
    };
  }

  /** Ignores anchors inside an alias: they were read before. */
  #rememberAnchor(node: Node): void {
    const { anchor } = node;
    if (this.#aliasDepth === 0 && anchor !== undefined) this.#anchors.set(anchor, node);
  }

  /** Reports only the first value that exceeds a limit, because many after it may exceed it too. */
  #refuseSize(depth: number, span: YamlSpan): void {
    if (this.#isTooLarge) return;
    this.#isTooLarge = true;
    const message =
      depth > MAX_DEPTH
        ? 'the YAML is nested too deeply'
        : `the YAML has too many values: at most ${MAX_NODES}, with aliases resolved`;
    this.faults.push({ message, help: 'Split the pipeline.', span });
  }

  #readAlias(alias: Alias, depth: number, span: YamlSpan): YamlTree {
    if (!this.#targets.has(alias)) this.#targets.set(alias, this.#anchors.get(alias.source));
    const target = this.#targets.get(alias);
    if (target) {
      this.#aliasDepth++;
      const tree = { ...this.read(target, depth + 1, span), span };
      this.#aliasDepth--;
      return tree;
    }
    this.faults.push({
      message: `there is no anchor "${alias.source}" before this alias`,
      help: 'Correct the name.',
      span,
    });
    return { kind: 'scalar', span, value: null };
  }

  /** Keys of the map itself override merged ones. */
  #readEntries(pairs: readonly unknown[], depth: number, span: YamlSpan): YamlEntry[] {
    const own: YamlEntry[] = [];
    const merged: YamlEntry[] = [];
    for (const pair of pairs.filter((item): item is Pair => isPair(item))) {
      const keySpan = spanOf(pair.key) ?? span;
      const value = this.read(pair.value, depth + 1, keySpan);
      const key = isScalar(pair.key) ? String(resolveScalar(pair.key)) : undefined;
      if (key === undefined)
        this.faults.push({ message: 'a key must be a text', help: 'Write a name.', span: keySpan });
      else if (key === '<<' && isPlain(pair.key)) merged.push(...this.#mergedEntries(value));
      else own.push({ key, keySpan, value });
    }
    const usedKeys = new Set(own.map(({ key }) => key));
    const added: YamlEntry[] = [];
    for (const entry of merged) {
      if (!usedKeys.has(entry.key)) added.push(entry);
      usedKeys.add(entry.key);
    }
    return [...added, ...own];
  }

  /** The entries of the merged maps, in order: the caller takes the first entry of a key. */
  #mergedEntries(value: YamlTree): YamlEntry[] {
    const maps = value.kind === 'list' ? value.items : [value];
    return maps.flatMap((map) => {
      if (map.kind === 'map') return map.entries;
      this.faults.push({ message: '<< must merge a map', help: 'Name an anchor of a map.', span: map.span });
      return [];
    });
  }

  #checkValue(value: unknown, span: YamlSpan): string | number | boolean | null {
    if (value === null || value === undefined) return null;
    if (typeof value === 'string' || typeof value === 'boolean') return value;
    if (typeof value === 'number' && isExact(value)) return value;
    this.faults.push({
      message: 'this number cannot be stored exactly',
      help: 'Write it in quotes.',
      span,
    });
    return null;
  }
}

const isPlain = (node: unknown): boolean => isScalar(node) && node.type === 'PLAIN';

const resolveScalar = ({ value, type, tag }: Scalar): unknown =>
  typeof value === 'string' && type === 'PLAIN' && tag !== STRING_TAG ? resolvePlain(value) : value;

const STRING_TAG = 'tag:yaml.org,2002:str';

const isExact = (value: number): boolean =>
  Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));

function spanOf(node: unknown): YamlSpan | undefined {
  const range = isAlias(node) || isSeq(node) || isMap(node) || isScalar(node) ? node.range : undefined;
  return range ? { start: range[0], end: range[1] } : undefined;
}
