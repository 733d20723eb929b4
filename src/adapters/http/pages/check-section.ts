import type { Schedule } from '#domain/pipeline/pipeline.ts';
import type { CheckView, HooksView, ResourceView } from '#flows/views/ports.ts';
import { secondsInWords } from './amounts.ts';
import { html, type Html } from './html.ts';
import { timeElement } from './layout.ts';
import { plainLog } from './plain-log.ts';

/** How a resource is checked, the result of the last check, and the end of its output. */
export function checkSection(resource: ResourceView, check: CheckView): Html {
  const { error, output, hooks } = check;
  return html`<section aria-labelledby="check-title">
    <h2 id="check-title">Checks</h2>
    ${checkFacts(resource, check)}
    ${
      error !== undefined &&
      html`<div role="group" aria-label="Error of the last check" class="alert">
        <p><strong>${failureText(check)}</strong></p>
        <div class="code resource-text">${error}</div>
      </div>`
    }
    ${output === '' ? html`` : outputOf(output, error !== undefined)} ${hooks !== undefined && hooksOf(hooks)}
  </section>`;
}

function failureText({ failures }: CheckView): string {
  return failures > 1 ? `The last ${failures} checks failed.` : 'The last check failed.';
}

function checkFacts({ schedule }: ResourceView, check: CheckView): Html {
  const { running, lastCheckedAt, held, stalled, webhookWorks } = check;
  return html`<dl>
    <dt>Last check</dt>
    <dd>
      ${lastCheckedAt === undefined ? 'none yet' : timeElement(lastCheckedAt)}${running && ', another one runs now'}
    </dd>
    <dt>Next check</dt>
    <dd>${nextCheck(check)}</dd>
    <dt>Interval</dt>
    <dd>${intervalOf(schedule)}</dd>
    ${
      webhookWorks &&
      html`<dt>Webhook</dt>
        <dd>works: it brought versions, and scheduled checks found none that it missed</dd>`
    }
    ${
      held !== undefined &&
      html`<dt>Held</dt>
        <dd>${held}</dd>`
    }
    ${
      stalled &&
      held === undefined &&
      html`<dt>Late</dt>
        <dd>The check is overdue. The operator may be busy or stopped.</dd>`
    }
  </dl>`;
}

function nextCheck({ nextCheckAt }: CheckView): Html {
  if (nextCheckAt !== undefined) return html`due ${timeElement(nextCheckAt)}`;
  return html`none planned: a webhook or a person requests one`;
}

function intervalOf(schedule: Schedule | undefined): Html {
  if (schedule === undefined) return html`none`;
  if (schedule.kind === 'every') return html`every ${secondsInWords(schedule.seconds)}`;
  const { expression, timeZone } = schedule;
  return html`<span class="code">${expression}</span>${timeZone !== undefined && ` in ${timeZone}`}`;
}

function outputOf(output: string, open: boolean): Html {
  return html`<details class="resource-output" ${open && html` open`}>
    <summary>Output of the last check</summary>
    <pre tabindex="0" role="group" aria-label="Output of the last check">${plainLog(output)}</pre>
  </details>`;
}

/** What the `on_trigger` hooks of the newest versions did. */
function hooksOf({ first, last, endedAt, error, results }: HooksView): Html {
  const versions = first === last ? `version ${first}` : `versions ${first} to ${last}`;
  return html`<details ${error !== undefined && html` open`}>
    <summary>Hooks of ${versions}</summary>
    <p class="help">Ended ${timeElement(endedAt)}</p>
    ${error !== undefined && html`<p class="alert">${error}</p>`}
    <ul>
      ${results.map(
        (result) =>
          html`<li>
            Version ${result.version}, job ${result.job}, ${result.hook}: ${result.error ?? 'succeeded'}
            ${result.output !== '' && outputOfHook(result)}
          </li>`,
      )}
    </ul>
  </details>`;
}

function outputOfHook({ hook, job, output }: HooksView['results'][number]): Html {
  const label = `Output of ${hook} of ${job}`;
  return html`<pre tabindex="0" role="group" aria-label="${label}">${plainLog(output)}</pre>`;
}
