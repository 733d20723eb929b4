import { assetUrl } from './assets.ts';
import { html, type Html } from './html.ts';

/** Who looks at a page; nobody before they have signed in. */
export interface Viewer {
  name: string;
  /** Proves to our own actions that a page of ours sent a form. */
  csrfToken: string;
}

interface Document {
  title: string;
  viewer?: Viewer | undefined;
  /** From the outside to the inside, without the page itself. */
  above?: { name: string; url: string }[];
  main: Html;
  /** Nobody looks, and may sign in: the path of the page, to come back to. */
  signIn?: string | undefined;
  /** Path of the events that the page follows. */
  events?: string;
}

/** Every page: skip link, landmarks, one heading of the first rank in `main`. */
export function layout({ title, viewer, above = [], main, events, signIn }: Document): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title} · Millrace</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${assetUrl('page.css')}">
${(events !== undefined || viewer !== undefined) && html`<script type="module" src="${assetUrl('live.js')}"></script>`}
</head>
<body${events !== undefined && html` data-events="${events}"`}>
<a class="skip" href="#main">Skip to the content</a>
<header>
<p class="name"><a href="/teams">Millrace</a></p>
${
  viewer !== undefined &&
  html`<nav aria-label="Account">
    <ul>
      ${account(viewer)}
    </ul>
  </nav>`
}${
    viewer === undefined &&
    signIn !== undefined &&
    html`<nav aria-label="Account">
      <ul>
        <li><a href="/auth/login?return_to=${encodeURIComponent(signIn)}">Sign in</a></li>
      </ul>
    </nav>`
  }
</header>
${above.length > 0 && breadcrumbs(above, title)}
<main id="main" tabindex="-1">
${main}
</main>
<footer><p><a href="/openapi">The API</a></p></footer>
</body>
</html>
`;
}

function account(viewer: Viewer): Html {
  return html`<li><a href="/profile">${viewer.name}</a></li>
    <li>${action({ url: '/auth/logout', viewer, label: 'Log out', quiet: true })}</li>`;
}

function breadcrumbs(above: { name: string; url: string }[], title: string): Html {
  return html`<nav aria-label="Where this is" class="where">
    <ol>
      ${above.map(({ name, url }) => html`<li><a href="${url}">${name}</a></li>`)}
      <li aria-current="page">${title}</li>
    </ol>
  </nav>`;
}

/**
 * A form of one button. `about` is read instead of the label where several buttons of a page have the same.
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

/**
 * What went wrong, told first, and read out at once; fields that it is about name it as what describes them.
 */
export function alert(message: string | undefined): Html {
  return message === undefined ? html`` : html`<p role="alert" class="alert" id="problem">${message}</p>`;
}

/** Of a field that `alert` is about. */
export function describedBy(problem: string | undefined): Html {
  return problem === undefined ? html`` : html` aria-describedby="problem"`;
}

/** A table that may be wider than a phone: the keyboard moves what nothing inside can be pressed of, too. */
export function scrolling(name: string, table: Html): Html {
  return html`<div class="scroll" role="group" aria-label="${name}" tabindex="0">${table}</div>`;
}

/** A moment, in the words of the machine; the script writes it as the reader's own clock has it. */
export function timeElement(at: Date | string | undefined): Html {
  if (at === undefined) return html`–`;
  const text = typeof at === 'string' ? at : at.toISOString();
  return html`<time datetime="${text}">${text.slice(0, 19).replace('T', ' ')} UTC</time>`;
}

/** In words and in colour. */
export function status(word: string): Html {
  return html`<span class="status ${word}">${word}</span>`;
}

/** From start to end, as one would say it. */
export function formatDuration(from: Date | undefined, to: Date | undefined): string {
  if (from === undefined || to === undefined) return '–';
  const seconds = Math.max(0, Math.round((to.getTime() - from.getTime()) / 1000));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}
