/** A comment, attribute or block of the HCL text. `expression`: the value as HCL text. */
export type HclNode =
  | { kind: 'comment'; text: string }
  | { kind: 'attribute'; name: string; expression: string }
  | HclBlock;

export interface HclBlock {
  kind: 'block';
  type: string;
  labels: string[];
  body: HclNode[];
}

/** A part of a string: plain text, or a pipeline variable. */
export type TemplatePart = string | { variable: string };

export const hclAttribute = (name: string, expression: string): HclNode => ({
  kind: 'attribute',
  name,
  expression,
});

export const hclBlock = (type: string, labels: string[], body: HclNode[]): HclBlock => ({
  kind: 'block',
  type,
  labels,
  body,
});

/**
 * Writes each node on lines of its own, with an empty line around each block. The HCL formatter aligns the
 * text later.
 */
export function writeHcl(nodes: readonly HclNode[], depth = 0): string {
  return nodes
    .map((node, at) => `${isApart(nodes, at) ? '\n' : ''}${writeNode(node, '  '.repeat(depth), depth)}`)
    .join('');
}

/**
 * Whether an empty line is written before the node. Comments belong to the node after them, so no empty line
 * separates them from it.
 */
function isApart(nodes: readonly HclNode[], at: number): boolean {
  const before = nodes[at - 1];
  if (before === undefined || before.kind === 'comment') return false;
  return before.kind === 'block' || nextNodeAfterComments(nodes, at)?.kind === 'block';
}

function writeNode(node: HclNode, indent: string, depth: number): string {
  if (node.kind === 'comment') return `${indent}# ${visibleText(node.text)}\n`;
  if (node.kind === 'attribute') return `${indent}${node.name} = ${indented(node.expression, indent)}\n`;
  const labels = node.labels.map((label) => ` ${quoteText([label])}`).join('');
  const body = node.body.length === 0 ? '' : `\n${writeHcl(node.body, depth + 1)}${indent}`;
  return `${indent}${node.type}${labels} {${body}}\n`;
}

const nextNodeAfterComments = (nodes: readonly HclNode[], at: number): HclNode | undefined =>
  nodes.slice(at).find(({ kind }) => kind !== 'comment');

/** Indents all lines of an expression but the first like the attribute. Empty lines stay empty. */
const indented = (expression: string, indent: string): string =>
  expression
    .split('\n')
    .map((line, at) => (at === 0 || line === '' ? line : `${indent}${line}`))
    .join('\n');

const ESCAPES: Record<string, string> = { '\\': '\\\\', '"': '\\"', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Escapes `${` and `%{`, which begin templates. */
const escapeTemplate = (text: string): string => text.replaceAll('${', () => '$${').replaceAll('%{', '%%{');

/** Characters that control a terminal, or that change how other characters are shown. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** The text for a place where HCL has no escapes, such as a comment: invisible characters become spaces. */
export const visibleText = (text: string): string => text.replaceAll(INVISIBLE, ' ');

/**
 * The text with the escapes of a quoted string. Invisible characters without an escape of their own are
 * written as `\u` or `\U` and their code point.
 */
const escapeText = (text: string): string =>
  Array.from(escapeTemplate(text), (letter) => ESCAPES[letter] ?? letter)
    .join('')
    .replaceAll(INVISIBLE, (letter) => {
      const code = (letter.codePointAt(0) ?? 0).toString(16);
      return code.length <= 4 ? `\\u${code.padStart(4, '0')}` : `\\U${code.padStart(8, '0')}`;
    });

/**
 * Writes the parts as a string in quotes. A single variable without text is written as a reference instead.
 */
export function quoteText(parts: readonly TemplatePart[]): string {
  const [only] = parts;
  if (parts.length === 1 && typeof only === 'object') return `var.${only.variable}`;
  return `"${writeParts(parts, escapeText)}"`;
}

function writeParts(parts: readonly TemplatePart[], escape: (text: string) => string): string {
  return parts
    .map((part, at) => {
      if (typeof part === 'object') return `\${var.${part.variable}}`;
      return typeof parts[at + 1] === 'object' ? writeBeforeVariable(part, escape) : escape(part);
    })
    .join('');
}

/**
 * Writes the text before a variable. Signs `$` directly before the variable become a template, such as
 * `${"$"}`, because `$${` would escape the variable.
 */
function writeBeforeVariable(text: string, escape: (text: string) => string): string {
  let end = text.length;
  while (text[end - 1] === '$') end--;
  const signs = text.slice(end);
  return `${escape(text.slice(0, end))}${signs === '' ? '' : `\${"${signs}"}`}`;
}

/**
 * Writes a script. A script of several lines becomes a heredoc, unless a heredoc would change more of the
 * text than the line end at its end. Any other script becomes a string.
 */
export function writeScript(parts: readonly TemplatePart[]): string {
  const plain = parts.map((part) => (typeof part === 'string' ? part : 'x')).join('');
  const lines = plain.replace(/\n$/, '').split('\n');
  if (lines.length === 1 && plain.endsWith('\n')) return quoteText(withoutLastLineEnd(parts));
  const hasLineWithoutIndentation = lines.some((line) => line !== '' && !line.startsWith(' '));
  if (lines.length === 1 || !hasLineWithoutIndentation || lines.some(isUnfitForHeredoc))
    return quoteText(parts);
  const marker = lines.some((line) => line.trim() === 'SH') ? 'END_OF_SCRIPT' : 'SH';
  const body = writeParts(parts, escapeTemplate)
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => (line === '' ? '' : `  ${line}`))
    .join('\n');
  return `<<-${marker}\n${body}\n${marker}`;
}

function withoutLastLineEnd(parts: readonly TemplatePart[]): TemplatePart[] {
  const last = parts.at(-1);
  return typeof last === 'string' ? [...parts.slice(0, -1), last.replace(/\n$/, '')] : [...parts];
}

/**
 * Whether the line cannot be part of a heredoc, because it would end the heredoc, change its indentation or
 * need an escape, which a heredoc does not have.
 */
const isUnfitForHeredoc = (line: string): boolean =>
  line.startsWith('\t') ||
  /^ +$/.test(line) ||
  line.replaceAll('\t', '').search(INVISIBLE) >= 0 ||
  line.trim() === 'END_OF_SCRIPT';

export const isIdentifier = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_-]*$/.test(name);

/** Writes a JSON value as an HCL expression. */
export function writeJson(value: unknown): string {
  if (typeof value === 'string') return quoteText([value]);
  if (Array.isArray(value)) return writeList(value.map(writeJson));
  if (typeof value !== 'object' || value === null) return String(value);
  return writeObject(Object.entries(value).map(([key, element]) => [key, writeJson(element)]));
}

/** Writes a list of expressions. A short list is on one line, otherwise each item begins a line. */
export const writeList = (items: readonly string[]): string => {
  const line = `[${items.join(', ')}]`;
  if (line.length <= 90 && !line.includes('\n')) return line;
  return `[\n${items.map((item) => `${indented(`  ${item}`, '  ')},\n`).join('')}]`;
};

/** Words that need quotes as keys of an object. */
const KEYWORDS: ReadonlySet<string> = new Set(['for', 'null', 'true', 'false']);

export const writeObject = (entries: readonly (readonly [key: string, expression: string])[]): string => {
  if (entries.length === 0) return '{}';
  const lines = entries.map(([key, expression]) => {
    const name = isIdentifier(key) && !KEYWORDS.has(key) ? key : quoteText([key]);
    return `  ${name} = ${indented(expression, '  ')}\n`;
  });
  return `{\n${lines.join('')}}`;
};
