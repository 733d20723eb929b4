interface Scan {
  method: string;
  index: string;
  rows: number;
  loops: number;
  heapFetches: number;
}

const SCAN = /(Seq Scan|Index Only Scan|Index Scan|Bitmap Heap Scan)(?: Backward)?(?: using (\w+))? on (\w+)/;
const ACTUAL = /\(actual [^()]*rows=([\d.]+) loops=(\d+)\)/;
/** Tables that grow with builds or versions. */
const HISTORY_TABLES = new Set(['builds', 'versions', 'build_inputs', 'build_outputs', 'good_versions']);

/**
 * How the growing tables were read, from the plans in Postgres' log. Each row has a table, an access method,
 * the number of rows that its scans returned, the number of scans, and for index-only scans the number of
 * heap fetches.
 */
export function scansIn(log: readonly string[]): string[][] {
  const scans = new Map<string, Scan>();
  let current: Scan | undefined;
  for (const line of log.flatMap((message) => message.split('\n'))) {
    const scanned = SCAN.exec(line);
    const actual = scanned && ACTUAL.exec(line);
    if (actual) current = addScan(scans, [...scanned, ...actual.slice(1)]);
    // Heap fetches follow the line of their scan.
    const fetches = /Heap Fetches: (\d+)/.exec(line);
    if (fetches && current) current.heapFetches += Number(fetches[1]);
  }
  return [...scans].map(([key, { method, index, rows, loops, heapFetches }]) => [
    key.split(' ')[0] ?? '',
    index === '' ? method : `${method}, ${index}`,
    String(Math.round(rows)),
    String(loops),
    method === 'Index Only Scan' ? String(heapFetches) : '',
  ]);
}

function addScan(
  scans: Map<string, Scan>,
  [, method = '', index = '', tableName = '', rows, loops]: readonly string[],
): Scan | undefined {
  if (!HISTORY_TABLES.has(tableName)) return undefined;
  const key = `${tableName} ${method} ${index}`;
  const scan = scans.get(key) ?? { method, index, rows: 0, loops: 0, heapFetches: 0 };
  scan.rows += Number(rows) * Number(loops);
  scan.loops += Number(loops);
  scans.set(key, scan);
  return scan;
}
