import { afterEach, describe, expect, test } from '@jest/globals';
import type { ApiAnswer, ApiProblem } from '#adapters/kubernetes/api/answer.ts';
import type { ApiKind } from '#adapters/kubernetes/api/kinds.ts';
import { Reflector, type ListWatcher } from './reflector.ts';
import type { CachedObject, ObjectChange } from './store.ts';

interface Thing {
  metadata: { name: string; uid: string; resourceVersion: string };
}

const KIND: ApiKind<Thing> = { apiVersion: 'v1', kind: 'Thing', plural: 'things', namespaced: false };

const thing = (name: string, uid: string, resourceVersion: string): Thing => ({
  metadata: { name, uid, resourceVersion },
});

function project({ metadata }: Thing): CachedObject {
  return { namespace: '', ...metadata };
}

const GONE: ApiProblem = { ok: false, status: 410, reason: 'Expired', message: 'too old' };
const DOWN: ApiProblem = { ok: false, status: 0, reason: 'Unreachable', message: 'connection refused' };

type Listing = { items: Thing[]; version: string } | ApiProblem;
/** Lines of one watch; `hang` keeps it open without sending anything. */
type Watching = string[] | ApiProblem;

/** An API server that gives scripted answers; the last answers are repeated. */
class ScriptedServer implements ListWatcher {
  readonly lists: Listing[];
  readonly watches: Watching[];
  readonly watchedFrom: string[] = [];
  listed = 0;
  duringList: () => void = () => undefined;

  constructor(lists: Listing[], watches: Watching[]) {
    this.lists = lists;
    this.watches = watches;
  }

  list<T>(_: ApiKind<T>, __: unknown, page: (items: T[]) => void): Promise<ApiAnswer<string>> {
    const listing = nextAnswer(this.lists);
    this.listed += 1;
    this.duringList();
    if ('ok' in listing) return Promise.resolve(listing);
    for (const item of listing.items) {
      const copy: T = JSON.parse(JSON.stringify(item));
      page([copy]);
    }
    return Promise.resolve({ ok: true, value: listing.version });
  }

  watch(
    _: ApiKind<unknown>,
    options: { resourceVersion: string },
    signal: AbortSignal,
  ): Promise<ApiAnswer<AsyncIterable<Uint8Array>>> {
    this.watchedFrom.push(options.resourceVersion);
    const watching = nextAnswer(this.watches);
    return Promise.resolve('ok' in watching ? watching : { ok: true, value: body(watching, signal) });
  }
}

function nextAnswer<T>(answers: T[]): T {
  const [first] = answers;
  if (answers.length > 1) answers.shift();
  if (first === undefined) throw new Error('no answers are left');
  return first;
}

async function* body(lines: string[], signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for (const line of lines) {
    if (line === 'hang') {
      await new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve(), { once: true });
        if (signal.aborted) resolve();
      });
      throw new Error('aborted');
    }
    // Two chunks, so that the reader must join lines.
    yield Buffer.from(line.slice(0, 7));
    yield Buffer.from(`${line.slice(7)}\n`);
  }
}

const event = (type: string, object: unknown): string => JSON.stringify({ type, object });

interface RunningReflector {
  reflector: Reflector<Thing, CachedObject>;
  changes: string[];
  problems: string[];
  until: (condition: () => boolean) => Promise<void>;
}

const running: RunningReflector[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map(({ reflector }) => reflector.stop()));
});

