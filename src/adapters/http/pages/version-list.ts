import { MAX_VERSION_SEARCH_CHARACTERS } from '#adapters/http/api/resources.ts';
import type { ResourceName } from '#flows/names.ts';
import type { Listed } from '#flows/page.ts';
import type { ResourceView, VersionView } from '#flows/views/ports.ts';
import type { UsingBuild, VersionUse } from '#flows/views/use-ports.ts';
import { html, joined, type Html } from './html.ts';
import { action, csrfField, status, timeElement } from './layout.ts';
import { outsideFields } from './outside-text.ts';
import { paths } from './paths.ts';
import { may, type TeamViewer } from './viewer.ts';

/** What one list of versions shows. */
export interface ShownVersions {
  name: ResourceName;
  resource: ResourceView;
  versions: Listed<VersionView>;
  uses: readonly VersionUse[];
  /** The text that all listed versions contain. Undefined: the list is not filtered. */
  text: string | undefined;
  /** Whether the list does not begin with the newest version. */
  isOlderPage: boolean;
  teamViewer: TeamViewer;
}

/** The search text from a URL, in a form that the API accepts. */
export function searchedText(text: string | undefined): { text?: string } {
  const search = (text ?? '').replaceAll('\0', '').trim().slice(0, MAX_VERSION_SEARCH_CHARACTERS);
  return search === '' ? {} : { text: search };
}

/** The versions of a resource, newest first, with a search form. */
export function versionSection(parts: ShownVersions): Html {
  const { name, text, resource } = parts;
  return html`<section aria-labelledby="versions-title">
    <h2 id="versions-title">Versions</h2>
    <form method="get" action="${paths.resource(name)}" class="resource-filter" role="search">
      <label for="version-text">Find versions with this text</label>
      <input
        type="search"
        id="version-text"
        name="text"
        value="${text}"
        maxlength="${MAX_VERSION_SEARCH_CHARACTERS}"
        autocomplete="off"
      />
      <button type="submit" class="quiet">Find</button>
    </form>
    ${
      resource.omitted !== undefined &&
      html`<p class="help">The last check left out ${resource.omitted} older versions.</p>`
    }
    <div id="versions">${versionList(parts)}</div>
  </section>`;
}

function versionList(parts: ShownVersions): Html {
  const { name, versions, uses, text, isOlderPage } = parts;
  const { rows, hasMore } = versions;
  const last = rows.at(-1)?.id;
  const url = paths.resource(name);
  return html`${rows.length === 0 && html`<p>${noVersionsText(parts)}</p>`}
    <ol class="resource-versions">
      ${rows.map((version) => versionItem(version, useOf(uses, version.id), parts))}
    </ol>
    <p class="resource-pages">
      ${isOlderPage && html`<a href="${withQuery(url, { text })}">Newest versions</a>`}
      ${hasMore && html`<a href="${withQuery(url, { text, before: String(last) })}">Older versions</a>`}
    </p>`;
}

function noVersionsText({ text, isOlderPage }: ShownVersions): string {
  if (text !== undefined)
    return `No version has "${text}" in a field. Only the newest 10,000 versions are searched.`;
  return isOlderPage ? 'No older versions.' : 'No versions yet. A check finds them.';
}

function withQuery(url: string, query: Readonly<Record<string, string | undefined>>): string {
  const parameters = Object.entries(query).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return parameters.length === 0 ? url : `${url}?${String(new URLSearchParams(parameters))}`;
}

const useOf = (uses: readonly VersionUse[], id: number): VersionUse =>
  uses.find(({ version }) => version === id) ?? { version: id, builds: [], metadata: [] };

function versionItem(version: VersionView, use: VersionUse, parts: ShownVersions): Html {
  const { id, fields, createdAt, disabled, disabledBy } = version;
  const { name, resource, teamViewer } = parts;
  const pinned = resource.pinned?.version === id;
  const { metadata } = use;
  return html`<li id="version-${id}" class="resource-version${pinned && ' pinned'}${disabled && ' disabled'}">
    <div class="resource-version-head">
      <h3>Version ${id}</h3>
      ${pinned && html`<span class="tag pinned">pinned</span>`}
      ${disabled && html`<span class="tag">disabled${disabledBy !== undefined && ` by ${disabledBy}`}</span>`}
      <span class="help">found ${timeElement(createdAt)}</span>
      ${renderUses(name, use)}
    </div>
    ${outsideFields(Object.entries(fields))}
    ${metadata.length > 0 && outsideFields(metadata.map((entry) => [entry.name, entry.value]))}
    ${may(teamViewer, 'write') && versionActions(version, parts)}
  </li>`;
}

function renderUses(name: ResourceName, { madeBy, builds, version }: VersionUse): Html {
  const path = paths.versionPath(name, version);
  return html`<span class="resource-uses">
    ${madeBy !== undefined && html`<span class="help">made by</span> ${usingBuild(name, madeBy)}`}
    <span class="help">${builds.length === 0 ? 'not used yet' : 'used by'}</span>
    ${joined(builds.map((build) => usingBuild(name, build)))}
    <a href="${path}" aria-label="${`Path of version ${version} through the jobs`}">Path</a>
  </span>`;
}

function usingBuild(
  { team, pipeline }: ResourceName,
  { job, number, status: currentStatus }: UsingBuild,
): Html {
  return html`<span class="resource-use"
    ><a href="${paths.build({ team, pipeline, job, number })}">${job} ${number}</a>
    ${status(currentStatus)}</span
  > `;
}

/** What a member with the role `write` may do with a version. */
function versionActions({ id, disabled }: VersionView, { name, resource, teamViewer }: ShownVersions): Html {
  const url = paths.resource(name);
  const { viewer } = teamViewer;
  const actionUrl = (verb: string) => `${url}/versions/${id}/${verb}`;
  const { pinned } = resource;
  const toggle = disabled
    ? action({
        url: actionUrl('enable'),
        viewer,
        label: 'Enable',
        about: `Enable version ${id}`,
        quiet: true,
      })
    : action({
        url: actionUrl('disable'),
        viewer,
        label: 'Disable',
        about: `Disable version ${id}`,
        quiet: true,
      });
  return html`<div class="resource-actions">
    ${!disabled && action({ url: actionUrl('trigger'), viewer, label: 'Trigger', about: `Trigger version ${id}`, quiet: true })}
    ${toggle} ${pinned?.version !== id && !isManaged(pinned) && pinForm(`${url}/pin`, id, teamViewer)}
  </div>`;
}

/** Whether the manifest pins the resource, so that people cannot change the pin. */
export function isManaged(pinned: ResourceView['pinned']): boolean {
  return pinned?.by === 'manifest';
}

function pinForm(url: string, id: number, { viewer }: TeamViewer): Html {
  return html`<details class="resource-pin">
    <summary aria-label="${`Pin version ${id}`}">Pin</summary>
    <form method="post" action="${url}" class="action">
      ${csrfField(viewer)}
      <input type="hidden" name="version_id" value="${id}" />
      <input
        name="comment"
        aria-label="Why"
        placeholder="Why (optional)"
        maxlength="500"
        autocomplete="off"
      />
      <button type="submit">Pin to version ${id}</button>
    </form>
  </details>`;
}
