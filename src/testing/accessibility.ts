import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** Width of a small phone, and of a page that somebody has enlarged four times (WCAG 2.2, 1.4.10). */
const NARROW = { width: 320, height: 640 };

/** Rules of WCAG 2.2 to level AA, and what is good custom beyond it. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * What people would stumble over on the page as it is now, a line each: what axe-core finds, in light and dark; and what makes the page
 * wider than a phone.
 */
export async function stumblingBlocks(page: Page): Promise<string[]> {
  const found = new Set<string>();
  const add = async (script: string): Promise<void> => {
    for (const line of await page.evaluate<string[]>(script)) found.add(line);
  };
  // By the browser's own door, which the policy of the page does not close.
  await page.evaluate(axe.source);
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await add(RUN_AXE);
  }
  const size = page.viewportSize();
  await page.setViewportSize(NARROW);
  await add(TOO_WIDE);
  if (size !== null) await page.setViewportSize(size);
  return [...found];
}

const RUN_AXE = `
  axe.run(document, { runOnly: ${JSON.stringify(TAGS)}, resultTypes: ['violations'] }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, html, failureSummary }) => [id, target.join(' '), html, failureSummary].join(' · '))))`;

const TOO_WIDE = `
  document.documentElement.scrollWidth <= document.documentElement.clientWidth ? [] :
    [...document.querySelectorAll('body *')]
      .filter((element) => element.getBoundingClientRect().right > document.documentElement.clientWidth)
      .map(({ outerHTML }) => 'too wide · ' + outerHTML.slice(0, 120))`;
