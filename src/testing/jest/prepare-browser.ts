import { installChromium } from '#testing/browser/chromium.ts';
import startPostgres from './start-postgres.ts';

/**
 * Jest calls this once before the browser tests, which run two at a time. Only one process can install Debian
 * packages.
 */
export default async function setUp(): Promise<void> {
  await installChromium();
  await startPostgres();
}
