import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import * as builtIn from '#domain/pipeline/built-in-types.ts';
import { buildEngine } from './build.ts';
import { openDefinitions } from './definitions.ts';
import { startEngine, type HclEngine } from './engine.ts';

let module: WebAssembly.Module;
beforeAll(async () => {
  module = new WebAssembly.Module(readFileSync(await buildEngine()));
}, 600_000);

const builtInTypes = [
  builtIn.builtInResourceTypes,
  builtIn.builtInNotificationTypes,
  builtIn.builtInServiceTypes,
  builtIn.builtInSecretTypes,
  builtIn.builtInRunnerTypes,
].flatMap((types) => [...types]);

/** How often the engine parses a definition that two compilations use. */
function countParses(text: string): number {
  let parses = 0;
  const engine = startEngine(module);
  const counting: HclEngine = {
    ...engine,
    parse: (...args) => {
      parses += 1;
      return engine.parse(...args);
    },
  };
  for (const time of ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z']) {
    const definitions = openDefinitions(counting, time);
    definitions.parse(text);
    definitions.close();
  }
  return parses;
}

describe('a definition', () => {
  test.each(builtInTypes)('of the built-in type %s is parsed once for all pipelines', (_, text) => {
    expect(countParses(text)).toBe(1);
  });

  test('that calls timestamp() is parsed for each pipeline', () => {
    expect(countParses('resource_type "clock" {\n  image = timestamp ()\n}\n')).toBe(2);
  });
});
