import type { BuildDetail } from '#flows/views/ports.ts';
import { html, type Html } from './html.ts';
import { formatDuration } from './layout.ts';

type TimedBuild = Pick<BuildDetail, 'createdAt' | 'approval' | 'admittedAt' | 'endedAt' | 'steps'> & PodTimes;
type PodTimes = Pick<
  BuildDetail,
  'podCreatedAt' | 'warmPod' | 'podScheduledAt' | 'containersStartedAt' | 'startedAt'
>;
type Phase = [name: string, from: Date | undefined, to: Date | undefined];

/** The narrowest bar that people can still see. */
const MIN_BAR_PERCENT = 0.6;

/** A part of a build's time. */
export interface TimeSpan {
  name: string;
  kind: 'wait' | 'step';
  from: Date;
  to: Date;
  /** Whether the span has not ended. */
  isRunning: boolean;
}

/** The recorded parts of a build's time, in the order of their beginning. */
export function timeSpans(build: TimedBuild, now: Date): TimeSpan[] {
  const { createdAt, approval, admittedAt, podCreatedAt, endedAt, steps } = build;
  const phases: Phase[] = [
    [
      approval === undefined ? 'Waiting for its turn' : 'Waiting for approval and its turn',
      createdAt,
      admittedAt,
    ],
    ['Waiting for its Pod', admittedAt, podCreatedAt],
    ...podPhases(build),
  ];
  const waitSpans = phases.flatMap(([name, from, to]) =>
    spanOf({ name, kind: 'wait', from, to }, endedAt ?? now, endedAt),
  );
  const stepSpans = steps
    .filter(({ kind }) => kind !== 'parallel' && kind !== 'branch')
    .flatMap(({ kind, name, hook, startedAt: stepStartedAt, endedAt: stepEndedAt }) =>
      spanOf(
        {
          name: [hook, kind, name].filter(Boolean).join(' '),
          kind: 'step',
          from: dateOf(stepStartedAt),
          to: dateOf(stepEndedAt),
        },
        endedAt ?? now,
        endedAt,
      ),
    );
  return [...waitSpans, ...stepSpans].toSorted((a, b) => a.from.getTime() - b.from.getTime());
}

/**
 * The phases of the Pod until the first step. If the end of a phase was not observed, or is later than the
 * first step because another clock recorded it, the phase is merged with all later phases.
 */
function podPhases(times: PodTimes): Phase[] {
  const { podCreatedAt, warmPod, podScheduledAt, containersStartedAt, startedAt } = times;
  if (warmPod) return [['Warm Pod: start', podCreatedAt, startedAt]];
  const isBeforeSteps = (at: Date | undefined): at is Date =>
    at !== undefined && (startedAt === undefined || at <= startedAt);
  if (!isBeforeSteps(podScheduledAt)) return [['Pod: node, images, start', podCreatedAt, startedAt]];
  const scheduling: Phase = ['Pod: scheduling', podCreatedAt, podScheduledAt];
  if (!isBeforeSteps(containersStartedAt))
    return [scheduling, ['Pod: images, start', podScheduledAt, startedAt]];
  return [
    scheduling,
    ['Pod: images', podScheduledAt, containersStartedAt],
    ['Pod: start', containersStartedAt, startedAt],
  ];
}

interface SpanParts {
  name: string;
  kind: TimeSpan['kind'];
  from: Date | undefined;
  to: Date | undefined;
}

/**
 * Returns a list with the span. The list is empty if the span has not begun, or if its times contradict each
 * other because a later attempt overwrote one of them.
 */
function spanOf({ name, kind, from, to }: SpanParts, end: Date, endedAt: Date | undefined): TimeSpan[] {
  if (from === undefined || from > end || (to !== undefined && to < from)) return [];
  return [{ name, kind, from, to: to ?? end, isRunning: to === undefined && endedAt === undefined }];
}

const dateOf = (text: string | undefined): Date | undefined =>
  text === undefined ? undefined : new Date(text);

/** A table of the parts of a build's time. Its last column draws them as bars on a common time axis. */
export function whereTimeWent(build: TimedBuild, now: Date): Html {
  const spans = timeSpans(build, now);
  if (spans.length === 0) return html``;
  const start = build.createdAt.getTime();
  const end = build.endedAt ?? now;
  const total = Math.max(1, end.getTime() - start);
  return html`<section aria-labelledby="times">
    <h2 id="times">Where time went</h2>
    <div class="scroll">
      <table class="build-times">
        <caption>
          ${spanWords(build.createdAt, end)} in all
        </caption>
        <thead>
          <tr>
            <th scope="col">Part</th>
            <th scope="col">Took</th>
            <th scope="col"><span class="visually-hidden">After</span></th>
          </tr>
        </thead>
        <tbody>
          ${spans.map(
            (span) =>
              html`<tr>
                <th scope="row">${span.name}</th>
                <td>${spanWords(span.from, span.to)}${span.isRunning && ' so far'}</td>
                <td>
                  <span class="visually-hidden">${spanWords(build.createdAt, span.from)}</span>
                  ${bar(span, start, total)}
                </td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </section>`;
}

/** Short spans have a decimal, because many are shorter than a second. */
function spanWords(from: Date, to: Date): string {
  const seconds = (to.getTime() - from.getTime()) / 1000;
  return seconds < 10 ? `${seconds.toFixed(1)} s` : formatDuration(from, to);
}

/**
 * Draws a bar as SVG, because the content security policy of pages forbids styles in HTML elements but not
 * the attributes of a drawing.
 */
function bar({ kind, from, to }: TimeSpan, start: number, total: number): Html {
  const share = (milliseconds: number): number => (milliseconds / total) * 100;
  const width = Math.max(MIN_BAR_PERCENT, share(to.getTime() - from.getTime()));
  const x = Math.min(100 - MIN_BAR_PERCENT, share(from.getTime() - start));
  return html`<svg aria-hidden="true">
    <rect class="${kind}" x="${x.toFixed(2)}%" width="${width.toFixed(2)}%" height="100%" />
  </svg>`;
}
