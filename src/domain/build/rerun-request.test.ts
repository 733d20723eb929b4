import { describe, expect, test } from '@jest/globals';
import { decideRerun, isRerunEvent, MAX_EVENT_BYTES, readRerunRequest } from './rerun-request.ts';

const OWNER = { team: 'main', pipeline: 'app' };
const RUN = {
  action: 'rerequested',
  check_run: { external_id: 'main/app/unit/7' },
  sender: { login: 'ann' },
};

interface Delivery {
  event?: string;
  signature?: 'absent' | 'valid' | 'invalid';
  /** `undefined`: larger than the limit. */
  text?: string | undefined;
}

/** `none`, `retry <job> <number> for <sender>`, or the code of the refusal. */
function decided(delivery: Delivery): string {
  const { event = 'check_run', signature = 'valid' } = delivery;
  const text = 'text' in delivery ? delivery.text : JSON.stringify(RUN);
  const request = readRerunRequest(event, signature, text);
  if (request === undefined) return 'none';
  const decision = decideRerun(request, OWNER);
  if (decision.answer === 'refused') return decision.reasons.map(({ code }) => code).join(' ');
  return `retry ${decision.job} ${decision.number} for ${decision.sender ?? 'nobody'}`;
}

const body = (change: object): Delivery => ({ text: JSON.stringify({ ...RUN, ...change }) });
const id = (external: unknown): Delivery => body({ check_run: { id: 1, external_id: external } });
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
const withMore = (more: string): Delivery => ({
  text: `${JSON.stringify(RUN).slice(0, -1)},"more":${more}}`,
});

const CASES: Record<string, [Delivery, string]> = {
  'a re-run of a check run retries its build': [{}, 'retry unit 7 for ann'],
  'a re-run of the check run of a retry retries that retry': [
    id('main/app/unit/7.2'),
    'retry unit 7.2 for ann',
  ],
  'a job may have dots, underscores and hyphens in its name': [
    id('main/app/test--a_b.c/12'),
    'retry test--a_b.c 12 for ann',
  ],
  'another action of a check run is not a re-run': [body({ action: 'completed' }), 'none'],
  'an action that is not text is not a re-run': [body({ action: ['rerequested'] }), 'none'],
  'an event without an action is not a re-run': [{ text: '{"check_run":{}}' }, 'none'],
  'another event is not a re-run, whatever its body says': [{ event: 'push' }, 'none'],
  'a name that every object has is not an event': [{ event: '__proto__' }, 'none'],
  'a wrong signature is not a re-run': [{ signature: 'invalid' }, 'none'],
  'a re-run without a signature is refused': [{ signature: 'absent' }, 'SignatureMissing'],
  'a re-run of a check suite is refused': [
    { event: 'check_suite', ...body({ check_suite: { id: 1 } }) },
    'SuiteNotSupported',
  ],
  'a new check suite is not a re-run': [
    { event: 'check_suite', ...body({ action: 'requested', check_suite: { id: 1 } }) },
    'none',
  ],
  'a body that belongs to another event is refused': [{ event: 'check_suite' }, 'BodyInvalid'],
  'a body that is too large is refused': [{ text: undefined }, 'BodyTooLarge'],
  'an empty body is refused': [{ text: '' }, 'BodyInvalid'],
  'a form is refused': [{ text: 'payload=%7B%7D' }, 'BodyInvalid'],
  'a truncated body is refused': [{ text: JSON.stringify(RUN).slice(0, -1) }, 'BodyInvalid'],
  'a list is refused': [{ text: JSON.stringify([RUN]) }, 'BodyInvalid'],
  'null is refused': [{ text: 'null' }, 'BodyInvalid'],
  'a body without a check run is refused': [body({ check_run: null }), 'BodyInvalid'],
  'a body with a check run that is a list is refused': [body({ check_run: [1] }), 'BodyInvalid'],
  'a body of the allowed depth is read': [withMore(nested(19)), 'retry unit 7 for ann'],
  'a body that is nested too deeply is refused': [withMore(nested(20)), 'BodyInvalid'],
  'a body of brackets only is refused': [{ text: nested(MAX_EVENT_BYTES / 2) }, 'BodyInvalid'],
  'brackets and escaped quotes in texts are not nesting': [
    withMore(JSON.stringify(`"\\"${nested(50)}`)),
    'retry unit 7 for ann',
  ],
  'an id of another team is refused': [id('other/app/unit/7'), 'OtherPipeline'],
  'an id of another pipeline is refused': [id('main/other/unit/7'), 'OtherPipeline'],
  'an id that differs in case is of another pipeline': [id('main/App/unit/7'), 'OtherPipeline'],
  'an empty id names no build': [id(''), 'NoBuildNamed'],
  'a missing id names no build': [id(undefined), 'NoBuildNamed'],
  'a number as the id names no build': [id(7), 'NoBuildNamed'],
  'a list as the id names no build': [id(['main/app/unit/7']), 'NoBuildNamed'],
  'an id of another application names no build': [id('ci-4711'), 'NoBuildNamed'],
  'an id with a part too many names no build': [id('main/app/unit/7/x'), 'NoBuildNamed'],
  'an id with an empty part names no build': [id('main/app//7'), 'NoBuildNamed'],
  'an id with an encoded slash names no build': [id('main/app/unit%2F7/7'), 'NoBuildNamed'],
  'an id with a line feed at its end names no build': [id('main/app/unit/7\n'), 'NoBuildNamed'],
  'an id with a NUL names no build': [id('main/app/un\u0000it/7'), 'NoBuildNamed'],
  'build 0 is not a build': [id('main/app/unit/0'), 'NoBuildNamed'],
  'a negative number is not a build': [id('main/app/unit/-7'), 'NoBuildNamed'],
  'a number beyond the range of the database column is not a build': [
    id('main/app/unit/9999999999'),
    'NoBuildNamed',
  ],
  'retry 0 is not a build': [id('main/app/unit/7.0'), 'NoBuildNamed'],
  'an id of 100,000 characters names no build': [id('a'.repeat(100_000)), 'NoBuildNamed'],
  'a sender that is not a user name is left out': [
    body({ sender: { login: 'ann\n<script>' } }),
    'retry unit 7 for nobody',
  ],
  'a missing sender is left out': [body({ sender: null }), 'retry unit 7 for nobody'],
  'a bot may be the sender': [body({ sender: { login: 'a-b[bot]' } }), 'retry unit 7 for a-b[bot]'],
};

describe('a webhook of a forge', () => {
  test.each(Object.entries(CASES))('%s', (_sentence, [delivery, expected]) => {
    expect(decided(delivery)).toBe(expected);
  });

  test.each([
    ['check_run', true],
    ['check_suite', true],
    ['push', false],
    ['Check_Run', false],
    [undefined, false],
    [['check_run'], false],
  ])('with the event %j has its body read: %j', (event, expected) => {
    expect(isRerunEvent(event)).toBe(expected);
  });
});
