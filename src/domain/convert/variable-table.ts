import { trimEnds } from './trim-ends.ts';
import { hclAttribute, hclBlock, isIdentifier, quoteText, writeJson, type HclNode } from './write-hcl.ts';
import type { YamlSpan } from './yaml-tree.ts';

/** The parts of a reference `((source:path.field))`. `fields` can be empty, or have several names. */
export interface VariableReference {
  source: string | undefined;
  path: string;
  fields: string[];
}

/** A variable of the Concourse pipeline that the Millrace pipeline needs. `name`: its name in Millrace. */
export interface UsedVariable extends VariableReference {
  name: string;
  span: YamlSpan;
  /** The variable is used in at least one place that cannot contain secrets. */
  isPlain: boolean;
}

/** An entry of `var_sources` after its conversion: either a secret type, or fixed values. */
export interface VariableSource {
  /** Label of the secret type that reads the secrets. */
  secretType?: string;
  /** Fixed values, by their path. */
  values?: ReadonlyMap<string, unknown>;
  /** For a secret type: the text before the path of each secret. */
  prefix?: string;
}

export interface VariableReport {
  /** Called for each variable that needs a value from a person, and has a placeholder until then. */
  needsValue: (variable: UsedVariable) => void;
  /**
   * Called for each variable whose Secret has another name than in Concourse. `secret`: the name of the
   * Secret.
   */
  renamed: (variable: UsedVariable, secret: string) => void;
  /**
   * Called for each variable whose key in the Secret differs from the field in Concourse. `key`: the key in
   * the Secret.
   */
  otherKey: (variable: UsedVariable, key: string) => void;
}

/**
 * Matches the references that Concourse recognizes. Arithmetic of a shell, such as `((n + 1))`, is not a
 * reference.
 */
