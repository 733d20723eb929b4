import { setTimeout as sleep } from 'node:timers/promises';
import { createPictures, type Pictures } from '#adapters/images/pictures.ts';
import { summarise } from '#bench/statistics.ts';
import { defined } from '#defined';
import { graphOf } from '#domain/graph/graph-of.ts';
import type { Graph } from '#domain/graph/graph.ts';
import { nodeStyles } from '#domain/graph/node-style.ts';
import type { EndedStatus } from '#domain/graph/state.ts';
import type { PictureToDraw } from '#flows/views/overview-ports.ts';
import { largePipeline } from '#testing/pipelines/large-pipeline.ts';
import { digits, verdict, type Part } from './part.ts';

const ROUNDS = 15;
/** For each size of a pipeline, the aim for the median of each drawing in milliseconds. */
const AIMS = [
  { size: 100, first: 20, change: 1, png: 60 },
  { size: 1000, first: 200, change: 10, png: 200 },
];
const ENDED_STATUSES: readonly EndedStatus[] = ['succeeded', 'failed', 'cancelled', 'warning'];

/** Drawing alone, from a graph and the styles of its nodes to the picture, without HTTP and database. */
export const drawing: Part = {
  name: 'drawing',
  async measure() {
    const pictures = createPictures();
    // Warm up: start the drawing process and let the JIT compile.
    for (let round = 0; round < ROUNDS; round++)
      await pictures.png(pictureOf(graphOf(largePipeline(20, round)), round));
    const lines: string[][] = [];
    for (const aim of AIMS) lines.push(...(await measureSize(pictures, aim)));
    await pictures.close();
    return lines;
  },
};

function pictureOf(graph: Graph, round: number): PictureToDraw {
  const jobs = graph.nodes.flatMap((node) => (node.kind === 'job' ? node.jobs : []));
  const states = jobs.map((name, index) => {
    const ended = ENDED_STATUSES[(index + round) % ENDED_STATUSES.length];
    return [name, { paused: false, ...defined({ ended }) }] as const;
  });
  return {
    graph,
    name: 'measured',
    styles: nodeStyles(graph, { jobs: new Map(states), resources: new Map() }),
  };
}

async function measureSize(
  pictures: Pictures,
  { size, first, change, png }: (typeof AIMS)[number],
): Promise<string[][]> {
  const graph = graphOf(largePipeline(size));
  const newPictures = Array.from({ length: ROUNDS }, (_, round) =>
    pictureOf(graphOf(largePipeline(size, round + 1)), round),
  );
  const changedPictures = Array.from({ length: ROUNDS }, (_, round) => pictureOf(graph, round));
  await pictures.svg(pictureOf(graph, 0));
  const count = `${graph.nodes.length} nodes, ${graph.edges.length} edges`;
  return [
    [
      `drawing alone: first SVG, ${count}`,
      ...(await figure(newPictures, first, (picture) => pictures.svg(picture))),
    ],
    [
      '… SVG after a change of states',
      ...(await figure(changedPictures, change, (picture) => pictures.svg(picture))),
    ],
    [
      '… PNG after a change of states',
      ...(await figure(changedPictures, png, (picture) => pictures.png(picture))),
    ],
  ];
}

async function figure(
  pictures: readonly PictureToDraw[],
  aim: number,
  draw: (picture: PictureToDraw) => Promise<unknown>,
): Promise<string[]> {
  const samples: number[] = [];
  for (const picture of pictures) {
    const startedAt = performance.now();
    await draw(picture);
    samples.push(performance.now() - startedAt);
    // Gives the event loop a turn, as between requests.
    await sleep(1);
  }
  const { median, p90 } = summarise(samples);
  return [`${digits(median)} ms, p90 ${digits(p90)} ms`, verdict(`≤ ${aim} ms`, median <= aim)];
}
