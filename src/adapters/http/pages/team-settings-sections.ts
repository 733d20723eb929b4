import type { WorkerNodes } from '#domain/planning/worker-nodes.ts';
import { retentionOf } from '#domain/retention/decide-retention.ts';
import type { TeamView } from '#flows/people/ports.ts';
import type { TeamLimitsAndUsage, TeamUseLimits } from '#flows/people/team-use-ports.ts';
import { formatBytes, secondsInWords } from './amounts.ts';
import { htmlTable } from './data-table.ts';
import { textField, type FormState } from './form-fields.ts';
import { html, type Html } from './html.ts';
import { action, csrfField, scrolling, timeElement, type Viewer } from './layout.ts';
import { settingsPath } from './settings-layout.ts';
import { managedNote } from './team-members-sections.ts';
import { shellsSection } from './team-shells.ts';

interface GeneralParts {
  team: TeamView;
  use: TeamLimitsAndUsage;
  viewer: Viewer | undefined;
  mayChange: boolean;
  state: FormState;
}

export function generalMain(parts: GeneralParts): Html {
  const { team, use } = parts;
  return html`<dl>
      <dt>Name</dt>
      <dd>${team.name}</dd>
      <dt>Namespace</dt>
      <dd><span class="code">${use.namespace}</span></dd>
      <dt>Created</dt>
      <dd>${timeElement(use.createdAt)}</dd>
      <dt>Managed by</dt>
      <dd>
        ${team.byApi ? 'the API and these pages' : html`the Team object <code>${team.name}</code> of a manifest`}
      </dd>
    </dl>
    <p class="help">
      Scripts use an <a href="/profile#tokens">API token for this team</a> from your profile.
    </p>
    ${displayNameSection(parts)} ${usageSection(use)} ${limitsSection(use.limits, team.name)}
    ${workersSection(use.workers)} ${shellsSection(parts)} ${deleteSection(parts)}`;
}

function displayNameSection({ team, viewer, mayChange, state }: GeneralParts): Html {
  if (team.byManifest.includes('display_name'))
    return mayChange ? managedNote(team.name, 'display name', 'spec.displayName') : html``;
  if (!mayChange) return html``;
  return html`<section aria-labelledby="display-name-title">
    <h2 id="display-name-title">Display name</h2>
    <form method="post" action="${settingsPath(team.name)}/settings" class="team-form">
      ${csrfField(viewer)}
      ${textField({
        id: 'display-name',
        name: 'display_name',
        label: 'Display name',
        help: 'Shown instead of the name. Empty: the name is shown.',
        state,
        preset: team.displayName,
        maxLength: 100,
      })}
      <button type="submit">Save</button>
    </form>
  </section>`;
}

function usageSection({ usage, limits }: TeamLimitsAndUsage): Html {
  const { runningBuilds: maxRunningBuilds } = limits;
  const rows = [
    [
      'Running builds',
      String(usage.runningBuilds),
      maxRunningBuilds === undefined ? 'only the quota of the namespace' : String(maxRunningBuilds),
    ],
    ['Queued builds', String(usage.queuedBuilds), '–'],
    ['Builds that wait for an approval', String(usage.waitingBuilds), '–'],
    ['Stored logs', formatBytes(usage.logBytes), '–'],
    ['Caches', usage.caches === 0 ? '0' : `${usage.caches}, ${formatBytes(usage.cacheBytes)}`, '–'],
    ['Warm Pods', String(usage.warmPods), '–'],
  ] as const;
  return html`<section aria-labelledby="use">
    <h2 id="use">Use</h2>
    <div class="team-figures">
      ${scrolling(
        'Use',
        htmlTable(rows, [
          { title: 'What', cell: ([name]) => name },
          { title: 'Now', cell: ([, now]) => now },
          { title: 'Limit', cell: ([, , limit]) => limit },
        ]),
      )}
    </div>
  </section>`;
}

const DEFAULT = 'as the installation sets';

function limitsSection(
  { defaultTimeoutSeconds, buildLogBytes, retention = {} }: TeamUseLimits,
  team: string,
): Html {
  const { builds, days, minimumSucceeded } = retentionOf(retention);
  return html`<section aria-labelledby="limits">
    <h2 id="limits">Limits and defaults</h2>
    <dl>
      <dt>Timeout of a build whose job sets none</dt>
      <dd>${defaultTimeoutSeconds === undefined ? DEFAULT : secondsInWords(defaultTimeoutSeconds)}</dd>
      <dt>Log of one build</dt>
      <dd>${buildLogBytes === undefined ? DEFAULT : formatBytes(buildLogBytes)}</dd>
      <dt>History of each job</dt>
      <dd>${builds} builds, ${days} days; the newest ${minimumSucceeded} that succeeded stay</dd>
    </dl>
    <p class="help">
      Limits and defaults are fields of the Team object. Show it with
      <code>kubectl get teams.millrace.dev ${team} -o yaml</code>.
    </p>
  </section>`;
}

/** How many nodes each tag has. A build waits while its tag has none. */
function workersSection(workers: readonly WorkerNodes[] | undefined): Html {
  if (workers === undefined) return html``;
  return html`<section aria-labelledby="workers">
    <h2 id="workers">Workers</h2>
    <p class="help">
      Nodes that are ready and not cordoned. The Team object sets the tags of the team, with
      <code>spec.workers</code> and <code>spec.allowedTags</code>.
    </p>
    <div class="team-figures">
      ${scrolling(
        'Workers',
        htmlTable(workers, [
          {
            title: 'Jobs',
            cell: ({ tag }) => (tag === undefined ? 'without tags' : html`<code>${tag}</code>`),
          },
          { title: 'Run on nodes with', cell: ({ nodeSelector }) => selectorText(nodeSelector) },
          { title: 'Nodes', cell: ({ nodes }) => (nodes === 0 ? 'none: builds wait' : String(nodes)) },
        ]),
      )}
    </div>
  </section>`;
}

function selectorText(nodeSelector: Record<string, string>): Html | string {
  const labels = Object.entries(nodeSelector).map(([label, value]) => `${label}=${value}`);
  return labels.length === 0 ? 'any label, without taints' : html`<code>${labels.join(', ')}</code>`;
}

function deleteSection({ team, viewer, mayChange }: GeneralParts): Html {
  if (!mayChange) return html``;
  return html`<section aria-labelledby="delete">
    <h2 id="delete">Delete this team</h2>
    ${
      team.byApi
        ? html`<p>You can delete a team that has no pipelines.</p>
            ${action({ url: `${settingsPath(team.name)}/delete`, viewer, label: 'Delete team…', quiet: true })}`
        : html`<p class="team-note">
            A manifest created this team. Delete the Team object <code>${team.name}</code> where your
            cluster's manifests are kept.
          </p>`
    }
  </section>`;
}
