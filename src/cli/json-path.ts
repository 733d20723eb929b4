import { CommandError } from './terminal.ts';

/** A part of a template: text, the values at a path, or a body that repeats for each value at a path. */
type Part =
  | { kind: 'text'; text: string }
  | { kind: 'path'; path: string }
  | { kind: 'range'; path: string; body: Part[] };

/** Steps such as `.name`, `..name`, `.*`, `[*]`, `[0]`, `[-1]`, `[1:3]` or `['name']`. */
const PATH = /^(?:\.{1,2}[\w-]+|\.\*|\[(?:\*|-?\d+|-?\d*:-?\d*|'[^']*'|"[^"]*")\])*$/;
const HELP = "write it like jsonpath='{.items[*].name}'";

/** Throws if the template is not valid, so that no command runs before. */
export function checkTemplate(template: string): void {
  if (template.trim() === '') throw new CommandError(`the jsonpath is empty: ${HELP}`);
  parseTemplate(template);
}

/** A list is an object with `items`, as for kubectl. Several values of a path are separated by spaces. */
export async function fillJsonPath(template: string, data: unknown): Promise<string> {
  const { JSONPath } = await import('jsonpath-plus');
  const valuesAt = (path: string, json: unknown): unknown[] =>
    // Without `eval`, no part of a path can be a program.
    path === '' ? [json] : JSONPath({ path: `$${path}`, json: Object(json), wrap: true, eval: false });
  const fillPart = (part: Part, json: unknown): string => {
    if (part.kind === 'text') return part.text;
    const values = valuesAt(part.path, json);
    if (part.kind === 'path') return values.map(textOf).join(' ');
    return values.map((value) => fill(part.body, value)).join('');
  };
  const fill = (parts: readonly Part[], json: unknown): string =>
    parts.map((part) => fillPart(part, json)).join('');
  return fill(parseTemplate(template), Array.isArray(data) ? { items: data } : data);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const BRACES = /\{(?:[^{}"']|"[^"]*"|'[^']*')*\}/g;

/** Text outside of braces stays as it is. A template without braces is one path. */
function parseTemplate(template: string): Part[] {
  const whole = /[{}]/.test(template) ? template : `{${template}}`;
  const texts = whole.split(BRACES);
  if (texts.some((text) => /[{}]/.test(text)))
    throw new CommandError(`a brace of the jsonpath has no partner: ${HELP}`);
  const insides = (whole.match(BRACES) ?? []).map((braces) => braces.slice(1, -1).trim());
  const parts: Part[] = [];
  const open: { path: string; body: Part[] }[] = [{ path: '', body: parts }];
  for (const [at, text] of texts.entries()) {
    if (text !== '') open.at(-1)?.body.push({ kind: 'text', text });
    const inside = insides[at];
    if (inside !== undefined) take(inside, open);
  }
  if (open.length > 1) throw new CommandError('a range of the jsonpath does not end: add {end}');
  return parts;
}

/** Adds what a pair of braces contains. */
function take(inside: string, open: { path: string; body: Part[] }[]): void {
  const top = open.at(-1);
  if (inside === 'end') {
    const range = open.length > 1 ? open.pop() : undefined;
    if (range === undefined) throw new CommandError('{end} of the jsonpath ends no {range}: remove it');
    open.at(-1)?.body.push({ kind: 'range', ...range });
    return;
  }
  if (inside.startsWith('range ')) {
    open.push({ path: pathOf(inside.slice('range '.length).trim()), body: [] });
    return;
  }
  if (/^"[^"]*"$/.test(inside)) top?.body.push({ kind: 'text', text: quoted(inside) });
  else top?.body.push({ kind: 'path', path: pathOf(inside) });
}

function quoted(text: string): string {
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandError(`${text} in the jsonpath is not a text as in JSON: write "\\n" for a new line`);
  }
}

function pathOf(given: string): string {
  const path = given.replace(/^[$@]/, '');
  const dotted = path === '.' ? '' : path.replace(/^(?=\w)/, '.');
  if (!PATH.test(dotted))
    throw new CommandError(
      `the jsonpath has a part that this command does not know, ${JSON.stringify(given)}: ${HELP}. ` +
        'For filters, use --output json with jq',
    );
  // The library counts from the end only in slices.
  return dotted.replaceAll(/\[(-\d+)\]/g, (_step, index: string) =>
    index === '-1' ? '[-1:]' : `[${index}:${Number(index) + 1}]`,
  );
}
