import { roleIncludes, type Role } from '#domain/access/roles.ts';
import { html, type Html } from './html.ts';
import { paths } from './paths.ts';

/* What people do next if an overview is empty. */

const COMMANDS_FOR_TEAM = `kubectl create namespace shop && kubectl label namespace shop millrace.dev/team=shop
echo '{"apiVersion":"millrace.dev/v1alpha1","kind":"Team","metadata":{"name":"shop"},"spec":{}}' | kubectl apply -f -`;

/** What an overview shows to people who are in no team. */
export function noTeam(username: string, globalAdmin: boolean): Html {
  return globalAdmin
    ? html`<div class="overview-empty">
        <p>
          There is no team yet. <a href="/admin/teams">Create a team</a>, or create the team shop with
          kubectl:
        </p>
        ${commands('Commands', COMMANDS_FOR_TEAM)}
        <p class="overview-hint">${guide('docs/how-to/teams.md')} explains members and roles.</p>
      </div>`
    : html`<div class="overview-empty">
        <p>
          You are in no team yet. Ask an admin of a team to add you in its settings, or with this command:
        </p>
        ${commands('Command', `millrace members set ${username} --role write --team TEAM`)}
        <p class="overview-hint">Then reload this page.</p>
      </div>`;
}

/** A minimal pipeline that runs a command. A test compiles it. */
export const FIRST_PIPELINE = `job "greet" {
  task "say" {
    run "shell" {
      cmd = "echo Hello"
    }
  }
}`;

interface EmptyTeam {
  team: string;
  namespace: string;
  role: Role | undefined;
  hidden: boolean;
}

/** What an overview shows for a team without pipelines. The script of the page shows or hides it. */
export function noPipelines({ team, namespace, role, hidden }: EmptyTeam): Html {
  return html`<div class="overview-empty" id="overview-empty" ${hidden && html` hidden`}>
    <p>
      This team has no pipelines
      yet.${
        roleIncludes(role, 'maintain') &&
        html` <a href="${paths.newPipeline(team)}">Create one in the browser</a>, or apply a manifest:`
      }
    </p>
    ${commands('Command', manifestOf(namespace))}
    <p class="overview-hint">${guide('docs/how-to/first-pipeline.md')} explains more.</p>
  </div>`;
}

function manifestOf(namespace: string): string {
  return `kubectl apply -f - <<'END'
apiVersion: millrace.dev/v1alpha1
kind: Pipeline
metadata: { name: hello, namespace: ${namespace} }
spec:
  config: |
${FIRST_PIPELINE.replaceAll(/^/gm, '    ')}
END`;
}

/**
 * Commands to copy. They may be wider than a phone, so the element takes the focus and the keyboard can
 * scroll it.
 */
function commands(label: string, text: string): Html {
  return html`<pre class="overview-commands" role="group" aria-label="${label}" tabindex="0">${text}</pre>`;
}

const guide = (path: string): Html => html`<span class="code">${path}</span> in the source repository`;
