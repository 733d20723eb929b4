import type { Conversion } from './conversion.ts';
import type { HclNode } from './write-hcl.ts';
import type { YamlEntry, YamlMap, YamlSpan, YamlTree } from './yaml-tree.ts';

/**
 * Reads the fields of a map. Reports fields of a wrong type and, in `end`, fields that were not read. `owner`
 * names the map in messages. The methods that read a field return undefined or an empty list if the field is
 * missing, null or of a wrong type.
 */
export class YamlFields {
  readonly span: YamlSpan;
  readonly #owner: string;
  readonly #entries: ReadonlyMap<string, YamlEntry>;
  readonly #conversion: Conversion;
  readonly #read = new Set<string>();

  constructor(map: YamlMap, owner: string, conversion: Conversion) {
    this.span = map.span;
    this.#owner = owner;
    this.#entries = new Map(map.entries.map((entry) => [entry.key, entry]));
    this.#conversion = conversion;
  }

  /** Returns the entry of a field, and marks the field as read. Undefined: the field is missing or null. */
  entry(name: string): YamlEntry | undefined {
    this.#read.add(name);
    const entry = this.#entries.get(name);
    return entry?.value.kind === 'scalar' && entry.value.value === null ? undefined : entry;
  }

  tree(name: string): YamlTree | undefined {
    return this.entry(name)?.value;
  }

  text(name: string): string | undefined {
    const value = this.tree(name);
    if (value === undefined) return undefined;
    if (value.kind === 'scalar' && value.value !== null) return String(value.value);
    this.#reportType(name, value, 'a text');
    return undefined;
  }

  /** The text of a required field. Reports an error if the field is missing or empty. */
  needed(name: string): string | undefined {
    const text = this.text(name);
    if (text !== undefined && text !== '') return text;
    if (text === '' || this.tree(name) === undefined)
      this.#conversion.error(this.span, `${this.#owner} has no ${name}`, `Add ${name}.`);
    return undefined;
  }

  number(name: string): number | undefined {
    const value = this.tree(name);
    if (value === undefined) return undefined;
    if (value.kind === 'scalar' && typeof value.value === 'number') return value.value;
    if (!hasReference(value)) this.#reportType(name, value, 'a number');
    return undefined;
  }

  flag(name: string): boolean | undefined {
    const value = this.tree(name);
    if (value === undefined) return undefined;
    if (value.kind === 'scalar' && typeof value.value === 'boolean') return value.value;
    if (!hasReference(value)) this.#reportType(name, value, 'true or false');
    return undefined;
  }

  list(name: string): YamlTree[] {
    const value = this.tree(name);
    if (value === undefined) return [];
    if (value.kind === 'list') return value.items;
    this.#reportType(name, value, 'a list');
    return [];
  }

  texts(name: string): { text: string; span: YamlSpan }[] {
    return this.list(name).flatMap((item) => {
      if (item.kind === 'scalar' && item.value !== null)
        return [{ text: String(item.value), span: item.span }];
      this.#reportType(name, item, 'a list of texts');
      return [];
    });
  }

  map(name: string): YamlMap | undefined {
    const value = this.tree(name);
    if (value === undefined || value.kind === 'map') return value;
    if (!hasReference(value)) this.#reportType(name, value, 'a map');
    return undefined;
  }

  fieldsOf(name: string, owner: string): YamlFields | undefined {
    const map = this.map(name);
    return map && new YamlFields(map, owner, this.#conversion);
  }

  maps(name: string, owner: string): YamlFields[] {
    return this.list(name).flatMap((item) => {
      if (item.kind === 'map') return [new YamlFields(item, owner, this.#conversion)];
      this.#reportType(name, item, 'a list of maps');
      return [];
    });
  }

  /**
   * Reports the fields that are present but have no counterpart in Millrace. `reasons`: by the name of the
   * field.
   */
  leaveOut(body: HclNode[], reasons: Readonly<Record<string, string>>): void {
    for (const [name, reason] of Object.entries(reasons)) {
      const entry = this.entry(name);
      if (entry) this.#conversion.leaveOut(body, entry.keySpan, `${name} has no counterpart: ${reason}`);
    }
  }

  /**
   * Reports fields that were not read, since Concourse does not have them, and references in fields that
   * cannot have any. Call this after reading all fields.
   */
  end(body: HclNode[]): void {
    for (const { key, keySpan, value } of this.#entries.values()) {
      if (!this.#read.has(key))
        this.#conversion.error(
          keySpan,
          `${this.#owner} has no field "${key}"`,
          'Correct the name, or remove it.',
        );
      else if (FIXED_FIELDS.has(key) && hasReference(value))
        this.#conversion.leaveOut(body, value.span, `${key} is a variable, and must be a fixed value here`);
    }
  }

  #reportType(name: string, { span }: YamlTree, kind: string): void {
    this.#conversion.error(span, `${name} of ${this.#owner} must be ${kind}`, `Write ${kind}.`);
  }
}

/** Fields whose value must be known when Millrace reads the pipeline, so that it cannot be a reference. */
const FIXED_FIELDS = new Set([
  'trigger',
  'attempts',
  'limit',
  'fail_fast',
  'serial',
  'max_in_flight',
  'params',
  'source',
]);

const hasReference = (value: YamlTree): boolean =>
  value.kind === 'scalar' && typeof value.value === 'string' && value.value.includes('((');
