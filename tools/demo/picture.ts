import { join } from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { startChromium } from '#testing/browser/chromium.ts';
import { RELEASE } from '#tools/chart/install.ts';
import { checkout } from '#tools/checkout.ts';
import { explain } from '#tools/cluster/explain.ts';
import { reach } from './reach.ts';
import { askGateway, initialAdmin, passwordFile, signInOfDemo, type Credentials } from './sign-in.ts';

/*
 * Takes the pictures of the console in README, in light and dark, from the pipeline of the demonstration.
 * After `make demo`:
 *
 *   eval "$(node tools/cluster/main.ts env)" && node tools/demo/picture.ts
 */
const FOLDER = join(checkout, 'docs/images');
const SIZE = { width: 1160, height: 800 };

const gateway = await reach(RELEASE.namespace, `${RELEASE.name}-public`);
try {
  const credentials = await signInOfDemo(askGateway(gateway.url), passwordFile(), initialAdmin);
  if (credentials === undefined) throw explain('Somebody has changed the password of the demonstration.');
  const browser = await startChromium();
  try {
    const page = await browser.newPage({ viewport: SIZE });
    await signIn(page, `${gateway.url}/teams/demo/pipelines/app`, credentials);
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      const file = join(FOLDER, `console-${scheme}.png`);
      // A page has few colours, so a palette keeps it small.
      const { size } = await sharp(await page.screenshot())
        .png({ palette: true, colours: 128, effort: 10 })
        .toFile(file);
      console.log(`${file}: ${Math.ceil(size / 1000)} kB`);
    }
  } finally {
    await browser.close();
  }
} finally {
  gateway.close();
}

async function signIn(page: Page, address: string, { username, password }: Credentials): Promise<void> {
  await page.goto(address);
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL(address);
}
