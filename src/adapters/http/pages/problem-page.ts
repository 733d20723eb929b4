import { STATUS_CODES } from 'node:http';
import { html, type Html } from './html.ts';
import { layout, type Viewer } from './layout.ts';

const TITLES: Record<number, string> = {
  403: 'You may not do this',
  404: 'Not found',
  409: 'This is not possible now',
  429: 'Too many requests',
  500: 'Something went wrong in Millrace',
  503: 'Millrace is not available now',
};

const BACK_LABELS: Record<string, string> = { '/teams': 'To your teams', '/profile': 'Back to your profile' };

/** A page with the text of a problem and a link back. */
export function problemPage(problem: {
  status: number;
  title?: string;
  detail: string | undefined;
  viewer?: Viewer | undefined;
  back?: string;
  /** The path of the link that tries again. Absent if the failure is not temporary. */
  again?: string | undefined;
  /** Id of the request, as in the log. */
  request?: string;
}): Html {
  const { status, detail, viewer, back = '/teams', again, request } = problem;
  const title = TITLES[status] ?? problem.title ?? STATUS_CODES[status] ?? 'Something went wrong';
  return layout({
    title,
    viewer,
    main: html`<div class="narrow">
      <h1>${title}</h1>
      <p role="alert">${detail}</p>
      ${request !== undefined && html`<p class="help">${status} · request <span class="code">${request}</span></p>`}
      <div class="actions">
        ${again !== undefined && html`<a class="button" href="${again}">Try again</a>`}
        <a class="button${again !== undefined && ' quiet'}" href="${back}">${BACK_LABELS[back] ?? 'Back'}</a>
      </div>
    </div>`,
  });
}
