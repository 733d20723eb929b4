import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { bundleIntoOneFile, packagesOf } from './bundle.ts';
import { outputFolder } from './inputs.ts';

describe('the packages of a bundle', () => {
  const inputs = {
    'src/agent/main.ts': { bytesInOutput: 10 },
    'node_modules/pino/lib/proto.js': { bytesInOutput: 10 },
    'node_modules/pino/pino.js': { bytesInOutput: 10 },
    'node_modules/@scope/name/deep/x.js': { bytesInOutput: 1 },
    'node_modules/a/node_modules/b/index.js': { bytesInOutput: 1 },
    'node_modules/shaken-off/index.js': { bytesInOutput: 0 },
  };

  test('are the package folders that its code comes from, scoped and nested ones included, each once', () => {
    expect(packagesOf({ 'dist/x.js': { inputs }, 'dist/x.js.map': { inputs: {} } })).toEqual([
      'node_modules/@scope/name',
      'node_modules/a/node_modules/b',
      'node_modules/pino',
    ]);
  });
});

test('a program with a forbidden package is refused and not written', async () => {
  await expect(bundleIntoOneFile('refused.js', 'src/adapters/http/server/server.ts', ['fastify'])).rejects.toThrow(
    'refused.js contains fastify, which it must not carry.',
  );
  expect(existsSync(join(outputFolder, 'refused.js'))).toBe(false);
});
