import { registerHooks } from 'node:module';

/*
 * A setup file of Jest. Tests run in Node's own module system, where `@jest/globals` does not work, so
 * `globals.ts` replaces it.
 */
const GLOBALS = new URL('./globals.ts', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@jest/globals' ? { url: GLOBALS, shortCircuit: true } : next(specifier, context),
});
