import { installChromium } from '#testing/browser/chromium.ts';
import startPostgres from './start-postgres.ts';

/**
 * Jest calls this once before the browser tests. They run two at a time, but only one process can install
 * Debian packages.
 */
export default async function setUp(): Promise<void> {
  await installChromium();
  await startPostgres();
}
