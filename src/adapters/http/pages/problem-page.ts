import { STATUS_CODES } from 'node:http';
import { html, type Html } from './html.ts';
import { layout, type Viewer } from './layout.ts';

const TITLES: Record<number, string> = {
  403: 'You may not do this',
  404: 'There is nothing here',
  409: 'It cannot be done now',
  429: 'Too much at a time',
  500: 'Something went wrong on our side',
  503: 'We cannot answer now',
};

const BACK: Record<string, string> = { '/teams': 'To your teams', '/profile': 'Back to your profile' };

/** What went wrong, in the words of the API, and a way back. */
export function problemPage(problem: {
  status: number;
  title?: string;
  detail: string | undefined;
  viewer?: Viewer | undefined;
  back?: string;
  /** Path of a page that may well be there a little later. */
  again?: string | undefined;
  /** Id of the request, as the log has it. */
  request?: string;
}): Html {
  const { status, detail, viewer, back = '/teams', again, request } = problem;
  const title = TITLES[status] ?? problem.title ?? STATUS_CODES[status] ?? 'It did not work';
  return layout({
    title,
    viewer,
    main: html`<div class="narrow">
      <h1>${title}</h1>
      <p role="alert">${detail}</p>
      ${request !== undefined && html`<p class="help">${status} · request <span class="code">${request}</span></p>`}
      <div class="actions">
        ${again !== undefined && html`<a class="button" href="${again}">Try again</a>`}
        <a class="button${again !== undefined && ' quiet'}" href="${back}">${BACK[back] ?? 'Back'}</a>
      </div>
    </div>`,
  });
}
