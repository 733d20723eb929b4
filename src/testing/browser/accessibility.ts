import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { until } from './site.ts';

/** The width of a small phone, and of a page at 400 % zoom (WCAG 2.2, 1.4.10). */
const NARROW = { width: 320, height: 640 };

/** Rules of WCAG 2.2 up to level AA, and axe's best practices. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * Accessibility problems of the current page, one per line: axe-core's findings in dark and light mode and on
 * a phone, and up to five elements that are too wide for a phone.
 */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  const problems = new Set<string>();
  const add = async (script: string): Promise<void> => {
    for (const line of await page.evaluate<string[]>(script)) problems.add(line);
  };
  // Uses the browser's own protocol, which the page's content security policy does not restrict.
  await page.evaluate(axe.source);
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await add(RUN_AXE);
  }
  const size = page.viewportSize();
  await page.setViewportSize(NARROW);
  await add(RUN_AXE);
  await add(TOO_WIDE);
  if (size !== null) await page.setViewportSize(size);
  return [...problems];
}

const RUN_AXE = `
  axe.run(document, { runOnly: ${JSON.stringify(TAGS)}, resultTypes: ['violations'] }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, html, failureSummary }) => [id, target.join(' '), html, failureSummary].join(' · '))))`;

/** The first few of the elements that are too wide. Most of the others are inside them. */
const TOO_WIDE = `
  document.documentElement.scrollWidth <= document.documentElement.clientWidth ? [] :
    [...document.querySelectorAll('body *')]
      .filter((element) => element.getBoundingClientRect().right > document.documentElement.clientWidth)
      .slice(0, 5)
      .map(({ outerHTML }) => 'too wide · ' + outerHTML.slice(0, 120))`;

/** Controls that Tab does not reach, or that do not show the focus; one per line. */
export async function keyboardProblems(page: Page): Promise<string[]> {
  await until(async () => await page.evaluate<boolean>(HAS_RENDERED));
  const count = await page.evaluate<number>(MARK_CONTROLS);
  const withoutFocus: string[] = [];
  for (let times = 0; times <= count; times += 1) {
    await page.keyboard.press('Tab');
    withoutFocus.push(...(await page.evaluate<string[]>(CHECK_FOCUSED)));
  }
  return [...withoutFocus, ...(await page.evaluate<string[]>(LIST_NOT_REACHED))];
}

/**
 * Whether the script has replaced the server-rendered content. Replacing it later would remove marked
 * controls.
 */
const HAS_RENDERED = `
  document.querySelector('#overview, #graph:not(.graph-failed), #editor, #log-viewer')?.matches('[data-rendered]') ?? true`;

const MARK_CONTROLS = `
  const controls = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';
  window.toReach = new Set([...document.querySelectorAll(controls)]
    .filter((element) => element.type !== 'hidden' && element.checkVisibility()));
  document.activeElement.blur();
  getSelection().removeAllRanges();
  window.toReach.size`;

/** Reports the focused control if it shows no focus. Tab reaches a date input several times. */
const CHECK_FOCUSED = `
  (() => {
    const element = document.activeElement;
    window.toReach.delete(element);
    const shows = element === document.body || getComputedStyle(element).outlineStyle !== 'none';
    return shows ? [] : ['does not show the focus · ' + element.outerHTML.slice(0, 120)];
  })()`;

const LIST_NOT_REACHED = `[...window.toReach].map((element) => 'not reached · ' + element.outerHTML.slice(0, 120))`;
