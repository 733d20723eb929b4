/** Commands for a shim. The other end is `decodeCommand` in `src/agent/shim/command.go`. */
export interface ShimCommand {
  argv: string[];
  env: Record<string, string>;
  /** If absent, the command runs in a new directory, which is removed afterwards. `$WORKDIR` names it. */
  cwd?: string;
  script?: string;
  makeExecutable?: boolean;
  /** The command gets a file, `$SVC_OUTPUT`, and its content is returned. */
  wantsOutput?: boolean;
  /** Paths that must exist before, and after a success, relative to `cwd`. */
  inputs?: string[];
  outputs?: string[];
  /**
   * Processes that the command leaves behind. Absent: all that run in the container are ended. `own`: those
   * it started. `stay`: none.
   */
  leftovers?: 'own' | 'stay';
  /** What it reads from its standard input. Absent: nothing. */
  input?: string;
  /**
   * Temporary files that earlier commands left in the container are removed first, and `$TMPDIR` is a new
   * directory. Such commands must not run at the same time.
   */
  fresh?: boolean;
  /** The absolute path of a directory that the shim empties first. */
  folder?: string;
}

/** How a command ended. */
export interface ShimExit {
  end:
    | { kind: 'code'; code: number }
    | { kind: 'signal'; signal: number }
    | { kind: 'not-started'; code: number };
  /** Why the command could not start or why its output file was refused. */
  message: string;
  /** The kernel killed a process of the container for lack of memory during the command. */
  outOfMemory: boolean;
  /** The container was asked to end. */
  terminated: boolean;
  /** At least one process of the command could not be ended. */
  leftovers: boolean;
  /** Of a shell: the command beside which the shell ran ended first. */
  commandEnded: boolean;
}

/** A shell beside a command that runs. The other end is `decodeDebug` in `src/agent/shim/debug.go`. */
export interface ShimDebug {
  /** Id of the command. */
  beside: number;
  /** Absent: its standard streams are pipes. */
  terminal?: { columns: number; rows: number };
  cwd: string;
  /** Empty: the first of `bash` and `sh` that exists. */
  argv: string[];
  env: Record<string, string>;
}

export const TO_SHIM = { run: 1, signal: 2, credit: 3, end: 4, debug: 5, input: 6, resize: 7 } as const;
export const FROM_SHIM = { started: 1, stdout: 2, stderr: 3, output: 4, exit: 5, consumed: 6 } as const;

export function encodeDebug({ beside, terminal, cwd, argv, env }: ShimDebug): Buffer {
  return Buffer.concat([
    number(beside),
    ...encodeSize(terminal ?? { columns: 0, rows: 0 }),
    ...text(cwd),
    ...list(argv),
    ...list(pairsOf(env)),
  ]);
}

export const encodeSize = ({ columns, rows }: { columns: number; rows: number }): Buffer[] => [
  number(columns),
  number(rows),
];

const pairsOf = (env: Record<string, string>): string[] =>
  Object.entries(env).map(([name, value]) => `${name}=${value}`);

export function encodeCommand(command: ShimCommand): Buffer {
  const flags = flagsOf(command);
  return Buffer.concat([
    number(flags),
    ...text(command.cwd ?? ''),
    ...text(command.script ?? ''),
    ...list(command.argv),
    ...list(pairsOf(command.env)),
    ...list(command.inputs ?? []),
    ...list(command.outputs ?? []),
    ...text(command.input ?? ''),
    ...text(command.folder ?? ''),
  ]);
}

function flagsOf(command: ShimCommand): number {
  const flags: [bit: number, isSet: boolean][] = [
    [1, command.makeExecutable === true],
    [2, command.cwd === undefined],
    [4, command.script !== undefined],
    [8, command.wantsOutput === true],
    [16, command.leftovers !== undefined],
    [32, command.leftovers === 'stay'],
    [64, command.input !== undefined],
    [128, command.fresh === true],
  ];
  return flags.reduce((sum, [bit, isSet]) => sum + (isSet ? bit : 0), 0);
}

export function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value, 0);
  return bytes;
}

function text(value: string): Buffer[] {
  const bytes = Buffer.from(value);
  return [number(bytes.length), bytes];
}

function list(values: string[]): Buffer[] {
  return [number(values.length), ...values.flatMap(text)];
}

export function decodeExit(payload: Buffer): ShimExit {
  const kind = payload.readUInt8(0);
  const notes = payload.readUInt8(1);
  const code = payload.readUInt32BE(2);
  return {
    end: endOf(kind, code),
    message: payload.toString('utf8', 6),
    outOfMemory: (notes & 1) !== 0,
    terminated: (notes & 2) !== 0,
    leftovers: (notes & 4) !== 0,
    commandEnded: (notes & 8) !== 0,
  };
}

function endOf(kind: number, code: number): ShimExit['end'] {
  switch (kind) {
    case 0:
      return { kind: 'code', code };
    case 1:
      return { kind: 'signal', signal: code };
    case 2:
      return { kind: 'not-started', code };
    default:
      throw new Error(`an exit of unknown kind ${kind}`);
  }
}
