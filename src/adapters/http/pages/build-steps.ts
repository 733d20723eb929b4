import type { StepState } from '#domain/build/build-state.ts';
import type { BuildDetail } from '#flows/views/ports.ts';
import { html, type Html } from './html.ts';
import { formatDuration, status } from './layout.ts';

/** The steps of a build as a tree: groups with their lanes, branches, and steps with their hooks. */
export function stepTree({ steps, attempt }: Pick<BuildDetail, 'steps' | 'attempt'>): Html {
  if (steps.length === 0) return html``;
  const outerSteps = steps.filter(({ parent }) => parent === undefined);
  return html`<section aria-labelledby="steps">
    <h2 id="steps">Steps</h2>
    <ol class="build-steps">
      ${outerSteps.map((step) => stepItem(step, steps, attempt))}
    </ol>
  </section>`;
}

function stepItem(step: StepState, allSteps: readonly StepState[], buildAttempt: number): Html {
  const { id, kind, hook, status: currentStatus } = step;
  const innerSteps = allSteps.filter(({ parent }) => parent === id);
  const laneAttributes = kind === 'parallel' && html` class="build-lanes" aria-label="Steps in parallel"`;
  return html`<li${hook !== undefined && html` class="build-hook"`}>
    <div class="build-step">
      <span>${hook !== undefined && html`<span class="tag">${hook}</span> `}${nameOf(step, buildAttempt)}</span>
      ${status(currentStatus)}
      <span class="help">${detailsOf(step)}</span>
    </div>
    ${metadataOf(step)}
    ${
      innerSteps.length > 0 &&
      html`<ol${laneAttributes}>
        ${innerSteps.map((innerStep) => stepItem(innerStep, allSteps, buildAttempt))}
      </ol>`
    }
  </li>`;
}

/**
 * Returns kind and name of a step. The name links to the log; with the script of the page, to the part of the
 * step in the log.
 */
function nameOf({ id, kind, name, status: currentStatus }: StepState, buildAttempt: number): Html {
  if (kind === 'parallel') return html`In parallel`;
  const hasLog = kind !== 'branch' && currentStatus !== 'waiting' && currentStatus !== 'skipped';
  const key = buildAttempt === 1 ? `step-${id}` : `step-${id}@${buildAttempt}`;
  return html`${kind}
  ${hasLog ? html`<a href="#log" data-step="${key}">${name}</a>` : html`<strong>${name}</strong>`}`;
}

function detailsOf({ attempt, startedAt, endedAt, exitCode, message }: StepState): string {
  const code = exitCode === undefined || exitCode === 0 ? undefined : `exit code ${exitCode}`;
  return [
    startedAt !== undefined &&
      endedAt !== undefined &&
      formatDuration(new Date(startedAt), new Date(endedAt)),
    attempt !== undefined && `attempt ${attempt}`,
    // The message may contain the exit code already.
    code !== undefined && message?.includes(code) !== true && code,
    message,
  ]
    .filter((detail) => typeof detail === 'string')
    .join(' · ');
}

/**
 * What the resource type reports about the version of a get or put. The text comes from outside Millrace, so
 * it never becomes a link.
 */
function metadataOf({ name, metadata = [] }: StepState): Html {
  if (metadata.length === 0) return html``;
  return html`<details>
    <summary>About the version of ${name}</summary>
    <dl>
      ${metadata.map(
        (entry) =>
          html`<dt>${entry.name}</dt>
            <dd>${entry.value}</dd>`,
      )}
    </dl>
  </details>`;
}
