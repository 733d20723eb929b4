import { printReport } from '#bench/comparisons/operator-frameworks/reports.ts';

/** Node without a library: the baseline of memory. */
printReport({ phase: 'received', change: 'added', kind: 'ConfigMap', name: 'seed', uid: '' });
setInterval(() => undefined, 60_000);
