import { existsSync } from 'node:fs';

/**
 * These change the installation or the node, or they need both for themselves. The other end-to-end tests run
 * two at a time.
 */
const ALONE = [
  'burst',
  'crash',
  'database-outage',
  'early-death',
  'everything',
  'faults',
  'hostile-pipelines',
  'identity',
  'images',
  'installation-tokens',
  'operator-kills',
  'outcomes',
  'termination-message',
  'user-namespaces',
].map((name) => `/e2e/${name}.test.ts`);
for (const path of ALONE)
  if (!existsSync(new URL(`.${path}`, import.meta.url)))
    throw new Error(`ALONE names ${path}, which does not exist.`);

/**
 * `unit` runs anywhere and fast; `child-process` starts programs: the command line, scripts of built-in types, processes that read or draw.
 * `integration` needs real Postgres binaries or a real API server, `browser` Chromium too, `e2e`, `e2e-alone` and `readme` a cluster.
 */
const shared = {
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  testEnvironment: 'node',
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2024', parser: { syntax: 'typescript' } }, module: { type: 'es6' } },
    ],
    '^.+\\.tsx$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2024',
          parser: { syntax: 'typescript', tsx: true },
          transform: { react: { runtime: 'automatic', importSource: 'preact' } },
        },
        module: { type: 'es6' },
      },
    ],
  },
};

/**
 * In Node's own module system: a worker reads a module once, not once for each test file, which halves the time
 * of the unit tests. Test files share the modules' state, so a module keeps none that a test changes.
 */
const native = {
  runner: 'jest-light-runner',
  setupFiles: ['<rootDir>/src/testing/jest/module-hooks.ts'],
  transform: {},
};

export default {
  // It only ends what hangs. A machine that is busy is not a defect: how fast something is, benchmarks say.
  testTimeout: 600_000,
  projects: [
    {
      ...native,
      displayName: 'unit',
      testMatch: ['<rootDir>/{src,config,tools,bench}/**/*.test.ts'],
      testPathIgnorePatterns: ['\\.(child-process|integration|browser)\\.test\\.ts$'],
      setupFiles: [...native.setupFiles, '<rootDir>/src/testing/jest/refuse-child-processes.ts'],
    },
    {
      ...shared,
      displayName: 'child-process',
      testMatch: ['<rootDir>/{src,config,tools,bench}/**/*.child-process.test.ts'],
      globalSetup: '<rootDir>/src/testing/jest/build-program.ts',
    },
    {
      ...shared,
      displayName: 'integration',
      testMatch: ['<rootDir>/{src,config,tools,bench,e2e}/**/*.integration.test.ts'],
      globalSetup: '<rootDir>/src/testing/jest/start-postgres.ts',
      globalTeardown: '<rootDir>/src/testing/jest/stop-postgres.ts',
    },
    {
      ...shared,
      displayName: 'browser',
      testMatch: ['<rootDir>/src/**/*.browser.test.ts'],
      globalSetup: '<rootDir>/src/testing/jest/prepare-browser.ts',
      globalTeardown: '<rootDir>/src/testing/jest/stop-postgres.ts',
    },
    {
      ...shared,
      displayName: 'e2e',
      testMatch: ['<rootDir>/e2e/**/*.test.ts'],
      testPathIgnorePatterns: ['/e2e/readme/', '\\.integration\\.test\\.ts$', ...ALONE],
      globalSetup: '<rootDir>/src/testing/jest/build-program.ts',
    },
    { ...shared, displayName: 'e2e-alone', testMatch: ALONE.map((path) => `<rootDir>${path}`) },
    { ...shared, displayName: 'readme', testMatch: ['<rootDir>/e2e/readme/*.test.ts'] },
  ],
};
