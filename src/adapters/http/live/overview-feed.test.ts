import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { PipelineCard } from '#domain/graph/pipeline-card.ts';
import type { ProcessNotification, ReceivedNotification, Topic } from '#flows/notification-ports.ts';
import { EventStream } from './event-stream.ts';
import { OverviewFeed } from './overview-feed.ts';

const card = (id: number, team: string, status: PipelineCard['status'] = 'succeeded'): PipelineCard => ({
  id,
  team,
  name: `p${id}`,
  public: false,
  status,
  running: 0,
});

/** A connection that accepts or buffers every write. */
class TestResponse extends ServerResponse {
  text = '';
  acceptsWrites = true;

  constructor() {
    super(new IncomingMessage(new Socket()));
  }

  override write(chunk: unknown): boolean {
    this.text += String(chunk);
    return this.acceptsWrites;
  }

  drain(): void {
    this.acceptsWrites = true;
    this.emit('drain');
  }

  /** Name and data of each event. */
  get events(): [name: string, data: { team: string; pipelines: { id: number; status: string }[] }][] {
    return this.text
      .split('\n\n')
      .filter((text) => text !== '')
      .map((text) => {
        const [name = '', data = ''] = text.split('\n').map((line) => line.replace(/^\w+: /, ''));
        return [name, JSON.parse(data)];
      });
  }

  /** `name team id=status …` of each event. */
  get received(): string[] {
    return this.events.map(([name, { team, pipelines }]) =>
      [name, team, ...pipelines.map(({ id, status }) => `${id}=${status}`)].join(' '),
    );
  }
}

/** A feed of pipelines in memory, and what the feed reads. */
function openFeed(initial: PipelineCard[]) {
  const cards = [...initial];
  const reads: string[] = [];
  const listeners = new Set<(notification: ReceivedNotification<Topic>) => void>();
  const faults: unknown[] = [];
  const state = { fails: false };
  const feed = new OverviewFeed({
    cards: {
      async ofTeams(teams) {
        reads.push(`teams ${teams.join(' ')}`);
        if (state.fails) throw new Error('no database');
        return cards.filter(({ team }) => teams.includes(team));
      },
      async ofPipelines(ids, teams) {
        reads.push(`pipelines ${ids.length}`);
        if (state.fails) throw new Error('no database');
        return cards.filter(({ id, team }) => ids.includes(id) && teams.includes(team));
      },
    },
    listen: (_topics, listener: (notification: never) => void) => {
      const hearNotification = (notification: ReceivedNotification<Topic>): void =>
        Reflect.apply(listener, undefined, [notification]);
      listeners.add(hearNotification);
      return () => listeners.delete(hearNotification);
    },
    failed: (error) => void faults.push(error),
    pauseMs: 20,
  });
  feeds.push(feed);
  return {
    feed,
    cards,
    reads,
    faults,
    state,
    notify: (notification: ProcessNotification | { topic: 'missed' }) => {
      for (const hearNotification of listeners) hearNotification(notification);
    },
    set: (changed: PipelineCard): void => {
      cards.splice(
        cards.findIndex(({ id }) => id === changed.id),
        1,
        changed,
      );
    },
    view: (...teams: string[]) => {
      const response = new TestResponse();
      const leave = feed.add(new EventStream(response, performance.now()), teams);
      return { response, leave };
    },
  };
}

const feeds: OverviewFeed[] = [];
afterEach(() => {
  for (const feed of feeds.splice(0)) feed.stop();
});

async function waitUntil(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(5);
}

