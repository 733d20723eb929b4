import type { ShimConnection } from '#adapters/process/shim-connection.ts';
import { defined } from '#defined';
import {
  MAX_SECRET_OUTPUT_BYTES,
  parseSecretOutput,
  type SecretOutput,
} from '#domain/build/parse-secret-output.ts';
import type { SecretGet } from '#domain/planning/plan-secret-gets.ts';
import { Head } from './capture.ts';
import { runCommand, whyFailed, type CommandEnd } from './run-command.ts';

const GET_SECONDS = 60;

/**
 * Runs the get of a secret type. No log shows its output. Returns undefined if `stop` aborted first. Run one
 * get at a time: while another command runs in the container, the shim cannot end all processes that a get
 * leaves behind.
 */
export async function runSecretGet(
  { values, command, workdir, env }: SecretGet,
  shims: Map<string, ShimConnection>,
  stop: AbortSignal,
): Promise<Record<string, SecretOutput> | undefined> {
  const output = new Head(MAX_SECRET_OUTPUT_BYTES);
  const limit = AbortSignal.timeout(GET_SECONDS * 1000);
  const end = await runCommand({
    shims,
    command,
    env,
    ...defined({ cwd: workdir }),
    stop: AbortSignal.any([limit, stop]),
    onOutput: (stream, bytes) => {
      if (stream === 'stdout') output.write(bytes);
    },
  });
  if (stop.aborted) return undefined;
  const fault = limit.aborted ? `its get took longer than ${GET_SECONDS} s` : faultOf(end, output);
  const result = (key: string): SecretOutput =>
    fault === undefined ? parseSecretOutput(output.text(), key) : { fault };
  return Object.fromEntries(values.map(({ name, key }) => [name, result(key)]));
}

function faultOf(end: CommandEnd, { overflowed }: Head): string | undefined {
  const failure = 'lost' in end ? end.lost : whyFailed(end);
  if (failure !== undefined) return `its get failed: ${failure}`;
  return overflowed ? `its get printed more than ${MAX_SECRET_OUTPUT_BYTES} bytes` : undefined;
}
