import { serve } from '#bench/comparisons/api-clients/serve.ts';

/** Node alone, for the memory that no client can be blamed for. */
const nothing = () => Promise.reject(new Error('no client'));
const calls = { get: nothing, list: nothing, apply: nothing, replaceStale: nothing };
await serve({ real: calls, faulty: calls, describe: String });
