import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkout } from '#tools/checkout.ts';

/**
 * Jest calls this once before tests that start the program. They start dist/, as users do: it starts twice as
 * fast as the sources. What did not change is not built again.
 */
export default async function setUp(): Promise<void> {
  await promisify(execFile)(process.execPath, [join('tools', 'dist', 'main.ts')], { cwd: checkout });
}
