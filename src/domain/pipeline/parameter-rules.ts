import { diagnose, type Report } from '#domain/language/diagnostic.ts';
import type { Parameter, ReadBlock } from '#domain/language/read-block.ts';
import { artifactRules } from './artifact-rules.ts';
import { builtInSource } from './built-in-source.ts';
import { gitRules } from './git-rules.ts';
import { notificationRules } from './notification-rules.ts';
import type { Origin } from './pipeline.ts';
import { registryRules } from './registry-rules.ts';
import { findSecretNames } from './secret-placeholder.ts';
import { explainBadPath } from './volume-paths.ts';

/** Rules of a built-in type for parameters, checked at compile time. */
export interface ParameterRules {
  required: readonly string[];
  /**
   * Parameters that cannot be secret, because the operator needs them to create the Pod, before secrets are
   * read.
   */
  neverSecret?: readonly string[];
  /** Reason why a value is invalid, by parameter. Not called for secret or empty values. */
  explainBad: Readonly<Record<string, (value: string) => string | undefined>>;
  /** Every reason why the parameters contradict each other, and the parameter to report. */
  explainTogether?: (values: ReadonlyMap<string, string>) => readonly Contradiction[];
}

export interface Contradiction {
  name: string;
  reason: string;
}

const rulesBySource: Readonly<Record<string, ParameterRules>> = {
  'svc://artifact': artifactRules,
  'svc://git': gitRules,
  'svc://registry-image': registryRules,
  'svc://fs': {
    required: ['path'],
    neverSecret: ['path'],
    explainBad: { path: explainBadPath },
  },
  'svc://http': {
    required: ['url'],
    explainBad: {
      url: explainBadUrl,
      json_path: (path) =>
        /^(?:\.[\w-]+|\[\d+\])+$/.test(path)
          ? undefined
          : `${JSON.stringify(path)} is not a path such as .tag_name or .releases[0].tag`,
      file: (file) =>
        ['', '.', '..'].some((part) => file.split('/').includes(part))
          ? `${JSON.stringify(file)} cannot be the name of a file in the working directory`
          : undefined,
    },
  },
  ...notificationRules,
  'svc://file': { required: [], explainBad: { format: explainBadFormat } },
  'svc://vault': {
    required: ['address'],
    explainBad: { address: explainBadUrl },
    explainTogether: explainBadLogin,
  },
};

function explainBadFormat(format: string): string | undefined {
  return ['json', 'yaml', 'env', 'raw'].includes(format)
    ? undefined
    : `${JSON.stringify(format)} is not a format: use json, yaml, env or raw`;
}

/**
 * What is wrong with the login to Vault. The parameters must give one way to log in, and give it completely.
 * Empty: nothing is wrong.
 */
function explainBadLogin(values: ReadonlyMap<string, string>): Contradiction[] {
  const ways = [['token'], ['role_id', 'secret_id'], ['role', 'jwt']];
  const chosen = ways.filter((names) => names.some((name) => (values.get(name) ?? '') !== ''));
  const [way] = chosen;
  const missing = way?.find((name) => (values.get(name) ?? '') === '');
  if (chosen.length === 1 && missing === undefined) return [];
  const name = way?.find((parameter) => values.has(parameter)) ?? 'address';
  if (chosen.length === 1) return [{ name, reason: `a login with ${name} needs ${missing} too` }];
  const reason = 'vault needs one way to log in: token, or role_id and secret_id, or role and jwt';
  return [{ name, reason }];
}

function explainBadUrl(url: string): string | undefined {
  return /^https?:\/\/[^\s/]+/.test(url) ? undefined : 'this must be an https:// or http:// URL';
}

/** Parameters of an instance, and the block that holds or should hold them. */
export interface GivenParameters {
  parameters: readonly Parameter[];
  owner: ReadBlock;
  /** The instance in a sentence: `a git resource`. */
  description: string;
  /** The enclosing block, where people also write parameters. */
  context?: ReadBlock;
}

/** Checks parameters by the rules of the built-in type. */
export function checkParameters(
  type: { builtIn: boolean; origin?: Origin },
  given: GivenParameters,
  report: Report,
): void {
  const rules = rulesBySource[builtInSource(type) ?? ''];
  if (!rules) return;
  for (const name of rules.required) requireParameter(name, given, report);
  for (const parameter of given.parameters) checkValue(parameter, rules, report);
  checkTogether(given, rules, report);
}

function checkTogether(
  { parameters, owner }: GivenParameters,
  { explainTogether }: ParameterRules,
  report: Report,
): void {
  if (owner.misread.size > 0) return;
  const values = new Map(parameters.map(({ name, text }) => [name, text]));
  for (const { name, reason } of explainTogether?.(values) ?? []) {
    const range = parameters.find((parameter) => parameter.name === name)?.nameRange ?? owner.range;
    report(diagnose('parameters-conflict', range, reason));
  }
}

function requireParameter(
  name: string,
  { parameters, owner, description, context }: GivenParameters,
  report: Report,
): void {
  const parameter = parameters.find((candidate) => candidate.name === name);
  const misread = [owner, context].some((block) => block?.misread.has(name)) || owner.misread.has('params');
  if (misread || (parameter && parameter.text !== '')) return;
  const message = `${description} needs the parameter ${name}`;
  report(diagnose('missing-parameter', parameter?.range ?? owner.range, message));
}

function checkValue(
  { name, text, range }: Parameter,
  { explainBad, neverSecret = [] }: ParameterRules,
  report: Report,
): void {
  if (neverSecret.includes(name) && findSecretNames(text).length > 0) {
    const message = `${name} cannot be secret: it decides which volume the Pod mounts`;
    report(diagnose('secret-misplaced', range, message));
  }
  const explain = Object.hasOwn(explainBad, name) ? explainBad[name] : undefined;
  if (!explain || text === '' || findSecretNames(text).length > 0) return;
  const reason = explain(text);
  if (reason !== undefined) report(diagnose('invalid-parameter', range, reason));
}
