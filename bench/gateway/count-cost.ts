import { secondsByProgram } from '#bench/process-cost.ts';
import { load, type LoadResult, type LoadSettings } from './load.ts';

/** Processor time per answer in microseconds. Server, Postgres and this process share the machine's cores. */
interface CostPerAnswer {
  server: number;
  postgres: number;
  /** This process, which sends the requests. */
  generator: number;
}

export interface MeasuredServer {
  base: string;
  cpuSeconds(): number;
}

export interface LoadWithCost extends LoadResult {
  costPerAnswer: CostPerAnswer;
}

/** Like `load`, and also counts the processor time of each process. Replaces `begin` of the settings. */
export async function loadCounted(server: MeasuredServer, options: LoadSettings): Promise<LoadWithCost> {
  const spent = () => ({
    server: server.cpuSeconds(),
    postgres: secondsByProgram()['postgres'] ?? 0,
    generator: process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6,
  });
  let before = spent();
  const begin = (): void => void (before = spent());
  const measured = await load(server.base, { ...options, begin });
  const after = spent();
  const costOf = (program: keyof CostPerAnswer): number =>
    ((after[program] - before[program]) / measured.answers) * 1e6;
  return {
    ...measured,
    costPerAnswer: { server: costOf('server'), postgres: costOf('postgres'), generator: costOf('generator') },
  };
}

export const formatCost = ({ server, postgres, generator }: CostPerAnswer): string =>
  `${[server, postgres, generator].map((cost) => cost.toFixed(0)).join(', ')} µs`;
