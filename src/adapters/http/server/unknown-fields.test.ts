import { describe, expect, test } from '@jest/globals';
import { createLog } from '#adapters/telemetry/log.ts';
import { WEBHOOK_TOKEN } from '#testing/http/in-memory-ports.ts';
import { registeredRoutes } from '#testing/http/registered-routes.ts';
import { APP, BUILD, gateway } from '#testing/http/server-under-test.ts';
import { createServer } from './server.ts';

const RESOURCE = `${APP}/resources/git.app`;
const jsonBody = (body: unknown) => ({ body: JSON.stringify(body) });

const REFUSED: Record<string, [url: string, body: unknown, detail: string]> = {
  'the body of a trigger': [
    `${APP}/jobs/unit/trigger`,
    { input: {} },
    'Unknown field "input" in the body; did you mean "inputs"?',
  ],
  'a body that may be absent': [
    `${BUILD}/approve`,
    { mesage: 'fine' },
    'Unknown field "mesage" in the body; did you mean "message"?',
  ],
  'a body without the required field': [
    `${BUILD}/reject`,
    { messages: 'no' },
    'Unknown field "messages" in the body; did you mean "message"?',
  ],
  'an optional field': [
    `${RESOURCE}/pin`,
    { version_id: 11, commment: 'because' },
    'Unknown field "commment" in the body; did you mean "comment"?',
  ],
  'several unknown fields': [
    `${RESOURCE}/pin`,
    { version_id: 11, commment: 'because', until: 'tomorrow' },
    'Unknown field "commment" in the body; did you mean "comment"? Unknown field "until" in the body. ' +
      'Known fields: version_id, comment.',
  ],
  'no close name': [
    `${RESOURCE}/webhook_token`,
    { secret: 'mine' },
    'Unknown field "secret" in the body. Known fields: signature.',
  ],
  'a field in a field': [
    `${BUILD}/debug`,
    { terminal: { columns: 80, rows: 24, color: true } },
    'Unknown field "terminal.color" in the body. Known fields: columns, rows.',
  ],
  'a route without fields': [
    `${APP}/pause`,
    { comment: 'release' },
    'Unknown field "comment" in the body. This path takes no fields.',
  ],
};

describe('an unknown field is refused, and nothing is done:', () => {
  test.each(Object.entries(REFUSED))('%s', async (_name, [url, body, detail]) => {
    const { ask, ports } = gateway();
    const answer = await ask('POST', url, 'admin@main', jsonBody(body));
    expect([answer.statusCode, answer.json<{ detail: string }>().detail]).toEqual([
      400,
      expect.stringContaining(detail),
    ]);
    expect(ports.calls).toEqual([]);
  });

  test('a message stays short, however many and long the fields are', async () => {
    const fields = Array.from({ length: 90 }, (_, index) => [`${'x'.repeat(60)}${index}`, 1]);
    const answer = await gateway().ask(
      'POST',
      `${BUILD}/reject`,
      'admin@main',
      jsonBody(Object.fromEntries(fields)),
    );
    expect([answer.statusCode, answer.json<{ detail: string }>().detail.length < 500]).toEqual([400, true]);
  });
});

test('a route without fields takes an empty object', async () => {
  const answer = await gateway().ask('POST', `${APP}/pause`, 'write@main', jsonBody({}));
  expect(answer.statusCode).toBeLessThan(300);
});

test('a webhook takes any body', async () => {
  const body = jsonBody({ anything: { at: ['all'] } });
  const answer = await gateway().ask('POST', `/webhooks/${WEBHOOK_TOKEN}`, undefined, body);
  expect(answer.statusCode).toBe(202);
});

test('no body of a route may have fields beside those of its schema', async () => {
  const open: string[] = [];
  const app = createServer({
    routes: await registeredRoutes(),
    authenticate: async () => 'anonymous',
    log: createLog('info', 'test', { write: () => undefined }),
  });
  app.addHook('onRoute', ({ method, url, schema }) => {
    if (hasOpenObject(schema?.body)) open.push(`${String(method)} ${url}`);
  });
  await app.ready();
  expect(open).toEqual([]);
});

/**
 * Whether the schema has an object that takes fields that it does not list. Records (`patternProperties`) do
 * not count.
 */
function hasOpenObject(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  const { type, additionalProperties, patternProperties } = { ...schema } as Record<string, unknown>;
  const isOpen = type === 'object' && additionalProperties === undefined && patternProperties === undefined;
  return isOpen || Object.values(schema).some(hasOpenObject);
}
