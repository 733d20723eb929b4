import { CommandError } from './terminal.ts';

/** A part of a template: text, the values at a path, or a body that repeats for each value at a path. */
type Part =
  | { kind: 'text'; text: string }
  | { kind: 'path'; path: readonly Step[] }
  | { kind: 'range'; path: readonly Step[]; body: Part[] };

/** A step of a path: leads from a value to the values in it. */
type Step = (value: unknown) => unknown[];

/** `..name`, `.name`, `.*` or `[*]`, `[0]` or `[-1]`, `[1:3]`, `['name']`. */
const STEP =
  /\.\.([\w-]+)|\.([\w-]+)|(\.\*|\[\*\])|\[(-?\d+)\]|\[(-?\d*):(-?\d*)\]|\[(?:'([^']*)'|"([^"]*)")\]/gy;
const HELP = "write it like jsonpath='{.items[*].name}'";

/** Throws if the template is not valid. Called before the command runs. */
export function checkTemplate(template: string): void {
  if (template.trim() === '') throw new CommandError(`the jsonpath is empty: ${HELP}`);
  parseTemplate(template);
}

/**
 * Fills a template. As in kubectl, a list is an object with `items`, and spaces separate the values of a
 * path.
 */
export function fillJsonPath(template: string, data: unknown): string {
  const fillPart = (part: Part, json: unknown): string => {
    if (part.kind === 'text') return part.text;
    const values = part.path.reduce<unknown[]>((found, step) => found.flatMap(step), [json]);
    if (part.kind === 'path') return values.map(textOf).join(' ');
    return values.map((value) => fill(part.body, value)).join('');
  };
  const fill = (parts: readonly Part[], json: unknown): string =>
    parts.map((part) => fillPart(part, json)).join('');
  return fill(parseTemplate(template), Array.isArray(data) ? { items: data } : data);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const BRACES = /\{(?:[^{}"']|"[^"]*"|'[^']*')*\}/g;

/** Text outside of braces is copied. A template without braces is one path. */
function parseTemplate(template: string): Part[] {
  const whole = /[{}]/.test(template) ? template : `{${template}}`;
  const texts = whole.split(BRACES);
  if (texts.some((text) => /[{}]/.test(text)))
    throw new CommandError(`a brace of the jsonpath has no partner: ${HELP}`);
  const insides = (whole.match(BRACES) ?? []).map((braces) => braces.slice(1, -1).trim());
  const parts: Part[] = [];
  const openRanges: OpenRange[] = [{ path: [], body: parts }];
  for (const [at, text] of texts.entries()) {
    if (text !== '') openRanges.at(-1)?.body.push({ kind: 'text', text });
    const inside = insides[at];
    if (inside !== undefined) addInside(inside, openRanges);
  }
  if (openRanges.length > 1) throw new CommandError('a range of the jsonpath does not end: add {end}');
  return parts;
}

interface OpenRange {
  path: readonly Step[];
  body: Part[];
}

/** Adds the inside of a pair of braces to the innermost open range. */
function addInside(inside: string, openRanges: OpenRange[]): void {
  const top = openRanges.at(-1);
  if (inside === 'end') {
    const range = openRanges.length > 1 ? openRanges.pop() : undefined;
    if (range === undefined) throw new CommandError('{end} of the jsonpath ends no {range}: remove it');
    openRanges.at(-1)?.body.push({ kind: 'range', ...range });
    return;
  }
  if (inside === 'range') throw new CommandError('{range} of the jsonpath needs a path: {range .items[*]}');
  if (inside.startsWith('range ')) {
    openRanges.push({ path: pathOf(inside.slice('range '.length).trim()), body: [] });
    return;
  }
  if (/^"[^"]*"$/.test(inside)) top?.body.push({ kind: 'text', text: parseQuoted(inside) });
  else top?.body.push({ kind: 'path', path: pathOf(inside) });
}

function parseQuoted(text: string): string {
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandError(`${text} in the jsonpath is not a JSON string: write "\\n" for a new line`);
  }
}

function pathOf(text: string): Step[] {
  const path = text.replace(/^[$@]/, '');
  const dotted = path === '.' ? '' : path.replace(/^(?=\w)/, '.');
  const steps: Step[] = [];
  let end = 0;
  for (const match of dotted.matchAll(STEP)) {
    steps.push(stepOf(match));
    end = match.index + match[0].length;
  }
  if (end < dotted.length)
    throw new CommandError(
      `the jsonpath has a part that this command does not know, ${JSON.stringify(text)}: ${HELP}. ` +
        'For filters, use --output json with jq',
    );
  return steps;
}

function stepOf([, descendant, dotted, wildcard, index, from, to, single, double]: RegExpMatchArray): Step {
  const name = dotted ?? single ?? double;
  if (descendant !== undefined)
    return (value) => selfAndDescendants(value).flatMap((inner) => member(inner, descendant));
  if (name !== undefined) return (value) => member(value, name);
  if (wildcard !== undefined) return childrenOf;
  if (index !== undefined) return (value) => elementOf(listOf(value), Number(index));
  const end = to === undefined || to === '' ? undefined : Number(to);
  return (value) => listOf(value).slice(Number(from), end);
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** A negative index counts from the end. */
const elementOf = (list: readonly unknown[], index: number): unknown[] =>
  index < list.length && -index <= list.length ? [list.at(index)] : [];

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const childrenOf = (value: unknown): unknown[] => (isObject(value) ? Object.values(value) : []);

const member = (value: unknown, name: string): unknown[] =>
  isObject(value) && !Array.isArray(value) && Object.hasOwn(value, name) ? [Reflect.get(value, name)] : [];

/** The value, and everything in it. */
const selfAndDescendants = (value: unknown): unknown[] => [
  value,
  ...childrenOf(value).flatMap(selfAndDescendants),
];
