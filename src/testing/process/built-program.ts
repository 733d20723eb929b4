import { join } from 'node:path';
import { checkout } from '#tools/checkout.ts';

/** The program that users run. Before the tests, testing/jest/build-program.ts builds it. */
export const BUILT_PROGRAM = join(checkout, 'dist', 'millrace.js');
