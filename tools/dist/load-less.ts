import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import { checkout } from '#tools/checkout.ts';

/** What Slonik uses of zod. */
export const ZOD_FUNCTIONS: readonly string[] = ['enum', 'number', 'object', 'string', 'unknown'];

/** Modules of the bundles that replace a package or a module of Node, by their path within this plugin. */
const CONTENTS: Readonly<Record<string, string>> = {
  'node:http': 'module.exports = require("node:http");',
  'node:https': 'module.exports = require("node:https");',
  undici: `import Agent from ${packageFile('undici/lib/dispatcher/agent.js')};
import Dispatcher from ${packageFile('undici/lib/dispatcher/dispatcher.js')};
import api from ${packageFile('undici/lib/api/index.js')};
import buildConnector from ${packageFile('undici/lib/core/connect.js')};
Object.assign(Dispatcher.prototype, api);
export { Agent, buildConnector };`,
  zod: `import * as schemas from ${packageFile('zod/v4/classic/schemas.js')};
export const z = { ${ZOD_FUNCTIONS.map((name) => `${name}: schemas.${name}`).join(', ')} };`,
};

/**
 * Lets a process load less at its start, which saves memory for as long as it runs (docs/benchmarks.md):
 *
 * - An ES module that imports `node:http` makes Node read every export of it, also `WebSocket`, for which
 *   Node loads its own copy of undici. `require` does not.
 * - Own sources get a part of undici: three fifths of its code, without caches, proxies and mocks.
 * - Slonik gets a part of zod. It checks three small objects with it, and a bundle has to keep the whole
 *   package, because zod exports it as one object.
 *
 * If the sources import something else from undici, the bundler refuses it. A test compares the part of zod
 * with Slonik's code.
 */
export const loadLess: Plugin = {
  name: 'load-less',
  setup(build) {
    build.onResolve({ filter: /^(?:node:)?https?$/ }, ({ path, kind }) =>
      kind === 'import-statement' ? replaced(path.startsWith('node:') ? path : `node:${path}`) : undefined,
    );
    build.onResolve({ filter: /^undici$/ }, ({ path, importer }) =>
      importer.includes('/node_modules/') ? undefined : replaced(path),
    );
    build.onResolve({ filter: /^zod$/ }, ({ path, importer }) =>
      importer.includes('/node_modules/@slonik/') ? replaced(path) : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: 'load-less' }, ({ path }) => ({
      contents: CONTENTS[path] ?? '',
      resolveDir: checkout,
    }));
  },
};

const replaced = (path: string) => ({ path, namespace: 'load-less' });

/** Absolute, because zod's package.json does not export this file. */
function packageFile(path: string): string {
  return JSON.stringify(join(checkout, 'node_modules', path));
}
