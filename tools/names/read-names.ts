import { parseSync, Visitor } from 'oxc-parser';

export interface ModuleNames {
  /** Names that the module declares and exports. */
  exported: Set<string>;
  /** Every identifier in its code, and every string in a type, such as a label of a metric, once. */
  identifiers: Set<string>;
}

export function readNames(file: string, text: string): ModuleNames {
  const { module, program } = parseSync(file, text);
  const exported = new Set(
    module.staticExports
      .flatMap(({ entries }) => entries)
      .filter(({ moduleRequest }) => moduleRequest === null)
      .flatMap(({ exportName }) => exportName.name ?? []),
  );
  const identifiers = new Set<string>();
  new Visitor({
    Identifier: ({ name }) => {
      identifiers.add(name);
    },
    PrivateIdentifier: ({ name }) => {
      identifiers.add(name);
    },
    TSLiteralType: ({ literal }) => {
      if (literal.type === 'Literal' && typeof literal.value === 'string') identifiers.add(literal.value);
    },
  }).visit(program);
  return { exported, identifiers };
}
