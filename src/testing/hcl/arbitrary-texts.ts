import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  array,
  constantFrom,
  integer,
  letrec,
  oneof,
  record,
  string,
  tuple,
  type Arbitrary,
} from 'fast-check';

/*
 * Generators of texts for property tests.
 */

const folder = fileURLToPath(new URL('../../domain/language/testdata', import.meta.url));

/** The texts of the suite except the long ones. */
export const suiteTexts: readonly string[] = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.hcl'))
  .toSorted()
  .map((file) => readFileSync(join(folder, file), 'utf8'))
  .filter((text) => text.length < 5000);

const quote = (value: string): string =>
  `"${value
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('\n', '\\n')
    .replaceAll('\t', '\\t')
    .replaceAll(/[$%](?=\{)/g, '$& ')}"`;

const name = constantFrom('a', 'b', 'job', 'get', 'trigger', 'x_1', 'long-name', 'ü');
const text = string({
  unit: constantFrom('a', 'Z', ' ', '$', '%', '\\', '"', '\n', '\t', 'é', '👍', '#', '{', '}', 'e\u0301'),
});
const heredocs = constantFrom(
  '<<EOT\nx\n  y\nEOT\n',
  '<<-E\n    x\n      y\n    E\n',
  '<<-E\n\tx ${var.text}\n\n\t\t$${y} %%{z}\n\tE\n',
  '<<E\n%{ for x in var.list ~}\n  ${x}\n%{ endfor ~}\nE\n',
  '<<"E"\nx\nE\n',
  '<<E\r\nx\r\nE\r\n',
);

const lists = (items: string[]): string => `[${items.join(', ')}]`;

function literalsOf(self: () => Arbitrary<string>): Arbitrary<string> {
  const inner = self().filter((value) => !value.includes('<<'));
  return oneof(
    { maxDepth: 3 },
    text.map(quote),
    integer().map(String),
    constantFrom('true', 'false', 'null', '1.5', '-0.25', '1e3', '0.1e-5', '18446744073709551616'),
    heredocs,
    array(inner, { maxLength: 3 }).map(lists),
  );
}

const operators = constantFrom(...'+ - * / % == != < <= > >= && ||'.split(' '));
const functions = constantFrom(
  ...'upper length join concat merge format keys lookup tolist jsonencode substr setproduct nothing'.split(
    ' ',
  ),
);
const references = constantFrom(
  ...'var.text var.number var.flag var.nothing var.list var.map var.map.a var.list[0] var.missing each.key x'.split(
    ' ',
  ),
);
const keys = constantFrom('a', '"b c"', '(var.text)', 'var.text', '1');

/** Expressions from literals and from nested expressions `x`. */
function expressionsOf(literal: Arbitrary<string>, x: Arbitrary<string>): Arbitrary<string> {
  const entry = tuple(keys, constantFrom('=', ':'), x).map((parts) => parts.join(' '));
  return oneof(
    { maxDepth: 4 },
    literal,
    references,
    tuple(x, operators, x).map((parts) => parts.join(' ')),
    tuple(x, x, x).map(([condition, yes, no]) => `(${condition} ? ${yes} : ${no})`),
    tuple(constantFrom('!', '-', ''), x).map(([operator, inner]) => `${operator}(${inner})`),
    tuple(x, constantFrom('[0]', '.a', '[*]', '.*.a', '["b"]', '[var.number]')).map((parts) =>
      parts.join(''),
    ),
    array(x, { maxLength: 3 }).map(lists),
    array(entry, { maxLength: 3 }).map((entries) => `{ ${entries.join(', ')} }`),
    tuple(constantFrom('x', 'k, x'), x, x).map(
      ([names, list, value]) => `[for ${names} in ${list} : ${value}]`,
    ),
    tuple(x, x, constantFrom('', '...')).map(
      ([list, value, group]) => `{ for k, x in ${list} : k => ${value}${group} if x != null }`,
    ),
    tuple(x, x).map(([first, second]) => `"<\${${first}}-\${~ ${second} ~} >"`),
    x.map((condition) => `"%{ if ${condition} }yes%{ else }no%{ endif }"`),
    tuple(functions, array(x, { maxLength: 3 })).map(([call, args]) => `${call}(${args.join(', ')})`),
  );
}

const shapes = letrec<Record<'literal' | 'expression' | 'literals' | 'expressions', string>>((tie) => ({
  literal: literalsOf(() => tie('literal')),
  expression: expressionsOf(
    tie('literal').filter((value) => !value.includes('<<')),
    tie('expression'),
  ),
  literals: bodyOf(tie('literal'), () => tie('literals')),
  expressions: bodyOf(oneof(tie('expression'), heredocs), () => tie('expressions')),
}));

function bodyOf(value: Arbitrary<string>, inner: () => Arbitrary<string>): Arbitrary<string> {
  const item = oneof(
    { maxDepth: 3 },
    tuple(name, value).map(([key, written]) => `${key}_a = ${written}\n`),
    record({ type: name, labels: array(name, { maxLength: 2 }), body: inner() }).map(
      ({ type, labels, body }) =>
        `${type}${labels.length}${labels.map((label) => ` "${label}"`).join('')} {\n${body}}\n`,
    ),
    constantFrom(
      '# a comment\n',
      '// another\n',
      '/* one\n   more */\n',
      '\n\n',
      '\tindented = 1 # behind\n',
    ),
  );
  return array(item, { maxLength: 5 }).map((items) => items.join(''));
}

/** Texts of literals. Only heredocs contain references. Valid, or with an attribute set twice. */
export const literalTexts: Arbitrary<string> = shapes.literals;

/** Texts with literals, operators, templates, calls and `for` expressions. Most have no value. */
export const expressionTexts: Arbitrary<string> = shapes.expressions;

const pieces = constantFrom(
  ...`{ } " \${ %{ ~} = [ ] ( ) . , : :: ... \\ null // # /* */ => ? ! $ $$ %%{ 1e9999 ' <<E <<-E E \u0301 \ufeff`.split(
    ' ',
  ),
  ...'|%{ if x }|<<E\n|<<-E\n|\0|\ud800|\n|\r\n|\r|`|\t'.split('|'),
);

const edits = array(
  tuple(
    integer({ min: 0, max: 5000 }),
    integer({ min: 0, max: 30 }),
    oneof(pieces, string({ maxLength: 5 })),
  ),
  { minLength: 1, maxLength: 4 },
);

/** A text of the suite or a generated one, with one to four pieces replaced or inserted. */
export const mutatedTexts: Arbitrary<string> = tuple(
  oneof(constantFrom(...suiteTexts), expressionTexts),
  edits,
).map(([original, changes]) => {
  let edited = original;
  for (const [at, length, piece] of changes) {
    const from = at % (edited.length + 1);
    edited = edited.slice(0, from) + piece + edited.slice(from + length);
  }
  return edited;
});

/** The bytes of a mutated text, up to two of them replaced by any byte, so it may be invalid UTF-8. */
export const mutatedBytes: Arbitrary<Uint8Array> = tuple(
  mutatedTexts,
  array(tuple(integer({ min: 0, max: 5000 }), integer({ min: 0, max: 255 })), { maxLength: 2 }),
).map(([original, changes]) => {
  const bytes = Buffer.from(original);
  for (const [at, byte] of changes) if (bytes.length > 0) bytes[at % bytes.length] = byte;
  return bytes;
});
