import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import {
  bundle,
  certificate,
  gateway,
  plan,
  pod,
  sh,
  shim,
  touch,
  useAgent,
  useGateway,
} from '#testing/agent/agent-under-test.ts';
import { FakeGateway } from '#testing/agent/fake-gateway.ts';
import { ended } from '#testing/agent/local-pod.ts';

useAgent();

const DAY_MS = 24 * 60 * 60_000;

/** Returns options of node under which `Date` is off by `milliseconds` while `file` exists. */
function jumpingClock(file: string, milliseconds: number): string {
  const code = `
    import { existsSync } from 'node:fs';
    const Real = Date;
    const now = () => Real.now() + (existsSync(${JSON.stringify(file)}) ? ${milliseconds} : 0);
    globalThis.Date = class extends Real {
      constructor(...values) { super(...(values.length === 0 ? [now()] : values)); }
      static now() { return now(); }
    };`;
  return `--import=data:text/javascript,${encodeURIComponent(code)}`;
}

test.each([
  ['a day forward', DAY_MS],
  ['a day back', -DAY_MS],
])(
  'an agent whose clock jumps %s and back waits for its gateway, and its times stay in order',
  async (_jump, milliseconds) => {
    const wrongClockFile = join(pod.folder, 'wrong-clock');
    const steps = [sh('echo begun; until [ -e go ]; do sleep 0.02; done; echo done'), sh('true')];
    useGateway(new FakeGateway(certificate, { work: 'build', plan: plan(steps) }));
    gateway.failure = (path) => (path.endsWith('/session') ? 'refuse' : undefined);
    await gateway.open();
    pod.startShim(shim, 'worker');
    const environment = { NODE_OPTIONS: jumpingClock(wrongClockFile, milliseconds) };
    const agent = pod.startAgent(bundle, gateway.url, certificate.cert, environment);
    await gateway.when(() => gateway.requests > 0);
    writeFileSync(wrongClockFile, '');
    const requestsBefore = gateway.requests;
    await gateway.when(() => gateway.requests > requestsBefore + 1);
    gateway.failure = () => undefined;
    await gateway.when(() => gateway.log('0') !== '');
    rmSync(wrongClockFile);
    await touch('go');
    expect(await ended(agent)).toBe(0);
    expect(gateway.end).toMatchObject({ outcome: 'succeeded' });
    expect(gateway.log('0')).toBe('begun\ndone\n');
    const times = gateway.events.map(({ at }) => at);
    expect(times).toEqual(times.toSorted());
    expect(Date.parse(times.at(-1) ?? '') - Date.parse(times[0] ?? '')).toBeLessThan(DAY_MS / 2);
  },
);
