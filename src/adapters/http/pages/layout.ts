import { durationInWords } from '#domain/words.ts';
import { assetUrl, type PageScript } from './assets.ts';
import { html, type Html } from './html.ts';

/** The person who views a page. Functions take undefined for a viewer who has not signed in. */
export interface Viewer {
  name: string;
  /** Forms send this token to prove that they come from one of our pages. */
  csrfToken: string;
  /** Whether the viewer is a global admin. */
  isAdmin?: boolean;
}

interface LayoutParts {
  title: string;
  viewer?: Viewer | undefined;
  /** Breadcrumbs, from the outside to the inside, without the page itself. */
  breadcrumbs?: { name: string; url: string }[];
  main: Html;
  /** The path to return to after signing in, for pages that show anyone a link to sign in. */
  returnAfterSignIn?: string | undefined;
  /** Path of the event stream. After each of its events, the page updates itself. */
  events?: string;
  /** The script that draws parts of the page in the browser. The page must be readable without it. */
  script?: PageScript;
}

/**
 * The HTML of every page: skip link, header, breadcrumbs, `main` and footer. `main` must contain exactly one
 * `h1`.
 */
export function layout(parts: LayoutParts): Html {
  const { title, viewer, breadcrumbs = [], main, events, returnAfterSignIn } = parts;
  return html`<!doctype html>
<html lang="en">
${head(parts)}
<body${events !== undefined && html` data-events="${events}"`}>
<a class="skip" href="#main">Skip to the content</a>
<header>
<p class="name"><a href="/teams">Millrace</a></p>
${viewer !== undefined && siteNavigation(viewer)}
<div class="account">${themeControl} ${accountNavigation(viewer, returnAfterSignIn)}</div>
</header>
${breadcrumbs.length > 0 && breadcrumbList(breadcrumbs, title)}
<main id="main" tabindex="-1">
${main}
</main>
<footer><p>Millrace · <a href="/openapi">The API</a></p></footer>
</body>
</html>
`;
}

function head({ title, viewer, events, script }: LayoutParts): Html {
  return html`<head>
    <meta charset="utf-8" />
    <title>${title} · Millrace</title>
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    ${viewer !== undefined && html`<meta name="csrf-token" content="${viewer.csrfToken}" />`}
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="${assetUrl('styles.css')}" />
    <script src="${assetUrl('theme.js')}"></script>
    ${(events !== undefined || viewer !== undefined) && html`<script type="module" src="${assetUrl('live.js')}"></script>`}
    ${script !== undefined && html`<script type="module" src="${assetUrl(script)}"></script>`}
  </head>`;
}

function siteNavigation({ isAdmin = false }: Viewer): Html {
  return html`<nav aria-label="Millrace">
    <ul>
      <li><a href="/teams">Teams</a></li>
      ${isAdmin && html`<li><a href="/admin">Installation</a></li>`}
    </ul>
  </nav>`;
}

/** Hidden until the script shows it, because only the script can remember a choice. */
const themeControl = html`<div class="theme" hidden>
  <label class="visually-hidden" for="theme">Theme</label>
  <select id="theme" autocomplete="off">
    <option value="system">System theme</option>
    <option value="light">Light</option>
    <option value="dark">Dark</option>
  </select>
</div>`;

function accountNavigation(viewer: Viewer | undefined, returnAfterSignIn: string | undefined): Html {
  if (viewer === undefined && returnAfterSignIn === undefined) return html``;
  const links =
    viewer === undefined
      ? html`<li>
          <a href="/auth/login?return_to=${encodeURIComponent(returnAfterSignIn ?? '')}">Sign in</a>
        </li>`
      : accountLinks(viewer);
  return html`<nav aria-label="Account">
    <ul>
      ${links}
    </ul>
  </nav>`;
}

function accountLinks(viewer: Viewer): Html {
  return html`<li><a href="/profile">${viewer.name}</a></li>
    <li>${action({ url: '/auth/logout', viewer, label: 'Log out', quiet: true })}</li>`;
}

function breadcrumbList(links: { name: string; url: string }[], title: string): Html {
  return html`<nav aria-label="Where this is" class="where">
    <ol>
      ${links.map(({ name, url }) => html`<li><a href="${url}">${name}</a></li>`)}
      <li aria-current="page">${title}</li>
    </ol>
  </nav>`;
}

/**
 * A form with one button. If several buttons of a page have the same label, give each an `about`, which
 * screen readers read instead of the label. A `quiet` button is less prominent.
 */
export function action(parts: {
  url: string;
  viewer: Viewer | undefined;
  label: string;
  about?: string;
  quiet?: boolean;
  fields?: Html;
}): Html {
  const { url, viewer, label, about, quiet = false, fields } = parts;
  return html`<form method="post" action="${url}" class="action">
    ${csrfField(viewer)}${fields}
    <button
      type="submit"
      ${quiet && html` class="quiet"`}${about !== undefined && html` aria-label="${about}"`}
    >
      ${label}
    </button>
  </form>`;
}

export function csrfField(viewer: Viewer | undefined): Html {
  return html`<input type="hidden" name="csrf_token" value="${viewer?.csrfToken ?? ''}" />`;
}

/** An error message, which screen readers announce at once. Fields refer to it with `describedBy`. */
export function alert(message: string | undefined): Html {
  return message === undefined ? html`` : html`<p role="alert" class="alert" id="problem">${message}</p>`;
}

/** The attribute by which a field refers to the message of `alert`. */
export function describedBy(problem: string | undefined): Html {
  return problem === undefined ? html`` : html` aria-describedby="problem"`;
}

/**
 * A table that may be wider than a phone. The element takes the focus, so that the keyboard can scroll it.
 */
export function scrolling(name: string, table: Html): Html {
  return html`<div class="scroll" role="group" aria-label="${name}" tabindex="0">${table}</div>`;
}

/**
 * A time in UTC. The script shows the time relative to now; the title of the element is then the exact time
 * in the viewer's time zone.
 */
export function timeElement(at: Date | string | undefined): Html {
  if (at === undefined) return html`–`;
  const text = typeof at === 'string' ? at : at.toISOString();
  return html`<time datetime="${text}">${text.slice(0, 19).replace('T', ' ')} UTC</time>`;
}

/** A status, in words and in colour. */
export function status(word: string): Html {
  return html`<span class="status ${word}">${word}</span>`;
}

/** A duration in words. */
export function formatDuration(from: Date | undefined, to: Date | undefined): string {
  if (from === undefined || to === undefined) return '–';
  return durationInWords(to.getTime() - from.getTime());
}
