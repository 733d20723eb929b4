import type { AccessPorts } from '#adapters/http/api/access-ports.ts';
import { nameResource } from '#adapters/http/api/checks.ts';
import { requireFound } from '#adapters/http/api/found.ts';
import type { PipelinePorts } from '#adapters/http/api/pipeline-ports.ts';
import { ResourceParams } from '#adapters/http/api/schemas.ts';
import type { PageRoute } from '#adapters/http/server/route.ts';
import type { ResourceName } from '#flows/names.ts';
import type { ResourceView } from '#flows/views/ports.ts';
import { checkSection } from './check-section.ts';
import { html, type Html } from './html.ts';
import { action, csrfField, layout, timeElement } from './layout.ts';
import { page } from './page.ts';
import { cursor, PER_PAGE } from './paging.ts';
import { breadcrumbs, namesFromParams, paths } from './paths.ts';
import { publicResourcePage } from './public-list-pages.ts';
import { isManaged, searchedText, versionSection } from './version-list.ts';
import { may, teamViewerOf, type TeamViewer } from './viewer.ts';
import { webhookSection } from './webhook-section.ts';

/**
 * The page of a resource: its versions and the builds that used them, its checks, and the URL for its
 * webhook.
 */
export function resourcePage(
  { views, publicViews, webhooks }: PipelinePorts,
  { codec, externalUrl }: AccessPorts,
): PageRoute {
  return page({
    url: '/teams/:team/pipelines/:pipeline/resources/:resource',
    params: ResourceParams,
    forPublic: publicResourcePage(publicViews, codec),
    answer: async ({ params, query, request }) => {
      const { team, pipeline } = namesFromParams(params);
      const name = { team, pipeline, resource: params['resource'] ?? '' };
      const start = cursor(query['before']);
      const search = searchedText(query['text']);
      const [view, listed, check] = await Promise.all([
        views.resource(name),
        views.versions(name, { limit: PER_PAGE, ...start, ...search }),
        views.check(name),
      ]);
      const resource = requireFound(view, nameResource(name));
      const versions = requireFound(listed, nameResource(name));
      const uses = await views.versionUses(
        name,
        versions.rows.map(({ id }) => id),
      );
      const teamViewer = teamViewerOf(request, codec, team);
      const url = paths.resource(name);
      return layout({
        title: name.resource,
        viewer: teamViewer.viewer,
        breadcrumbs: breadcrumbs(name),
        events: `${paths.pipeline(name)}/events`,
        script: 'resource-page.js',
        main: html`<h1>${name.resource}</h1>
          <div id="live">
            ${pinBanner(url, resource, teamViewer)} ${resourceActions(name, teamViewer)}
            ${check !== undefined && checkSection(resource, check)}
            ${versionSection({
              name,
              resource,
              versions,
              uses,
              text: search.text,
              isOlderPage: start.before !== undefined,
              teamViewer,
            })}
          </div>
          ${webhookSection({
            url,
            base: externalUrl ?? `${request.protocol}://${request.host}`,
            resource,
            webhooks,
            shown: query['webhook'] === 'shown',
            teamViewer,
          })}`,
      });
    },
  });
}

/** Says who holds the resource at which version, since when and why. */
function pinBanner(url: string, { pinned, pinnedAt }: ResourceView, teamViewer: TeamViewer): Html {
  if (pinned === undefined) return html``;
  const { version, by, comment } = pinned;
  const isManagedPin = isManaged(pinned);
  return html`<section class="resource-pinned" aria-label="Pin">
    <p>
      <strong
        >Pinned
        ${version === undefined ? 'to a version that no check has found' : versionLink(version)}</strong
      >
      by ${isManagedPin ? 'the Pipeline object (spec.pins)' : by}
      ${pinnedAt !== undefined && html`<span class="help">${timeElement(pinnedAt)}</span>`}
    </p>
    ${comment !== undefined && html`<p class="resource-comment">${comment}</p>`}
    ${!isManagedPin && may(teamViewer, 'write') && pinActions(url, pinned, teamViewer)}
  </section>`;
}

const versionLink = (version: number): Html => html`to <a href="#version-${version}">version ${version}</a>`;

function pinActions(
  url: string,
  { version, comment }: NonNullable<ResourceView['pinned']>,
  { viewer }: TeamViewer,
): Html {
  return html`<div class="actions">
    ${action({ url: `${url}/unpin`, viewer, label: 'Unpin' })}
    ${
      version !== undefined &&
      html`<form method="post" action="${url}/pin" class="action">
        ${csrfField(viewer)}
        <input type="hidden" name="version_id" value="${version}" />
        <input
          name="comment"
          aria-label="Comment"
          placeholder="Why"
          value="${comment}"
          maxlength="500"
          autocomplete="off"
        />
        <button type="submit" class="quiet">Save the comment</button>
      </form>`
    }
  </div>`;
}

function resourceActions(name: ResourceName, teamViewer: TeamViewer): Html {
  const stream = /^trigger\.(.+)$/.exec(name.resource)?.[1];
  const { viewer } = teamViewer;
  const url = paths.resource(name);
  return html`<div class="actions">
    ${may(teamViewer, 'write') && action({ url: `${url}/check`, viewer, label: 'Check now' })}
    ${stream !== undefined && html`<a href="${paths.trigger(name.team, stream)}">Events of all pipelines</a>`}
  </div>`;
}
