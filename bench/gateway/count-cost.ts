import { secondsByProgram } from '#bench/process-cost.ts';
import { load, type Load, type Loading } from './load.ts';

/** Processor time per answer in microseconds. The processes share the machine's cores. */
interface Each {
  server: number;
  postgres: number;
  generator: number;
}

export interface Served {
  base: string;
  cpuSeconds(): number;
}

export interface Counted extends Load {
  each: Each;
}

/** Like `load`, and also counts the processor time of each process. */
export async function loadCounted(server: Served, loading: Loading): Promise<Counted> {
  const spent = () => ({
    server: server.cpuSeconds(),
    postgres: secondsByProgram()['postgres'] ?? 0,
    generator: process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6,
  });
  let before = spent();
  const begin = (): void => void (before = spent());
  const measured = await load(server.base, { ...loading, begin });
  const after = spent();
  const each = (who: keyof Each): number => ((after[who] - before[who]) / measured.answers) * 1e6;
  return {
    ...measured,
    each: { server: each('server'), postgres: each('postgres'), generator: each('generator') },
  };
}

export const eachShown = ({ server, postgres, generator }: Each): string =>
  `${[server, postgres, generator].map((one) => one.toFixed(0)).join(', ')} µs`;
