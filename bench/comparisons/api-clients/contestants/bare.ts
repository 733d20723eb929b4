import { serve } from '#bench/comparisons/api-clients/serve.ts';

/* Node without a client. Its memory is the baseline. */

const nothing = () => Promise.reject(new Error('no client'));
const calls = { get: nothing, list: nothing, apply: nothing, replaceStale: nothing };
await serve({ real: calls, faulty: calls, describe: String });
