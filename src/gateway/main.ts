import { setFlagsFromString } from 'node:v8';
import { collectGarbage } from '#adapters/process/collect-garbage.ts';
import { runUntilSignal } from '#adapters/process/run-until-signal.ts';
import { createLog, type Log } from '#adapters/telemetry/log.ts';
import {
  internalGatewayConfig,
  publicGatewayConfig,
  withFlags,
  type Configured,
  type GatewayFlags,
} from '#config';
import { serve, type Service } from './serve.ts';

/**
 * The entry point of the gateway: `public` serves people and forges, `internal` serves agents. Runs until a
 * signal arrives, then ends the process. If the configuration is invalid, prints what is wrong and sets exit
 * code 1.
 */
export async function runGateway(role: 'public' | 'internal', flags: GatewayFlags): Promise<void> {
  if (role === 'public') {
    await run(publicGatewayConfig(withFlags(flags)), async (config, log) => {
      // With a parallel scavenger, the main thread waits for the thread of the scavenger whenever the CPU is
      // busy (docs/benchmarks.md).
      setFlagsFromString('--no-parallel-scavenge');
      const { startPublicGateway } = await import('./public.ts');
      return await startPublicGateway(config, log);
    });
  } else {
    await run(internalGatewayConfig(withFlags(flags)), async (config, log) => {
      const { startInternalGateway } = await import('./internal.ts');
      return await startInternalGateway(config, log);
    });
  }
}

async function run<Config extends { logLevel: string; role: string }>(
  configured: Configured<Config>,
  start: (config: Config, log: Log) => Promise<Service>,
): Promise<void> {
  if (configured.problems !== undefined) {
    for (const problem of configured.problems) process.stderr.write(`${problem}\n`);
    process.exitCode = 1;
    return;
  }
  const { config } = configured;
  const log = createLog(config.logLevel, `gateway-${config.role}`);
  const startWithoutGarbage = async (): Promise<Service> => {
    const service = await start(config, log);
    collectGarbage();
    return service;
  };
  await runUntilSignal((stop) => serve(startWithoutGarbage, stop), log);
}