function startReflector(
  source: ListWatcher,
  changed: (change: ObjectChange<CachedObject>) => void = () => undefined,
): RunningReflector {
  const changes: string[] = [];
  const problems: string[] = [];
  const waiting: (() => void)[] = [];
  const notify = (): void => {
    for (const wake of waiting.splice(0)) wake();
  };
  const reflector = new Reflector(source, {
    kind: KIND,
    project,
    changed: (change) => {
      changed(change);
      changes.push(`${change.type} ${change.object.name} ${change.object.uid}`);
      notify();
    },
    onProblem: (problem) => {
      problems.push(problem.reason);
      notify();
    },
    timing: { watchSeconds: 1, graceMs: 0, baseMs: 1, longestMs: 5 },
  });
  const until = async (condition: () => boolean): Promise<void> => {
    while (!condition()) {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        setTimeout(resolve, 5);
      });
    }
  };
  const started = { reflector, changes, problems, until };
  running.push(started);
  reflector.start();
  return started;
}

describe('a reflector', () => {
  test('lists, then watches from the resource version of the list', async () => {
    const server = new ScriptedServer(
      [{ items: [thing('a', 'u1', '5')], version: '9' }],
      [[event('ADDED', thing('b', 'u2', '10')), event('DELETED', thing('a', 'u1', '11')), 'hang']],
    );
    const { reflector, changes, until } = startReflector(server);
    await reflector.synced;
    expect(changes[0]).toBe('added a u1');
    await until(() => changes.length === 3);
    expect(changes).toEqual(['added a u1', 'added b u2', 'deleted a u1']);
    expect(server.watchedFrom[0]).toBe('9');
    expect([...reflector.store.values()].map(({ name }) => name)).toEqual(['b']);
  });

  test('continues from the last bookmark when a watch ends', async () => {
    const server = new ScriptedServer(
      [{ items: [], version: '9' }],
      [[event('BOOKMARK', { metadata: { resourceVersion: '40' } })], ['hang']],
    );
    const { until } = startReflector(server);
    await until(() => server.watchedFrom.length > 1);
    expect(server.watchedFrom.slice(0, 2)).toEqual(['9', '40']);
    expect(server.listed).toBe(1);
  });

  test('closes a silent watch and watches again from the same version', async () => {
    const server = new ScriptedServer(
      [{ items: [], version: '9' }],
      [['hang'], [event('ADDED', thing('a', 'u1', '10')), 'hang']],
    );
    const { changes, problems, until } = startReflector(server);
    await until(() => changes.length === 1);
    expect(server.watchedFrom.slice(0, 2)).toEqual(['9', '9']);
    expect(problems).toEqual([]);
  });

  test.each<[string, Watching]>([
    ['as an HTTP answer', GONE],
    ['as a watch event', [event('ERROR', { code: 410, reason: 'Expired', message: 'too old' })]],
  ])('lists again when its resource version is too old, reported %s', async (_, gone) => {
    const server = new ScriptedServer(
      [
        { items: [thing('a', 'u1', '5'), thing('b', 'u2', '6')], version: '9' },
        { items: [thing('b', 'u3', '20')], version: '30' },
      ],
      [gone, ['hang']],
    );
    const { changes, problems, until } = startReflector(server);
    await until(() => server.watchedFrom.length > 1);
    expect(changes).toEqual(['added a u1', 'added b u2', 'deleted a u1', 'deleted b u2', 'added b u3']);
    expect(server.watchedFrom.slice(0, 2)).toEqual(['9', '30']);
    expect(problems).toEqual([]);
  });

  test('retries for ever while the API server is unavailable', async () => {
    const server = new ScriptedServer(
      [DOWN, DOWN, DOWN, { items: [thing('a', 'u1', '5')], version: '9' }],
      [DOWN, DOWN, [event('ADDED', thing('b', 'u2', '10')), 'hang']],
    );
    const { changes, problems, until } = startReflector(server);
    await until(() => changes.length === 2);
    expect(problems).toEqual(Array(5).fill('Unreachable'));
  });

  test('survives a line that is not JSON', async () => {
    const server = new ScriptedServer(
      [{ items: [], version: '9' }],
      [['{"type":"ADD'], [event('ADDED', thing('a', 'u1', '10')), 'hang']],
    );
    const { changes, problems, until } = startReflector(server);
    await until(() => changes.length === 1);
    expect(problems).toEqual(['WatchBroken']);
  });

  test('reports a change again if its handler threw, keeps the order of changes of one object, and delays no others', async () => {
    const server = new ScriptedServer(
      [{ items: [thing('a', 'u1', '5')], version: '9' }],
      [[event('DELETED', thing('a', 'u1', '10')), event('ADDED', thing('b', 'u2', '11'))], ['hang']],
    );
    let failuresLeft = 3;
    const { changes, problems, until } = startReflector(server, ({ key }) => {
      if (key !== 'a') return;
      failuresLeft -= 1;
      if (failuresLeft >= 0) throw new Error('handler');
    });
    await until(() => changes.length === 3);
    expect(changes).toEqual(['added b u2', 'added a u1', 'deleted a u1']);
    expect(problems).toEqual(Array(3).fill('HandlerFailed'));
  });

  test('knows the operator’s own writes before a watch reports them, and reports them once', async () => {
    const server = new ScriptedServer(
      [{ items: [], version: '9' }],
      [['hang'], [event('ADDED', thing('a', 'u1', '10')), event('MODIFIED', thing('a', 'u1', '11')), 'hang']],
    );
    const { reflector, changes, until } = startReflector(server);
    await reflector.synced;
    reflector.note(project(thing('a', 'u1', '10')));
    expect(reflector.store.get('a')?.uid).toBe('u1');
    await until(() => changes.includes('updated a u1'));
    expect(changes).toEqual(['added a u1', 'updated a u1']);
  });

  test('ignores an object that is noted after a watch or a list has shown its deletion', async () => {
    const deletion = [
      event('ADDED', thing('a', 'u1', '10')),
      event('DELETED', thing('a', 'u1', '11')),
      'hang',
    ];
    const server = new ScriptedServer(
      [
        { items: [], version: '9' },
        { items: [], version: '20' },
      ],
      [deletion, GONE, ['hang']],
    );
    const { reflector, changes, until } = startReflector(server);
    await until(() => changes.includes('deleted a u1'));
    reflector.note(project(thing('a', 'u1', '10')));
    expect(reflector.store.size).toBe(0);
    server.duringList = () => reflector.note(project(thing('b', 'u2', '19')));
    await until(() => server.listed === 2);
    reflector.note(project(thing('c', 'u3', '20')));
    expect(reflector.store.size).toBe(0);
  });

  test('keeps an object that was noted during a list, because the list may be older', async () => {
    const server = new ScriptedServer(
      [
        { items: [], version: '9' },
        { items: [thing('b', 'u2', '8')], version: '10' },
      ],
      [GONE, ['hang']],
    );
    const { reflector, changes, until } = startReflector(server);
    await reflector.synced;
    server.duringList = () => reflector.note(project(thing('a', 'u1', '11')));
    await until(() => server.listed === 2 && changes.includes('added b u2'));
    expect(reflector.store.get('a')?.uid).toBe('u1');
    expect(changes).toEqual(['added a u1', 'added b u2']);
  });

  test('reports an object that was noted before a list as deleted if the list does not contain it', async () => {
    const server = new ScriptedServer(
      [
        { items: [], version: '9' },
        { items: [], version: '12' },
      ],
      [[event('BOOKMARK', {}), 'hang'], GONE, ['hang']],
    );
    const { reflector, changes, until } = startReflector(server);
    await reflector.synced;
    reflector.note(project(thing('a', 'u1', '11')));
    await until(() => changes.includes('deleted a u1'));
    expect(reflector.store.size).toBe(0);
  });

  test('waits no longer than its longest pause, however long the server asks it to wait', async () => {
    const busy: ApiProblem = { ...DOWN, status: 503, retryAfterSeconds: 300 };
    const { reflector } = startReflector(new ScriptedServer([busy, { items: [], version: '9' }], [['hang']]));
    expect(await reflector.synced).toBe(true);
  });
});
