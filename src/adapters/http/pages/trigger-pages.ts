import type { AccessPorts } from '#adapters/http/api/access-ports.ts';
import { requireFound } from '#adapters/http/api/found.ts';
import type { PipelinePorts } from '#adapters/http/api/pipeline-ports.ts';
import { TeamParams } from '#adapters/http/api/schemas.ts';
import { TriggerParams } from '#adapters/http/api/triggers.ts';
import type { PageRoute } from '#adapters/http/server/route.ts';
import type { EmittedEvent, TriggerStream } from '#flows/checks/trigger-stream-ports.ts';
import { callApi } from './call-api.ts';
import { htmlTable } from './data-table.ts';
import { html, joined, type Html } from './html.ts';
import { alert, csrfField, describedBy, layout, scrolling, timeElement } from './layout.ts';
import { outsideFields } from './outside-text.ts';
import { form, page, type PageRequest } from './page.ts';
import { cursor, older, PER_PAGE } from './paging.ts';
import { parseFields } from './parse-fields.ts';
import { paths, teamBreadcrumbs } from './paths.ts';
import { may, teamViewerOf, type TeamViewer } from './viewer.ts';

const TRIGGERS = '/teams/:team/triggers';

/** The pages of the trigger streams of a team and of their events, and the form that emits an event. */
export function triggerPages(ports: PipelinePorts, access: AccessPorts): PageRoute[] {
  return [streamsPage(ports, access), eventsPage(ports, access), emitForm(ports, access)];
}

/** What somebody sent, and why it was refused. */
interface RefusedEvent {
  name: string;
  fields: string;
  problem: string;
}

function streamsPage(ports: PipelinePorts, access: AccessPorts): PageRoute {
  return page({
    url: TRIGGERS,
    params: TeamParams,
    answer: async ({ params: { team = '' }, request }) =>
      await renderStreams(ports, access, { team, request }),
  });
}

async function renderStreams(
  { streams }: Pick<PipelinePorts, 'streams'>,
  { codec }: AccessPorts,
  { team, request, refused }: { team: string; request: PageRequest['request']; refused?: RefusedEvent },
): Promise<Html> {
  const triggerStreams = requireFound(await streams.streams(team), `Team ${team}`);
  const teamViewer = teamViewerOf(request, codec, team);
  return layout({
    title: 'Triggers',
    viewer: teamViewer.viewer,
    breadcrumbs: teamBreadcrumbs(team),
    main: html`<h1>Triggers</h1>
      ${alert(refused?.problem)}
      <p>
        An event of a trigger becomes a version in every pipeline of the team that declares
        <code>resource "trigger"</code> with its name.
      </p>
      ${triggerStreams.length === 0 ? html`<p>No pipeline of this team declares a trigger.</p>` : streamTable(team, triggerStreams)}
      ${triggerStreams.length > 0 && may(teamViewer, 'maintain') && emitSection(team, triggerStreams, { teamViewer, refused })}`,
  });
}

function streamTable(team: string, triggerStreams: readonly TriggerStream[]): Html {
  const table = htmlTable(triggerStreams, [
    {
      title: 'Trigger',
      cell: ({ trigger }) => html`<a href="${paths.trigger(team, trigger)}">${trigger}</a>`,
    },
    {
      title: 'Declared by',
      cell: ({ pipelines }) =>
        joined(
          pipelines.map((pipeline) => html`<a href="${paths.pipeline({ team, pipeline })}">${pipeline}</a>`),
          html`, `,
        ),
    },
    { title: 'Newest event', cell: ({ newest }) => (newest ? timeElement(newest.at) : 'none yet') },
    { title: 'Its fields', cell: ({ newest }) => newest && outsideFields(Object.entries(newest.version)) },
  ]);
  return scrolling('Triggers', table);
}

function emitSection(
  team: string,
  triggerStreams: readonly TriggerStream[],
  { teamViewer, refused }: { teamViewer: TeamViewer; refused: RefusedEvent | undefined },
): Html {
  return html`<section aria-labelledby="emit-title">
    <h2 id="emit-title">Emit an event</h2>
    <form method="post" action="${paths.triggers(team)}" class="job-start">
      ${csrfField(teamViewer.viewer)}
      <p>
        <label for="emit-name">Trigger</label>
        <select id="emit-name" name="name">
          ${triggerStreams.map(
            ({ trigger }) =>
              html`<option value="${trigger}" ${trigger === refused?.name && html` selected`}>
                ${trigger}
              </option>`,
          )}
        </select>
      </p>
      <p>
        <label for="emit-fields">Fields</label>
        <textarea
          id="emit-fields"
          name="fields"
          rows="4"
          maxlength="2000"
          placeholder="tag=v1.2.3"
          ${describedBy(refused?.problem)}
        >
${refused?.fields}</textarea>
        <span class="help">One <code>name=value</code> a line. Builds have them as variables.</span>
      </p>
      <p><button type="submit">Emit</button></p>
    </form>
  </section>`;
}

function emitForm(ports: PipelinePorts, access: AccessPorts): PageRoute {
  return form({
    url: TRIGGERS,
    params: TeamParams,
    answer: async ({ params: { team = '' }, fields: formFields, request }) => {
      const { name = '', fields = '' } = formFields;
      const parsed = parseFields(fields);
      const { status, problem, cookies } =
        'problem' in parsed
          ? { status: 400, problem: parsed.problem, cookies: [] }
          : await callApi(request, {
              method: 'POST',
              url: paths.triggers(team),
              csrfToken: formFields['csrf_token'],
              body: { name, version: parsed.fields },
            });
      if (problem === undefined) return { to: paths.trigger(team, name), cookies };
      const refused = { name, fields, problem };
      return { status, page: await renderStreams(ports, access, { team, request, refused }), cookies };
    },
  });
}

function eventsPage({ streams }: PipelinePorts, { codec }: AccessPorts): PageRoute {
  return page({
    url: `${TRIGGERS}/:trigger`,
    params: TriggerParams,
    answer: async ({ params: { team = '', trigger = '' }, query, request }) => {
      const pageQuery = { limit: PER_PAGE, ...cursor(query['before']) };
      const triggerText = `Trigger ${trigger} in team ${team}`;
      const events = requireFound(await streams.events({ team, trigger }, pageQuery), triggerText);
      return layout({
        title: trigger,
        viewer: teamViewerOf(request, codec, team).viewer,
        breadcrumbs: [...teamBreadcrumbs(team), { name: 'Triggers', url: paths.triggers(team) }],
        main: html`<h1>${trigger}</h1>
          ${events.rows.length === 0 ? html`<p>No events yet.</p>` : eventTable(events.rows)}
          ${older(events, paths.trigger(team, trigger), 'events')}`,
      });
    },
  });
}

function eventTable(events: readonly EmittedEvent[]): Html {
  const table = htmlTable(
    events,
    [
      { title: 'Event', cell: ({ id }) => id },
      { title: 'Emitted', cell: ({ at }) => timeElement(at) },
      { title: 'Fields', cell: ({ version }) => outsideFields(Object.entries(version)) },
    ],
    'Events, newest first',
  );
  return scrolling('Events', table);
}
