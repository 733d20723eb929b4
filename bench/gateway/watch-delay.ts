import { monitorEventLoopDelay } from 'node:perf_hooks';

/*
 * Loaded into a process before its program (`node --import`). Reports to the parent process how late the
 * event loop is.
 */
const histogram = monitorEventLoopDelay({ resolution: 1 });
histogram.enable();

process.on('message', () => {
  process.send?.({ p99: histogram.percentile(99) / 1e6, max: histogram.max / 1e6 });
  histogram.reset();
});
process.channel?.unref();
