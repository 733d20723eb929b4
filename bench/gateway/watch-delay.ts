import { monitorEventLoopDelay } from 'node:perf_hooks';

/*
 * A process loads this module before its program (`node --import`). Whenever the parent process sends a
 * message, the module answers how late the event loop was since the previous message.
 */
const histogram = monitorEventLoopDelay({ resolution: 1 });
histogram.enable();

process.on('message', () => {
  process.send?.({ p99: histogram.percentile(99) / 1e6, max: histogram.max / 1e6 });
  histogram.reset();
});
process.channel?.unref();
