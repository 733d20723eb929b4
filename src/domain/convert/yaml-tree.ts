/** A range of the YAML text, as offsets. `end`: the offset after the last character. */
export interface YamlSpan {
  start: number;
  end: number;
}

interface YamlScalar {
  kind: 'scalar';
  span: YamlSpan;
  value: string | number | boolean | null;
}

interface YamlList {
  kind: 'list';
  span: YamlSpan;
  items: YamlTree[];
}

export interface YamlEntry {
  key: string;
  keySpan: YamlSpan;
  value: YamlTree;
}

export interface YamlMap {
  kind: 'map';
  span: YamlSpan;
  entries: YamlEntry[];
}

/** A document with its aliases and merge keys resolved. */
export type YamlTree = YamlScalar | YamlList | YamlMap;

export const entryOf = (tree: YamlTree | undefined, key: string): YamlEntry | undefined =>
  tree?.kind === 'map' ? tree.entries.find((entry) => entry.key === key) : undefined;

export const yamlAt = (tree: YamlTree | undefined, key: string): YamlTree | undefined =>
  entryOf(tree, key)?.value;

/** The value of a scalar as text. Undefined: the tree is not a scalar, or null. */
export const textOfScalar = (tree: YamlTree | undefined): string | undefined =>
  tree?.kind === 'scalar' && tree.value !== null ? String(tree.value) : undefined;

/** The value as `JSON.parse` would return it. */
export function plainValue(tree: YamlTree): unknown {
  if (tree.kind === 'scalar') return tree.value;
  if (tree.kind === 'list') return tree.items.map(plainValue);
  return Object.fromEntries(tree.entries.map(({ key, value }) => [key, plainValue(value)]));
}

/** Calls `visit` for the tree and every tree inside it, outer trees first. */
export function walkYaml(tree: YamlTree, visit: (part: YamlTree) => void): void {
  visit(tree);
  if (tree.kind === 'list') for (const item of tree.items) walkYaml(item, visit);
  if (tree.kind === 'map') for (const { value } of tree.entries) walkYaml(value, visit);
}
