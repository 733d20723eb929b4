import { MAX_STORED_SECRET_BYTES } from '#domain/access/stored-secret.ts';
import type { SecretScope, StoredSecret } from '#flows/pipelines/secret-ports.ts';
import { htmlTable, type Column } from './data-table.ts';
import { formProblem, selectField, textField, type FormState } from './form-fields.ts';
import { html, type Html } from './html.ts';
import { action, csrfField, scrolling, timeElement, type Viewer } from './layout.ts';

interface SecretsParts {
  scope: SecretScope;
  path: string;
  secrets: readonly StoredSecret[];
  /**
   * The pipelines of the team, each with the URL of the page of its secrets. Empty on the page of a pipeline.
   */
  pipelines: readonly { name: string; url: string }[];
  viewer: Viewer | undefined;
  mayChange: boolean;
  state: FormState;
}

export function secretsMain(parts: SecretsParts): Html {
  const { scope, secrets, mayChange } = parts;
  const explanation =
    scope.pipeline === undefined
      ? 'Each pipeline of the team can use these values. A secret of a pipeline with the same name takes precedence.'
      : 'Only this pipeline can use these values. They take precedence over those of the team.';
  return html`<p>
      ${explanation} Values of the kind <code>secret</code> are stored encrypted, masked in logs, and never
      shown again. A pipeline reads a value with a <code>secret</code> block of the type <code>store</code>.
    </p>
    ${secrets.length === 0 ? html`<p>No secrets are stored here yet.</p>` : secretTable(parts)}
    ${mayChange && setSecretForm(parts)} ${pipelineLinks(parts)}`;
}

function secretTable({ path, secrets, viewer, mayChange }: SecretsParts): Html {
  const buttons: Column<StoredSecret>[] = mayChange
    ? [
        {
          title: 'Delete',
          titleHidden: true,
          cell: ({ name }) =>
            action({
              url: `${path}/${encodeURIComponent(name)}/delete`,
              viewer,
              label: 'Delete',
              about: `Delete ${name}`,
            }),
        },
      ]
    : [];
  return scrolling(
    'Secrets',
    htmlTable(secrets, [
      { title: 'Name', cell: ({ name }) => html`<span class="code">${name}</span>` },
      {
        title: 'Value',
        cell: ({ kind, value }) =>
          kind === 'plain'
            ? html`<span class="code team-value">${value}</span>`
            : html`<span class="tag">secret</span>`,
      },
      { title: 'Changed', cell: ({ updatedAt }) => timeElement(updatedAt) },
      { title: 'By', cell: ({ updatedBy }) => updatedBy },
      ...buttons,
    ]),
  );
}

const KINDS = [
  { value: 'secret', label: 'secret: encrypted, masked in logs, never shown' },
  { value: 'plain', label: 'plain: members see it, and logs show it' },
];

function setSecretForm({ path, viewer, state }: SecretsParts): Html {
  return html`<section aria-labelledby="set-secret">
    <h2 id="set-secret">Set a secret</h2>
    <form method="post" action="${path}" class="team-form">
      ${csrfField(viewer)} ${formProblem(state)}
      ${textField({
        id: 'secret-name',
        name: 'name',
        label: 'Name',
        help: 'If the name is stored already, the new value replaces the old one.',
        state,
        required: true,
        maxLength: 128,
      })}
      ${textField({
        id: 'secret-value',
        name: 'value',
        label: 'Value',
        help: 'One or more lines, up to 64 KiB. After a refusal, enter it again: no page sends it back.',
        state,
        secret: true,
        lines: 4,
        maxLength: MAX_STORED_SECRET_BYTES,
      })}
      ${selectField({ id: 'secret-kind', name: 'kind', label: 'Kind', state, choices: KINDS })}
      <button type="submit">Set secret</button>
    </form>
  </section>`;
}

function pipelineLinks({ scope, pipelines }: SecretsParts): Html {
  if (scope.pipeline !== undefined || pipelines.length === 0) return html``;
  return html`<section aria-labelledby="of-pipelines">
    <h2 id="of-pipelines">Secrets of one pipeline</h2>
    <ul class="rows">
      ${pipelines.map(({ name, url }) => html`<li><a href="${url}">${name}</a></li>`)}
    </ul>
  </section>`;
}
