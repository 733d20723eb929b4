import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { formatText } from '#tools/format.ts';
import { typeText } from './type-text.ts';

/** Folder of the custom resource definitions. */
const DEFINITIONS = new URL('../../crds/', import.meta.url);
export const TYPES = new URL('../../src/adapters/kubernetes/kinds/custom-resources.ts', import.meta.url);

/** The text that the file `TYPES` must have. */
export function generatedTypes(): Promise<string> {
  const files = readdirSync(DEFINITIONS).filter((file) => file.endsWith('.yaml'));
  const texts = files.toSorted().map((file) => readFileSync(new URL(file, DEFINITIONS), 'utf8'));
  return formatText(TYPES.pathname, typeText(texts));
}

if (import.meta.main) writeFileSync(TYPES, await generatedTypes());
