import { posix } from 'node:path';

/** One file imports another; both are paths from the root of the checkout. */
export interface Import {
  from: string;
  to: string;
}

/**
 * Folders that all import each other, directly or through others, with one import for each direct step
 * between two of them.
 */
export interface Circle {
  folders: string[];
  imports: Import[];
}

/** The circles among the folders of these imports. */
export function findCircles(imports: readonly Import[]): Circle[] {
  const steps = stepsBetweenFolders(imports);
  const reached = new Map([...steps.keys()].map((folder) => [folder, reachedFrom(folder, steps)]));
  const importEachOther = (a: string, b: string): boolean =>
    reached.get(a)?.has(b) === true && reached.get(b)?.has(a) === true;
  const folders = [...steps.keys()].toSorted();
  const circles = folders.map((folder) => folders.filter((other) => importEachOther(folder, other)));
  // Each folder of a circle finds the same circle, so only the one of the first folder stays.
  return circles
    .filter((circle, index) => circle[0] === folders[index])
    .map((circle) => ({
      folders: circle,
      imports: circle.flatMap((folder) =>
        [...(steps.get(folder) ?? [])].filter(([to]) => circle.includes(to)).map(([, step]) => step),
      ),
    }));
}

/** For each folder, the folders that it imports, each with one such import. */
type Steps = ReadonlyMap<string, ReadonlyMap<string, Import>>;

function stepsBetweenFolders(imports: readonly Import[]): Steps {
  const steps = new Map<string, Map<string, Import>>();
  for (const step of imports) {
    const from = posix.dirname(step.from);
    const to = posix.dirname(step.to);
    if (from === to) continue;
    const importsOfFolder = steps.get(from) ?? new Map<string, Import>();
    steps.set(from, importsOfFolder);
    if (!importsOfFolder.has(to)) importsOfFolder.set(to, step);
  }
  return steps;
}

function reachedFrom(start: string, steps: Steps): Set<string> {
  const reached = new Set<string>();
  const remaining = [start];
  for (let folder = remaining.pop(); folder !== undefined; folder = remaining.pop()) {
    for (const next of steps.get(folder)?.keys() ?? []) {
      if (!reached.has(next)) remaining.push(next);
      reached.add(next);
    }
  }
  return reached;
}
