import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';

/** The folder for pictures, such as `docs/images`. Absent: tests take none. */
export const PICTURES = process.env['PICTURES'];

/**
 * Takes a picture of what the page shows now, in light and in dark, for README and docs. The picture ends
 * where the page or the viewport ends. `suffix` makes the names of this run unique and means nothing to
 * readers, so the function removes it from the header and the breadcrumbs.
 */
export async function documentationPicture(page: Page, name: string, suffix: string): Promise<void> {
  if (PICTURES === undefined) return;
  mkdirSync(PICTURES, { recursive: true });
  const bottom = await page.evaluate<number>(REMOVE_SUFFIX.replaceAll('SUFFIX', JSON.stringify(suffix)));
  const { width = 0, height = 0 } = page.viewportSize() ?? {};
  const clip = { x: 0, y: 0, width, height: Math.min(height, Math.ceil(bottom)) };
  // A pointer that rests on something would change its look.
  await page.mouse.move(0, 0);
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    // A page has few colours, so a palette keeps the file small.
    await sharp(await page.screenshot({ clip }))
      .png({ palette: true, colours: 128, effort: 10 })
      .toFile(join(PICTURES, `${name}-${scheme}.png`));
  }
  await page.emulateMedia({ colorScheme: null });
}

/** Removes the suffix in the browser, and returns where the page ends. */
const REMOVE_SUFFIX = `
  (() => {
    for (const element of document.querySelectorAll('header a, nav a'))
      if (element.textContent.endsWith(SUFFIX)) element.textContent = element.textContent.slice(0, -SUFFIX.length);
    return document.body.getBoundingClientRect().bottom + scrollY;
  })()`;
