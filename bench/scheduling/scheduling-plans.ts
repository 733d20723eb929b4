interface Scan {
  how: string;
  index: string;
  rows: number;
  times: number;
  heapFetches: number;
}

const NODE = /-> {2}|^/;
const SCAN = /(Seq Scan|Index Only Scan|Index Scan|Bitmap Heap Scan)(?: Backward)?(?: using (\w+))? on (\w+)/;
const TIMES = /\(actual [^()]*rows=([\d.]+) loops=(\d+)\)/;
const HISTORY = new Set(['builds', 'versions', 'build_inputs', 'build_outputs', 'good_versions']);

/** How the growing tables were read, from the plans in Postgres' log: one row per table and access method. */
export function scansIn(log: readonly string[]): string[][] {
  const scans = new Map<string, Scan>();
  let current: Scan | undefined;
  for (const line of log.flatMap((piece) => piece.split('\n'))) {
    const found = NODE.test(line) ? SCAN.exec(line) : null;
    const times = found && TIMES.exec(line);
    if (times) current = add(scans, [...found, ...times.slice(1)]);
    const fetches = /Heap Fetches: (\d+)/.exec(line);
    if (fetches && current) current.heapFetches += Number(fetches[1]);
  }
  return [...scans].map(([key, { how, index, rows, times, heapFetches }]) => [
    key.split(' ')[0] ?? '',
    index === '' ? how : `${how}, ${index}`,
    String(Math.round(rows)),
    String(times),
    how === 'Index Only Scan' ? String(heapFetches) : '',
  ]);
}

function add(
  scans: Map<string, Scan>,
  [, how = '', index = '', on = '', rows, loops]: readonly string[],
): Scan | undefined {
  if (!HISTORY.has(on)) return undefined;
  const key = `${on} ${how} ${index}`;
  const scan = scans.get(key) ?? { how, index, rows: 0, times: 0, heapFetches: 0 };
  scan.rows += Number(rows) * Number(loops);
  scan.times += Number(loops);
  scans.set(key, scan);
  return scan;
}
