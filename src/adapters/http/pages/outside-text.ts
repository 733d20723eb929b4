import { html, joined, type Html } from './html.ts';

/** In characters. A longer value is folded, so that it does not fill the page. */
const MAX_VALUE_LENGTH = 160;

/** Names and values that a check or a resource type reported. */
export function outsideFields(entries: readonly (readonly [name: string, value: string])[]): Html {
  return html`<dl class="resource-fields">
    ${joined(
      entries.map(
        ([name, value]) =>
          html`<dt>${name}</dt>
            <dd>${outsideValue(value)}</dd>`,
      ),
    )}
  </dl>`;
}

/**
 * A value from outside Millrace. An HTTPS URL that is safe to open becomes a link, and a long value is
 * folded.
 */
function outsideValue(value: string): Html {
  const link = safeAddress(value);
  if (link !== undefined)
    return html`<a class="code" href="${link}" rel="noopener noreferrer nofollow">${link}</a>`;
  const [firstLine = ''] = value.trimEnd().split('\n');
  if (firstLine.length <= MAX_VALUE_LENGTH && firstLine === value.trimEnd())
    return html`<span class="code">${value}</span>`;
  return html`<details>
    <summary class="code">${cut(firstLine, MAX_VALUE_LENGTH)} …</summary>
    <div class="code resource-text">${value}</div>
  </details>`;
}

/**
 * Returns the URL as a browser would open it, or undefined if the value is not a single HTTPS URL. The URL
 * must be ASCII, so that no letter looks like another one. It must have no user name or password, because
 * these can look like a host.
 */
export function safeAddress(value: string): string | undefined {
  if (!value.startsWith('https://') || !/^[!-~]{1,2000}$/.test(value) || !URL.canParse(value))
    return undefined;
  const { href, username, password } = new URL(value);
  return username === '' && password === '' ? href : undefined;
}

/** A few characters by which people know a version: the beginning of a hash, or of the first field. */
export function shortVersion(fields: Readonly<Record<string, string>>): string {
  const [firstValue = ''] = Object.values(fields);
  return /^[0-9a-f]{12,}$/.test(firstValue) ? firstValue.slice(0, 8) : cut(firstValue, 24);
}

function cut(text: string, length: number): string {
  const letters = Array.from(text);
  return letters.length <= length ? text : `${letters.slice(0, length - 1).join('')}…`;
}
