import type { BuildRef } from '#flows/names.ts';
import {
  MAX_CHANGES,
  type BuildChangesView,
  type BuildDetail,
  type InputChangesView,
} from '#flows/views/ports.ts';
import { html, type Html } from './html.ts';
import { timeElement } from './layout.ts';
import { paths } from './paths.ts';
import { versionFields } from './pipeline-page.ts';

/** The versions that a build took. */
export function inputs(ref: BuildRef, versions: BuildDetail['inputs']): Html {
  if (versions.length === 0) return html``;
  return html`<section aria-labelledby="inputs">
    <h2 id="inputs">Inputs</h2>
    <dl class="build-versions">
      ${versions.map(
        ({ name, resource, fields: version }) =>
          html`<dt>${name} <a href="${paths.resource({ ...ref, resource })}">${resource}</a></dt>
            <dd>${versionFields(version)}</dd>`,
      )}
    </dl>
  </section>`;
}

/** The versions that the puts of a build made. */
export function outputs(ref: BuildRef, versions: BuildDetail['outputs']): Html {
  if (versions.length === 0) return html``;
  return html`<section aria-labelledby="outputs">
    <h2 id="outputs">Outputs</h2>
    <dl class="build-versions">
      ${versions.map(
        ({ resource, fields: version }) =>
          html`<dt><a href="${paths.resource({ ...ref, resource })}">${resource}</a></dt>
            <dd>${versionFields(version)}</dd>`,
      )}
    </dl>
  </section>`;
}

/** The values of the job's inputs in a build: those that a person gave, or the defaults. */
export function inputValues(values: BuildDetail['inputValues']): Html {
  const entries = Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1));
  if (entries.length === 0) return html``;
  return html`<section aria-labelledby="input-values">
    <h2 id="input-values">Input values</h2>
    <dl>
      ${entries.map(
        ([name, value]) =>
          html`<dt>${name}</dt>
            <dd>${value === '' ? html`<span class="help">empty</span>` : value}</dd>`,
      )}
    </dl>
  </section>`;
}

/** The versions of a build that the last good build of its job did not have. */
export function changesSection(ref: BuildRef, changes: BuildChangesView | undefined): Html {
  if (changes?.since === undefined) return html``;
  const { since } = changes;
  const changedInputs = changes.inputs.filter(({ change }) => change !== 'none');
  return html`<section aria-labelledby="changes">
    <h2 id="changes">What changed since the last good build</h2>
    <p>Compared with <a href="${paths.build({ ...ref, number: since })}">build ${since}</a>.</p>
    ${
      changedInputs.length === 0
        ? html`<p>Nothing: it has the same versions.</p>`
        : changedInputs.map(inputChanges)
    }
  </section>`;
}

const SENTENCES: Record<Exclude<InputChangesView['change'], 'newer' | 'none'>, string> = {
  older: 'An older version than that build had.',
  other: 'That build had another resource, or no such input.',
};

function inputChanges({ name, change, versions, hasMore }: InputChangesView): Html {
  if (change === 'older' || change === 'other')
    return html`<h3>${name}</h3>
      <p>${SENTENCES[change]}</p>`;
  return html`<h3>${name}</h3>
    <ol class="build-changes" reversed>
      ${versions.map(
        ({ fields: version, createdAt }) =>
          html`<li>
            ${versionFields(version)}<br /><span class="help">found ${timeElement(createdAt)}</span>
          </li>`,
      )}
    </ol>
    ${hasMore && html`<p class="help">These are the newest ${MAX_CHANGES}; there are more.</p>`}`;
}
