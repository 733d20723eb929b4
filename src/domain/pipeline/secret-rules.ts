import { stringAt } from '#domain/language/block-values.ts';
import { diagnose, type Report } from '#domain/language/diagnostic.ts';
import type { Parameter, ReadBlock } from '#domain/language/read-block.ts';
import { withArticle } from '#domain/language/with-article.ts';
import { builtInSource } from './built-in-source.ts';
import { warnOfUnknown } from './parameter-names.ts';
import { checkParameters } from './parameter-rules.ts';
import { findSecretNames } from './secret-placeholder.ts';
import type { SecretDefinition } from './secret-types.ts';
import type { NamedType } from './type-kinds.ts';

/** What a built-in type requires of the `path` and `key` of a secret. */
interface LocationRules {
  /** Rules of the path. Absent: the type takes no path. */
  path?: TextRule & { required: boolean; help: string };
  key: TextRule;
}

interface TextRule {
  /** What the text must be, for messages. */
  noun: string;
  pattern: RegExp;
}

const KEY = /^(?!\.{1,2}$)[\w.-]{1,253}$/;
const TEAM_KEY = {
  noun: 'a key of the Secret that the Team names in secretRef',
  pattern: KEY,
  help: 'Write the key alone, without a folder.',
};

const rulesBySource: Readonly<Record<string, LocationRules>> = {
  'svc://kubernetes': {
    path: {
      noun: 'the name of a Secret',
      required: true,
      pattern: /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/,
      help: 'Write path = "<name of the Secret>".',
    },
    key: { noun: 'a key of a Secret', pattern: KEY },
  },
  'svc://env': {
    path: { ...TEAM_KEY, required: false },
    key: { noun: 'the name of a variable', pattern: KEY },
  },
  'svc://file': {
    path: { ...TEAM_KEY, required: true },
    key: { noun: 'a member of the file', pattern: /./ },
  },
  'svc://store': { key: { noun: 'the name of a stored secret', pattern: /^[A-Za-z_][\w-]{0,127}$/ } },
  'svc://vault': {
    path: {
      noun: 'the path of a secret in Vault',
      required: true,
      pattern: /^\/?[^/]+(?:\/[^/]+)+\/?$/,
      help: 'Write path = "<mount>/<path of the secret>", without the data/ of version 2.',
    },
    key: { noun: 'a key of a secret', pattern: /./ },
  },
};

/** Checks the configuration of a secret type whose source is built in. */
export function checkSecretType(type: SecretDefinition & NamedType, block: ReadBlock, report: Report): void {
  const rules = rulesBySource[builtInSource(type) ?? ''];
  if (!rules) return;
  const given = new Map(block.parameters.map((parameter) => [parameter.name, parameter]));
  const parameters = Object.entries(type.config).map(
    ([name, text]): Parameter =>
      given.get(name) ?? { name, text, nameRange: block.range, range: block.range },
  );
  warnOfUnknown(
    block.parameters.filter(({ name }) => name !== 'path'),
    type,
    report,
  );
  checkParameters(type, { parameters, owner: block, description: `the secret type ${type.name}` }, report);
  const path = parameters.find(({ name }) => name === 'path');
  if (path) checkPath(path, type, rules, report);
}

/** Checks the path and the key of a secret of a built-in type, as far as they are known at compile time. */
export function checkSecret(block: ReadBlock, type: SecretDefinition & NamedType, report: Report): void {
  const source = builtInSource(type) ?? '';
  const rules = rulesBySource[source];
  if (!rules) return;
  const path = stringAt(block, 'path');
  if (path) checkPath(path, type, rules, report);
  else if (rules.path?.required === true && (type.config['path'] ?? '') === '') {
    const message = `${withArticle(type.name)} secret needs a path: ${rules.path.noun}`;
    report(diagnose('missing-parameter', block.range, message, rules.path.help));
  }
  const key = stringAt(block, 'key');
  if (!key) return;
  checkText(key, rules.key, report);
  if (source === 'svc://file') checkFileKey(block, key, type, report);
}

function checkPath(path: Text, { name }: NamedType, { path: rule }: LocationRules, report: Report): void {
  if (path.text === '') return;
  if (rule) return checkText(path, rule, report);
  const message = `${withArticle(name)} secret has no path: its key names it`;
  return report(diagnose('invalid-parameter', path.range, message, 'Delete path.'));
}

interface Text {
  text: string;
  range: ReadBlock['range'];
}

/** Checks a text, unless it contains placeholders, whose values are known only at run time. */
function checkText({ text, range }: Text, { noun, pattern }: TextRule, report: Report): void {
  if (findSecretNames(text).length > 0 || pattern.test(text)) return;
  report(diagnose('invalid-parameter', range, `${JSON.stringify(text)} cannot be ${noun}`));
}

/** Checks the key of a secret in a file. A file that is one value has it under the key `content`. */
function checkFileKey(block: ReadBlock, key: Text, { config }: SecretDefinition, report: Report): void {
  const path = stringAt(block, 'path')?.text ?? config['path'] ?? '';
  const { format = /\.(?:json|env|ya?ml)$/.test(path) ? '' : 'raw' } = config;
  const isKnown = findSecretNames(`${path} ${key.text} ${format}`).length === 0;
  if (!isKnown || path === '' || format !== 'raw' || key.text === 'content') return;
  const message = `a file of the format raw is one value: its key is "content", not ${JSON.stringify(key.text)}`;
  const help = 'Write key = "content", or set format in a secret_type with source = "svc://file".';
  report(diagnose('invalid-parameter', key.range, message, help));
}
