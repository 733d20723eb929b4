import { parseSync } from '@swc/core';

type Node = Readonly<Record<string, unknown>>;

/** Values of a module's constants, by name. */
export type ConstantScope = ReadonlyMap<string, () => string | undefined>;

/** Returns the text of an imported module. Undefined if imports from it are not followed. */
type ReadImported = (specifier: string) => string | undefined;

/** Top-level constants of a module, and its imported constants. Re-exports are not followed. */
export function scopeOf(program: unknown, readImported: ReadImported): ConstantScope {
  const scope = new Map<string, () => string | undefined>();
  for (const item of listOf(program, 'body')) {
    const statement = item['type'] === 'ExportDeclaration' ? nodeOf(item['declaration']) : item;
    if (statement['type'] === 'VariableDeclaration')
      for (const declared of listOf(statement, 'declarations')) bindDeclaration(scope, declared);
    if (statement['type'] === 'ImportDeclaration') bindImports(scope, statement, readImported);
  }
  return scope;
}

function bindDeclaration(scope: Map<string, () => string | undefined>, { id, init }: Node): void {
  const target = nodeOf(id);
  if (target['type'] === 'Identifier') scope.set(String(target['value']), () => fold(init, scope));
  if (target['type'] !== 'ArrayPattern') return;
  const values = listOf(init, 'elements').map((element) => element['expression']);
  for (const [index, name] of listOf(target, 'elements').entries())
    scope.set(String(name['value']), () => fold(values[index], scope));
}

function bindImports(
  scope: Map<string, () => string | undefined>,
  statement: Node,
  readImported: ReadImported,
): void {
  const from = String(nodeOf(statement['source'])['value']);
  for (const { local } of listOf(statement, 'specifiers')) {
    const name = String(nodeOf(local)['value']);
    scope.set(name, () => {
      const text = readImported(from);
      if (text === undefined) return undefined;
      const program: unknown = parseSync(text, { syntax: 'typescript', target: 'es2024' });
      return scopeOf(program, () => undefined).get(name)?.();
    });
  }
}

/**
 * The text of a constant expression; for a regular expression its source. Undefined if this function cannot
 * find it out without running the code.
 */
export function fold(expression: unknown, scope: ConstantScope): string | undefined {
  const node = nodeOf(expression);
  switch (node['type']) {
    case 'StringLiteral':
      return String(node['value']);
    case 'Identifier':
      return scope.get(String(node['value']))?.();
    case 'TemplateLiteral':
      return foldTemplate(node, 'cooked', scope);
    case 'TaggedTemplateExpression':
      return foldTemplate(nodeOf(node['template']), 'raw', scope);
    case 'CallExpression':
      return foldJoin(node, scope);
    default:
      return foldRegex(node, scope);
  }
}

/** A regular expression, or its `source`. */
function foldRegex(node: Node, scope: ConstantScope): string | undefined {
  if (node['type'] === 'RegExpLiteral') return String(node['pattern']);
  if (node['type'] === 'MemberExpression') return fold(node['object'], scope);
  if (node['type'] !== 'NewExpression') return undefined;
  return fold(listOf(node, 'arguments')[0]?.['expression'], scope);
}

function foldTemplate(node: Node, field: 'cooked' | 'raw', scope: ConstantScope): string | undefined {
  const values = listOf(node, 'expressions').map((expression) => fold(expression, scope));
  if (values.includes(undefined)) return undefined;
  return listOf(node, 'quasis')
    .map((quasi, index) => `${String(quasi[field])}${values[index] ?? ''}`)
    .join('');
}

/** `[…].join('…')`. */
function foldJoin(node: Node, scope: ConstantScope): string | undefined {
  const list = nodeOf(nodeOf(node['callee'])['object']);
  const parts = listOf(list, 'elements').map((element) => fold(element['expression'], scope));
  const separator = fold(listOf(node, 'arguments')[0]?.['expression'], scope);
  return list['type'] !== 'ArrayExpression' || parts.includes(undefined) ? undefined : parts.join(separator);
}

function nodeOf(value: unknown): Node {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

function listOf(value: unknown, key: string): Node[] {
  const list = nodeOf(value)[key];
  return Array.isArray(list) ? list.map(nodeOf) : [];
}
