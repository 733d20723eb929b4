import {
  isAlias,
  isCollection,
  isMap,
  isNode,
  isScalar,
  LineCounter,
  parseAllDocuments,
  type Document,
  type Node,
} from 'yaml';
import { defined } from '#defined';
import { explain } from './explain.ts';
import type { Finding, Place, Spot } from './finding.ts';

export type Fields = Readonly<Record<string, unknown>>;

type Path = readonly (string | number)[];

/** A Kubernetes object in a file of manifests. */
export interface Manifest {
  file: string;
  source: string;
  fields: Fields;
  document: Document.Parsed;
  lines: LineCounter;
  /** The path of the object in its document: below `items`, if the document is a List. */
  path: Path;
}

/** Reads the objects of a file, including the items of Lists. Adds a finding for each unreadable part. */
export function parseManifests(file: string, source: string, findings: Finding[]): Manifest[] {
  const lines = new LineCounter();
  return parseDocuments(file, source, { lines, findings }).flatMap((document) => {
    // The first error usually causes those after it.
    const [error] = document.errors;
    if (error) {
      const [text = ''] = error.message.split('\n');
      const place = placeOfRange({ source, lines }, error.pos);
      findings.push({
        ...manifestError(file, `this is not YAML: ${text}`, 'Correct the text at this place.', place),
      });
      return [];
    }
    try {
      const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
      return withItems({ file, source, document, lines, path: [], fields: fieldsOf(value) }, new Set());
    } catch (thrown) {
      // Aliases may expand without bound, or name no anchor.
      const message = `the aliases of the document cannot be resolved: ${explain(thrown)}`;
      const place = placeOfRange({ source, lines }, document.range);
      findings.push(manifestError(file, message, 'Replace each alias with its value.', place));
      return [];
    }
  });
}

const MAX_ALIASES = 1000;

function parseDocuments(
  file: string,
  source: string,
  { lines, findings }: { lines: LineCounter; findings: Finding[] },
): Document.Parsed[] {
  try {
    return [...parseAllDocuments(source, { lineCounter: lines, prettyErrors: false })];
  } catch (thrown) {
    findings.push(
      manifestError(file, `this cannot be read as YAML: ${explain(thrown)}`, 'Nest it less deeply.'),
    );
    return [];
  }
}

/**
 * The manifest, or its items if it is a List, as `kubectl apply` reads them. The items of a PipelineList need
 * no kind. `seen` ends the recursion, because aliases can make a List its own item.
 */
function withItems(manifest: Manifest, seen: Set<unknown>): Manifest[] {
  const { fields, path } = manifest;
  const { kind, apiVersion, items } = fields;
  if (typeof kind !== 'string' || !kind.endsWith('List') || !Array.isArray(items)) return [manifest];
  if (seen.has(items)) return [];
  seen.add(items);
  const implied = kind === 'List' ? {} : { kind: kind.slice(0, -'List'.length), apiVersion };
  return items.flatMap((item: unknown, index) => {
    const fieldsOfItem = { ...implied, ...fieldsOf(item) };
    return withItems({ ...manifest, path: [...path, 'items', index], fields: fieldsOfItem }, seen);
  });
}

/** The node at a path of a manifest, with aliases resolved. */
export function nodeAt({ document, path: base }: Manifest, path: Path): Node | undefined {
  const resolveAlias = (node: unknown): unknown => (isAlias(node) ? node.resolve(document) : node);
  let node: unknown = resolveAlias(document.contents);
  for (const step of [...base, ...path])
    node = isCollection(node) ? resolveAlias(node.get(step, true)) : undefined;
  return isNode(node) ? node : undefined;
}

/** Where the value at a path is, or the nearest key above it. */
export function placeAt(manifest: Manifest, path: Path): Place | undefined {
  const node = nodeAt(manifest, path);
  if (node) return placeOfRange(manifest, node.range);
  return path.length === 0 ? undefined : placeOfKey(manifest, path.slice(0, -1));
}

/** Where the last key of a path is, or the nearest key above it. */
export function placeOfKey(manifest: Manifest, path: Path): Place | undefined {
  if (path.length === 0) return placeOfRange(manifest, nodeAt(manifest, [])?.range);
  const map = nodeAt(manifest, path.slice(0, -1));
  const keys = isMap(map) ? map.items.map(({ key }) => key) : [];
  const key = keys.find((candidate) => isScalar(candidate) && candidate.value === path.at(-1));
  if (isNode(key)) return placeOfRange(manifest, key.range);
  return placeOfKey(manifest, path.slice(0, -1));
}

function placeOfRange(
  text: Pick<Manifest, 'source' | 'lines'>,
  range: readonly [start: number, end: number, ...rest: number[]] | null | undefined,
): Place | undefined {
  return range ? { start: spotAt(text, range[0]), end: spotAt(text, range[1]) } : undefined;
}

const segmenter = new Intl.Segmenter();

/** The position of an offset; columns count graphemes. */
export function spotAt({ source, lines }: Pick<Manifest, 'source' | 'lines'>, offset: number): Spot {
  const { line, col } = lines.linePos(offset);
  const before = source.slice(offset - col + 1, offset);
  return { line, column: 1 + Array.from(segmenter.segment(before)).length };
}

export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const manifestError = (file: string, message: string, help: string, place?: Place): Finding => ({
  severity: 'error',
  code: 'invalid-manifest',
  message,
  help,
  file,
  ...defined({ place }),
});