describe('the feed of overviews', () => {
  test('sends the state of each team once, and shares the read among viewers', async () => {
    const { view, reads } = openFeed([card(1, 'a'), card(2, 'b'), card(3, 'c')]);
    const [first, second] = [view('a', 'b').response, view('b').response];
    await waitUntil(() => first.received.length === 2 && second.received.length === 1);
    expect([first.received, second.received, reads]).toEqual([
      ['team a 1=succeeded', 'team b 2=succeeded'],
      ['team b 2=succeeded'],
      ['teams a b'],
    ]);
    const late = view('a').response;
    expect(late.received).toEqual(['team a 1=succeeded']);
  });

  test('sends a change only to viewers of its team, after one read of the changed pipelines', async () => {
    const { view, reads, set, notify } = openFeed([card(1, 'a'), card(2, 'a'), card(3, 'b')]);
    const [first, second] = [view('a').response, view('b').response];
    await waitUntil(() => first.received.length === 1 && second.received.length === 1);
    set(card(2, 'a', 'failed'));
    for (let count = 0; count < 50; count += 1) notify({ topic: 'status', pipeline: 2 });
    notify({ topic: 'status', pipeline: 1 });
    notify({ topic: 'schedule', pipeline: 'all' });
    await waitUntil(() => first.received.length === 2);
    expect([first.received.at(-1), second.received.length, reads.slice(1)]).toEqual([
      'changes a 2=failed',
      1,
      ['pipelines 2'],
    ]);
  });

  test('adds new pipelines and removes deleted ones', async () => {
    const { view, cards, notify } = openFeed([card(1, 'a')]);
    const { response } = view('a');
    await waitUntil(() => response.received.length === 1);
    cards.splice(0, 1, card(7, 'a', 'idle'));
    for (const pipeline of [1, 7]) notify({ topic: 'schedule', pipeline });
    await waitUntil(() => response.received.length === 2);
    expect(response.events.at(-1)).toEqual([
      'changes',
      {
        team: 'a',
        pipelines: [{ id: 7, name: 'p7', public: false, running: 0, status: 'idle', team: 'a' }],
        removed: [1],
      },
    ]);
  });

  test('sends a slow viewer the whole state once it reads again', async () => {
    const { view, set, notify } = openFeed([card(1, 'a'), card(2, 'a')]);
    const [slow, quick] = [view('a').response, view('a').response];
    await waitUntil(() => slow.received.length === 1 && quick.received.length === 1);
    slow.acceptsWrites = false;
    for (const status of ['running', 'failed', 'running'] as const) {
      set(card(1, 'a', status));
      const before = quick.received.length;
      notify({ topic: 'status', pipeline: 1 });
      await waitUntil(() => quick.received.length > before);
    }
    expect(slow.received.slice(1)).toEqual(['changes a 1=running']);
    slow.drain();
    expect(slow.received.slice(2)).toEqual(['team a 1=running 2=succeeded']);
  });

  test('reads everything again after notifications were missed, and after a failed read', async () => {
    const { view, set, notify, state, faults, feed } = openFeed([card(1, 'a'), card(2, 'a')]);
    const { response } = view('a');
    await waitUntil(() => response.received.length === 1);
    set(card(1, 'a', 'failed'));
    notify({ topic: 'missed' });
    await waitUntil(() => response.received.length === 2);
    state.fails = true;
    set(card(2, 'a', 'failed'));
    notify({ topic: 'status', pipeline: 2 });
    await waitUntil(() => faults.length === 1);
    state.fails = false;
    feed.refresh();
    await waitUntil(() => response.received.length === 3);
    expect(response.received.slice(1)).toEqual(['changes a 1=failed', 'changes a 2=failed']);
  });

  test('reads a team again after a minute, and nothing for teams without viewers', async () => {
    const { view, reads, feed, notify } = openFeed([card(1, 'a')]);
    const { response, leave } = view('a');
    await waitUntil(() => response.received.length === 1);
    feed.refresh(performance.now() + 30_000);
    feed.refresh(performance.now() + 61_000);
    await waitUntil(() => reads.length === 2);
    leave();
    notify({ topic: 'status', pipeline: 1 });
    feed.refresh(performance.now() + 200_000);
    await sleep(50);
    expect([reads, response.received.length]).toEqual([['teams a', 'teams a'], 1]);
  });

  test('reads at most a hundred changed pipelines at a time', async () => {
    const cards = Array.from({ length: 250 }, (_, index) => card(index + 1, 'a'));
    const { view, reads, notify } = openFeed(cards);
    const { response } = view('a');
    await waitUntil(() => response.received.length === 1);
    for (const { id } of cards) notify({ topic: 'status', pipeline: id });
    await waitUntil(() => reads.length === 4);
    expect(reads.slice(1)).toEqual(['pipelines 100', 'pipelines 100', 'pipelines 50']);
  });
});
