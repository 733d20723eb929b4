import { readFileSync } from 'node:fs';
import { startEngine } from '#adapters/hcl/engine.ts';
import { parseText } from '#adapters/hcl/parse-text.ts';
import type { Block, Item } from '#domain/language/syntax.ts';
import { engineFile } from './find-engine.ts';

const isBlock = (item: Item, type: string): item is Block => item.kind === 'block' && item.type === type;

/** Variables of a valid text that have a secret block. */
export function secretVariablesIn(hcl: string | Uint8Array): string[] {
  if (!Buffer.from(hcl).includes('secret')) return [];
  const engine = startEngine(new WebAssembly.Module(readFileSync(engineFile())));
  const document = parseText(engine, hcl);
  try {
    return (document.body?.items ?? [])
      .filter((item) => isBlock(item, 'variable'))
      .filter(({ body }) => body.items.some((item) => isBlock(item, 'secret')))
      .flatMap(({ labels }) => labels[0]?.text ?? []);
  } finally {
    document.release();
  }
}
