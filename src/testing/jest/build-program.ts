import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkout } from '#tools/checkout.ts';

/**
 * Jest calls this once before tests that start the program. They start the program in dist/, as users do,
 * which starts twice as fast as the sources. Only parts whose sources have changed are built.
 */
export default async function setUp(): Promise<void> {
  await promisify(execFile)(process.execPath, [join('tools', 'dist', 'main.ts')], { cwd: checkout });
}
