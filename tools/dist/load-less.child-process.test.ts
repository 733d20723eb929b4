import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { checkout } from '#tools/checkout.ts';
import { loadLess, ZOD_FUNCTIONS } from './load-less.ts';

const SLONIK = join(checkout, 'node_modules/@slonik');

async function bundled(contents: string, folder = join(checkout, 'src')): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: folder, sourcefile: join(folder, 'program.js') },
    bundle: true,
    platform: 'node',
    format: 'esm',
    write: false,
    logLevel: 'silent',
    plugins: [loadLess],
  });
  return outputFiles.map(({ text }) => text).join('\n');
}

describe('a bundle', () => {
  test.each(['node:http', 'http', 'node:https', 'https'])('requires %s and does not import it', async (name) => {
    const text = await bundled(`import { Agent } from '${name}'; console.log(Agent);`);
    expect(text).toMatch(/require\("node:https?"\)/);
    expect(text).not.toMatch(/from ?"/);
  });

  test('has the parts of undici that its sources use, without mocks', async () => {
    const text = await bundled(`import { Agent, buildConnector } from 'undici'; new Agent(buildConnector());`);
    expect(text).toContain('undici/lib/dispatcher/agent.js');
    expect(text).not.toContain('undici/lib/mock/mock-agent.js');
  });

  test('is refused if its sources import another part of undici', async () => {
    const bundling = bundled(`import { fetch } from 'undici'; fetch('https://example.org');`);
    await expect(bundling).rejects.toThrow('No matching export');
  });

  test('has all of undici for a package', async () => {
    const inPackage = join(checkout, 'node_modules/@kubernetes/client-node/dist');
    expect(await bundled(`import { fetch } from 'undici'; fetch('');`, inPackage)).toContain('undici/lib/mock/mock-agent.js');
  });

  test('has the part of zod that Slonik uses', async () => {
    const uses = slonikFiles().flatMap((text) => [...text.matchAll(/\bz\s*\.(\w+)/g)]);
    expect(new Set(uses.map(([, name]) => name))).toEqual(new Set(ZOD_FUNCTIONS));
    const text = await bundled(`import { z } from 'zod'; console.log(z);`, join(SLONIK, 'utilities/dist'));
    expect(text).toContain('zod/v4/classic/schemas.js');
    expect(text).not.toContain('zod/v4/locales/de.js');
  });
});

/** The text of the files of Slonik that import zod. */
function slonikFiles(): string[] {
  const packages = readdirSync(SLONIK).map((name) => join(SLONIK, name, 'dist'));
  const files = [...packages, join(checkout, 'node_modules/slonik/dist')].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  );
  return files
    .filter((file) => file.endsWith('.js') && !file.includes('.test'))
    .map((file) => readFileSync(file, 'utf8'))
    .filter((text) => /from "zod"/.test(text));
}
