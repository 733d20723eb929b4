import type { TSchema } from 'typebox';
import type { AccessPorts } from '#adapters/http/api/access-ports.ts';
import type { PageRoute } from '#adapters/http/server/route.ts';
import { defined } from '#defined';
import { callApi } from './call-api.ts';
import { html, type Html } from './html.ts';
import { alert, csrfField, layout, type Viewer } from './layout.ts';
import { form, viewerOf } from './page.ts';

type Params = Readonly<Record<string, string | undefined>>;

interface Confirmation {
  /** The question, which is the title of the page. */
  title: string;
  /** What happens if the person confirms. */
  consequence: string;
  /** The label of the button that confirms. */
  button: string;
  /** The page to return to. */
  back: string;
}

interface ConfirmedParts {
  url: string;
  calls: { method: 'DELETE'; url: string };
  params: TSchema;
  ask: (params: Params) => Confirmation;
  /** Returns the path to go to after the action. `user` is the name of the person who did it. */
  to: (params: Params, user: string | undefined) => string;
}

/**
 * A form for an action that cannot be undone. The first response is a page that says what will happen. The
 * button on that page sends the form again, with the field `confirmed`. This works without scripts.
 */
export function confirmedForm({ codec }: AccessPorts, parts: ConfirmedParts): PageRoute {
  const { url, calls, params, ask, to } = parts;
  return form({
    url,
    calls,
    params,
    answer: async ({ params: pathParams, fields, request }) => {
      const viewer = viewerOf(request, codec);
      const [action = ''] = request.url.split('?');
      const question = { ...ask(pathParams), action, viewer };
      if (fields['confirmed'] !== 'yes') return confirmPage(question);
      const { status, problem, cookies } = await callApi(request, {
        method: calls.method,
        url: fillPath(calls.url, pathParams),
        csrfToken: fields['csrf_token'],
      });
      if (problem === undefined) return { to: to(pathParams, request.identity?.user), cookies };
      return { status, page: confirmPage({ ...question, problem }) };
    },
  });
}

/** Fills the parameters into the path of a route. */
export function fillPath(url: string, params: Params): string {
  return url.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}

function confirmPage(
  parts: Confirmation & { action: string; viewer: Viewer | undefined; problem?: string },
): Html {
  const { title, consequence, button, back, action, viewer, problem } = parts;
  return layout({
    title,
    ...defined({ viewer }),
    main: html`<div class="narrow">
      <h1>${title}</h1>
      ${alert(problem)}
      <p>${consequence}</p>
      <form method="post" action="${action}" class="actions">
        ${csrfField(viewer)}<input type="hidden" name="confirmed" value="yes" />
        <button type="submit" class="team-danger">${button}</button>
        <a class="button quiet" href="${back}">Cancel</a>
      </form>
    </div>`,
  });
}
