/** A command for a shim. The shim reads it with `decodeCommand` in `src/agent/shim/command.go`. */
export interface ShimCommand {
  argv: string[];
  env: Record<string, string>;
  /** The working directory. Absent: a new directory, named by `$WORKDIR`, which is removed afterwards. */
  cwd?: string;
  /** Text of a file that the shim writes (mode 0700). The shim appends the path of the file to `argv`. */
  script?: string;
  /** The shim first makes the last element of `argv` executable: a path relative to the working directory. */
  makeExecutable?: boolean;
  /** The command can write to the file `$SVC_OUTPUT`, whose content is returned. */
  wantsOutput?: boolean;
  /** Paths that must exist before the command, relative to `cwd`. */
  inputs?: string[];
  /** Paths that must exist after a command that succeeded, relative to `cwd`. */
  outputs?: string[];
  /**
   * Which processes the shim ends when the command has ended. Absent: all processes of the container. `own`:
   * those that the command started. `stay`: none.
   */
  leftovers?: 'own' | 'stay';
  /** The standard input of the command. Absent: it is empty. */
  input?: string;
  /**
   * If true, the shim first removes temporary files that earlier commands left in the container, and
   * `$TMPDIR` is a new directory. Such commands must not run at the same time.
   */
  fresh?: boolean;
  /** Absolute path of a directory that the shim empties before the command starts. */
  folder?: string;
}

/** How a command ended. */
export interface ShimExit {
  end:
    | { kind: 'code'; code: number }
    | { kind: 'signal'; signal: number }
    | { kind: 'not-started'; code: number };
  /** Why the command could not start, or why its output file was refused; otherwise empty. */
  message: string;
  /** The kernel killed a process of the container for lack of memory during the command. */
  outOfMemory: boolean;
  /** The container received SIGTERM. */
  terminated: boolean;
  /** At least one process of the command could not be killed. */
  leftovers: boolean;
  /** For a shell: the command beside which the shell ran has ended. */
  commandEnded: boolean;
}

/** A shell beside a running command. The shim reads it with `decodeDebug` in `src/agent/shim/debug.go`. */
export interface ShimShell {
  /** Id of the command. */
  beside: number;
  /** Absent: the standard streams of the shell are pipes. */
  terminal?: { columns: number; rows: number };
  cwd: string;
  /** Empty: the first of `bash` and `sh` that exists. */
  argv: string[];
  env: Record<string, string>;
}

/**
 * Kinds of frames. `command.go` has the same numbers, and also those of `flagsOf`, `decodeExit` and `endOf`.
 */
export const TO_SHIM = { run: 1, signal: 2, credit: 3, end: 4, debug: 5, input: 6, resize: 7 } as const;
export const FROM_SHIM = { started: 1, stdout: 2, stderr: 3, output: 4, exit: 5, consumed: 6 } as const;

export function encodeDebug({ beside, terminal, cwd, argv, env }: ShimShell): Buffer {
  return Buffer.concat([
    uint32(beside),
    ...encodeSize(terminal ?? { columns: 0, rows: 0 }),
    ...text(cwd),
    ...list(argv),
    ...list(pairsOf(env)),
  ]);
}

export const encodeSize = ({ columns, rows }: { columns: number; rows: number }): Buffer[] => [
  uint32(columns),
  uint32(rows),
];

const pairsOf = (env: Record<string, string>): string[] =>
  Object.entries(env).map(([name, value]) => `${name}=${value}`);

export function encodeCommand(command: ShimCommand): Buffer {
  const flags = flagsOf(command);
  return Buffer.concat([
    uint32(flags),
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
  let flags = 0;
  if (command.makeExecutable === true) flags += 1;
  if (command.cwd === undefined) flags += 2;
  if (command.script !== undefined) flags += 4;
  if (command.wantsOutput === true) flags += 8;
  if (command.leftovers !== undefined) flags += 16;
  if (command.leftovers === 'stay') flags += 32;
  if (command.input !== undefined) flags += 64;
  if (command.fresh === true) flags += 128;
  return flags;
}

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value, 0);
  return bytes;
}

function text(value: string): Buffer[] {
  const bytes = Buffer.from(value);
  return [uint32(bytes.length), bytes];
}

function list(values: string[]): Buffer[] {
  return [uint32(values.length), ...values.flatMap(text)];
}

export function decodeExit(payload: Buffer): ShimExit {
  const kind = payload.readUInt8(0);
  const flags = payload.readUInt8(1);
  const code = payload.readUInt32BE(2);
  return {
    end: endOf(kind, code),
    message: payload.toString('utf8', 6),
    outOfMemory: (flags & 1) !== 0,
    terminated: (flags & 2) !== 0,
    leftovers: (flags & 4) !== 0,
    commandEnded: (flags & 8) !== 0,
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
      throw new Error(`unknown kind of exit: ${kind}`);
  }
}