export const REFERENCE = /\(\(([-/.:@"\w\p{L}]+)\)\)/gu;

export function parseReference(text: string): VariableReference {
  const colon = text.startsWith('"') ? -1 : text.indexOf(':');
  const source = colon < 0 ? undefined : text.slice(0, colon);
  const [path = '', ...fields] = splitAtDots(text.slice(colon + 1));
  return { source, path, fields };
}

/** Splits a text at its dots. Dots in quotes do not separate. */
function splitAtDots(text: string): string[] {
  const parts = [''];
  let isQuoted = false;
  for (const letter of text) {
    if (letter === '"') isQuoted = !isQuoted;
    else if (letter === '.' && !isQuoted) parts.push('');
    else parts.push(`${parts.pop() ?? ''}${letter}`);
  }
  return parts;
}

/** The variables that the pipeline uses, with their names and values in Millrace. */
export class VariableTable {
  readonly #used = new Map<string, UsedVariable>();
  readonly #names = new Set<string>();
  readonly sources = new Map<string, VariableSource>();
  readonly #fixedValues: ReadonlyMap<string, unknown>;
  readonly #secrets = new SecretNames();

  constructor(fixedValues: ReadonlyMap<string, unknown>) {
    this.#fixedValues = fixedValues;
  }

  /**
   * The name of the variable in Millrace. Adds the variable to the table when it is first used. `isPlain`:
   * the place cannot contain secrets.
   */
  use(reference: VariableReference, span: YamlSpan, isPlain: boolean): string {
    const key = JSON.stringify([reference.source, reference.path, reference.fields]);
    const used = this.#used.get(key) ?? { ...reference, name: this.#nameFor(reference), span, isPlain };
    this.#used.set(key, { ...used, isPlain: used.isPlain || isPlain });
    return used.name;
  }

  #nameFor({ path, fields }: VariableReference): string {
    const words = [path, ...fields].join('_');
    const base = Array.from(words, (letter) => (/[A-Za-z0-9_-]/.test(letter) ? letter : '_'))
      .join('')
      .slice(0, 50);
    const first = isIdentifier(base) ? base : `v_${base}`;
    let name = first;
    for (let number = 2; this.#names.has(name); number++) name = `${first}_${number}`;
    this.#names.add(name);
    return name;
  }

  /** The blocks that declare all variables. Reports each that a person has to look at. */
  write(report: VariableReport): HclNode[] {
    const used = [...this.#used.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
    // Secrets that keep their names are named first, so that no other Secret takes one of these names.
    for (const variable of used.filter(({ path }) => secretName(path) === path))
      if (this.#isInSecret(variable)) this.#secrets.nameOf(variable);
    for (const variable of used.filter((candidate) => this.#isInSecret(candidate))) {
      const secret = this.#secrets.nameOf(variable);
      if (secret !== variable.path) report.renamed(variable, secret);
      const key = secretKey(variable.fields);
      if (variable.fields.length > 0 && key !== variable.fields.join('.')) report.otherKey(variable, key);
    }
    return used.flatMap((variable) => this.#writeVariable(variable, report));
  }

  /** Whether the value is in a Kubernetes Secret, because it is neither plain, nor fixed, nor in a vault. */
  #isInSecret(variable: UsedVariable): boolean {
    if (variable.isPlain || this.#valueOf(variable) !== undefined) return false;
    return this.sources.get(variable.source ?? '')?.secretType === undefined;
  }

  #writeVariable(variable: UsedVariable, { needsValue }: VariableReport): HclNode[] {
    const { name, isPlain, source } = variable;
    const fixedValue = this.#valueOf(variable);
    if (fixedValue !== undefined) {
      const isText = typeof fixedValue === 'string';
      return [
        hclBlock(
          'variable',
          [name],
          [hclAttribute('type', isText ? 'string' : 'any'), hclAttribute('default', writeJson(fixedValue))],
        ),
      ];
    }
    if (isPlain) {
      needsValue(variable);
      return [
        {
          kind: 'comment',
          text: 'No secret can be where this variable is used. Set its value in the manifest.',
        },
        hclBlock(
          'variable',
          [name],
          [hclAttribute('type', 'string'), hclAttribute('default', quoteText(['change-me']))],
        ),
      ];
    }
    const secret = hclBlock(
      'secret',
      [secretTypeOf(this.sources.get(source ?? ''))],
      this.#placeOf(variable),
    );
    return [hclBlock('variable', [name], [hclAttribute('type', 'string'), secret])];
  }

  /**
   * The fixed value of the variable. People can give it under the name in Concourse or in Millrace.
   * Undefined: it has none.
   */
  #valueOf({ source, path, fields, name }: UsedVariable): unknown {
    const values = source === undefined ? undefined : this.sources.get(source)?.values;
    if (values !== undefined) return fields.reduce<unknown>(memberOf, values.get(path));
    if (!this.#fixedValues.has(path) && fields.length > 0) return this.#fixedValues.get(name);
    return fields.reduce<unknown>(memberOf, this.#fixedValues.get(path) ?? this.#fixedValues.get(name));
  }

  /** The attributes `path` and `key` of the secret. */
  #placeOf(variable: VariableReference): HclNode[] {
    const { source, path, fields } = variable;
    const { secretType, prefix = '' } = this.sources.get(source ?? '') ?? {};
    const isInSecret = secretType === undefined;
    const segments = `${prefix}${path}`.split('/').filter((segment) => segment !== '');
    const secretPath = isInSecret ? this.#secrets.nameOf(variable) : segments.join('/');
    const key = isInSecret || fields.length === 0 ? secretKey(fields) : fields.join('.');
    return [hclAttribute('path', quoteText([secretPath])), hclAttribute('key', quoteText([key]))];
  }
}

const secretTypeOf = (source: VariableSource | undefined): string => source?.secretType ?? 'kubernetes';

/**
 * The names of the Kubernetes Secrets. Each path of a source has one Secret, whose keys are the fields of the
 * path.
 */
class SecretNames {
  readonly #names = new Map<string, string>();

  nameOf({ source, path }: VariableReference): string {
    const key = JSON.stringify([source, path]);
    const taken = new Set(this.#names.values());
    const base = secretName(path);
    let name = this.#names.get(key) ?? base;
    for (let number = 2; !this.#names.has(key) && taken.has(name); number++) name = `${base}-${number}`;
    this.#names.set(key, name);
    return name;
  }
}

/**
 * A valid name of a Secret that resembles the path. Only lower-case letters, digits, `-` and `.` are allowed,
 * and each part between dots must begin and end with a letter or digit.
 */
function secretName(path: string): string {
  const letters = Array.from(path.toLowerCase(), (letter) => (/[a-z0-9.-]/.test(letter) ? letter : '-'));
  const words = letters.join('').split('.').map(trimEnds);
  const name = words.filter((word) => word !== '').join('.');
  return name === '' ? 'secret' : trimEnds(name.slice(0, MAX_SECRET_CHARACTERS));
}

const MAX_SECRET_CHARACTERS = 240;

/** The key in a Kubernetes Secret. Without fields it is `value`, as in Concourse. */
function secretKey(fields: readonly string[]): string {
  if (fields.length === 0) return 'value';
  const letters = Array.from(fields.join('.'), (letter) => (/[A-Za-z0-9_.-]/.test(letter) ? letter : '-'));
  const key = letters.join('').slice(0, MAX_SECRET_CHARACTERS);
  return ['', '.', '..'].includes(key) ? 'value' : key;
}

/** The member of an object. Undefined: the value is not an object, or has no such member. */
function memberOf(value: unknown, field: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([key]) => key === field)?.[1]
    : undefined;
}
