import type { AccessPorts } from '#adapters/http/api/access-ports.ts';
import { TeamParams } from '#adapters/http/api/schemas.ts';
import type { PageRoute } from '#adapters/http/server/route.ts';
import type { TeamView } from '#flows/people/ports.ts';
import { callApi } from './call-api.ts';
import { html, type Html } from './html.ts';
import { action, type Viewer } from './layout.ts';
import { form, viewerOf } from './page.ts';
import { problemPage } from './problem-page.ts';
import { settingsPath } from './settings-layout.ts';
import { managedNote } from './team-members-sections.ts';

interface ShellsParts {
  team: TeamView;
  viewer: Viewer | undefined;
  mayChange: boolean;
}

/** Whether members may open shells in running steps, with the button that changes it. */
export function shellsSection({ team, viewer, mayChange }: ShellsParts): Html {
  const [state, label] = team.debug ? ['allowed', 'Forbid shells'] : ['not allowed', 'Allow shells'];
  return html`<section aria-labelledby="shells">
    <h2 id="shells">Shells in running steps</h2>
    <p>Shells are ${state}.</p>
    <p class="help">
      If they are allowed, members with the role maintain can open one with <code>millrace debug</code>. A
      shell has the secrets of its step. The audit log records each.
    </p>
    ${team.byManifest.includes('debug') && mayChange && managedNote(team.name, 'permission', 'spec.debug')}
    ${
      mayChange &&
      !team.byManifest.includes('debug') &&
      action({
        url: `${settingsPath(team.name)}/settings/shells`,
        viewer,
        label,
        quiet: true,
        fields: html`<input type="hidden" name="debug" value="${team.debug ? 'no' : 'yes'}" />`,
      })
    }
  </section>`;
}

export function shellsForm({ codec }: AccessPorts): PageRoute {
  return form({
    url: '/teams/:team/settings/shells',
    calls: { method: 'PUT', url: '/teams/:team' },
    params: TeamParams,
    answer: async ({ params: { team = '' }, fields, request }) => {
      const { status, problem } = await callApi(request, {
        method: 'PUT',
        url: settingsPath(team),
        body: { debug: fields['debug'] === 'yes' },
        csrfToken: fields['csrf_token'],
      });
      const settings = `${settingsPath(team)}/settings`;
      if (problem === undefined) return { to: settings };
      const viewer = viewerOf(request, codec);
      return { status, page: problemPage({ status, detail: problem, viewer, back: settings }) };
    },
  });
}
