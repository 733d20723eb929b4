import { printReport } from '#bench/comparisons/operator-frameworks/reports.ts';

/*
 * Node without a library: the baseline for memory. It watches nothing, so it invents the report of the seed,
 * for which the benchmark waits.
 */
printReport({ phase: 'received', change: 'added', kind: 'ConfigMap', name: 'seed', uid: '' });
setInterval(() => undefined, 60_000);
