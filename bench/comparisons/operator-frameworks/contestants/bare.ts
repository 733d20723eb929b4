import { say } from '#bench/comparisons/operator-frameworks/told.ts';

/** Node alone, for the memory that no contestant can be blamed for. */
say({ what: 'heard', change: 'added', kind: 'ConfigMap', name: 'seed', uid: '' });
setInterval(() => undefined, 60_000);
