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

/** A connection that accepts every write, or buffers. */
class Answer extends ServerResponse {
  text = '';
  takes = true;

  constructor() {
    super(new IncomingMessage(new Socket()));
  }

  override write(chunk: unknown): boolean {
    this.text += String(chunk);
    return this.takes;
  }

  drain(): void {
    this.takes = true;
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

/** Pipelines in memory, a feed of them, and what it read. */
function open(initial: PipelineCard[]) {
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
      const hear = (notification: ReceivedNotification<Topic>): void =>
        Reflect.apply(listener, undefined, [notification]);
      listeners.add(hear);
      return () => listeners.delete(hear);
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
      for (const hear of listeners) hear(notification);
    },
    set: (changed: PipelineCard): void => {
      cards.splice(
        cards.findIndex(({ id }) => id === changed.id),
        1,
        changed,
      );
    },
    view: (...teams: string[]) => {
      const answer = new Answer();
      const leave = feed.add(new EventStream(answer, performance.now()), teams);
      return { answer, leave };
    },
  };
}

const feeds: OverviewFeed[] = [];
afterEach(() => {
  for (const feed of feeds.splice(0)) feed.stop();
});

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(5);
}

describe('the feed of overviews', () => {
  test('sends the state of each team once, and shares the read among viewers', async () => {
    const { view, reads } = open([card(1, 'a'), card(2, 'b'), card(3, 'c')]);
    const [one, other] = [view('a', 'b').answer, view('b').answer];
    await until(() => one.received.length === 2 && other.received.length === 1);
    expect([one.received, other.received, reads]).toEqual([
      ['team a 1=succeeded', 'team b 2=succeeded'],
      ['team b 2=succeeded'],
      ['teams a b'],
    ]);
    const late = view('a').answer;
    expect(late.received).toEqual(['team a 1=succeeded']);
  });

  test('sends a change only to viewers of its team, after one read of what changed', async () => {
    const { view, reads, set, notify } = open([card(1, 'a'), card(2, 'a'), card(3, 'b')]);
    const [one, other] = [view('a').answer, view('b').answer];
    await until(() => one.received.length === 1 && other.received.length === 1);
    set(card(2, 'a', 'failed'));
    for (let times = 0; times < 50; times += 1) notify({ topic: 'status', pipeline: 2 });
    notify({ topic: 'status', pipeline: 1 });
    notify({ topic: 'schedule', pipeline: 'all' });
    await until(() => one.received.length === 2);
    expect([one.received.at(-1), other.received.length, reads.slice(1)]).toEqual([
      'changes a 2=failed',
      1,
      ['pipelines 2'],
    ]);
  });

  test('adds new pipelines and removes deleted ones', async () => {
    const { view, cards, notify } = open([card(1, 'a')]);
    const { answer } = view('a');
    await until(() => answer.received.length === 1);
    cards.splice(0, 1, card(7, 'a', 'idle'));
    for (const pipeline of [1, 7]) notify({ topic: 'schedule', pipeline });
    await until(() => answer.received.length === 2);
    expect(answer.events.at(-1)).toEqual([
      'changes',
      {
        team: 'a',
        pipelines: [{ id: 7, name: 'p7', public: false, running: 0, status: 'idle', team: 'a' }],
        removed: [1],
      },
    ]);
  });

  test('sends a slow viewer the whole state once it reads again', async () => {
    const { view, set, notify } = open([card(1, 'a'), card(2, 'a')]);
    const [slow, quick] = [view('a').answer, view('a').answer];
    await until(() => slow.received.length === 1 && quick.received.length === 1);
    slow.takes = false;
    for (const status of ['running', 'failed', 'running'] as const) {
      set(card(1, 'a', status));
      const before = quick.received.length;
      notify({ topic: 'status', pipeline: 1 });
      await until(() => quick.received.length > before);
    }
    expect(slow.received.slice(1)).toEqual(['changes a 1=running']);
    slow.drain();
    expect(slow.received.slice(2)).toEqual(['team a 1=running 2=succeeded']);
  });

  test('reads everything again after notifications were missed, and after a failed read', async () => {
    const { view, set, notify, state, faults, feed } = open([card(1, 'a'), card(2, 'a')]);
    const { answer } = view('a');
    await until(() => answer.received.length === 1);
    set(card(1, 'a', 'failed'));
    notify({ topic: 'missed' });
    await until(() => answer.received.length === 2);
    state.fails = true;
    set(card(2, 'a', 'failed'));
    notify({ topic: 'status', pipeline: 2 });
    await until(() => faults.length === 1);
    state.fails = false;
    feed.refresh();
    await until(() => answer.received.length === 3);
    expect(answer.received.slice(1)).toEqual(['changes a 1=failed', 'changes a 2=failed']);
  });

  test('reads a team again after a minute, and nothing for teams without viewers', async () => {
    const { view, reads, feed, notify } = open([card(1, 'a')]);
    const { answer, leave } = view('a');
    await until(() => answer.received.length === 1);
    feed.refresh(performance.now() + 30_000);
    feed.refresh(performance.now() + 61_000);
    await until(() => reads.length === 2);
    leave();
    notify({ topic: 'status', pipeline: 1 });
    feed.refresh(performance.now() + 200_000);
    await sleep(50);
    expect([reads, answer.received.length]).toEqual([['teams a', 'teams a'], 1]);
  });

  test('reads a hundred of many changed pipelines at a time', async () => {
    const many = Array.from({ length: 250 }, (_, index) => card(index + 1, 'a'));
    const { view, reads, notify } = open(many);
    const { answer } = view('a');
    await until(() => answer.received.length === 1);
    for (const { id } of many) notify({ topic: 'status', pipeline: id });
    await until(() => reads.length === 4);
    expect(reads.slice(1)).toEqual(['pipelines 100', 'pipelines 100', 'pipelines 50']);
  });
});
