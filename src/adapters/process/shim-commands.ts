/** What a shim is asked to run; its other end is `decodeCommand` in `src/agent/shim/command.go`. */
export interface ShimCommand {
  argv: string[];
  env: Record<string, string>;
  /** Absent: a fresh directory of its own, removed afterwards, and `$WORKDIR` names it. */
  cwd?: string;
  script?: string;
  makeExecutable?: boolean;
  /** The command gets a file, `$SVC_OUTPUT`, whose content comes back. */
  wantsOutput?: boolean;
}

/** How a command ended. */
export interface ShimExit {
  end:
    | { kind: 'code'; code: number }
    | { kind: 'signal'; signal: number }
    | { kind: 'not-started'; code: number };
  /** Says why a command could not start or its output file was refused. */
  message: string;
  /** The kernel killed a process of the container for lack of memory meanwhile. */
  outOfMemory: boolean;
  /** The container had been asked to end. */
  terminated: boolean;
  /** Some process of the command could not be ended. */
  leftovers: boolean;
}

export const TO_SHIM = { run: 1, signal: 2, credit: 3, end: 4 } as const;
export const FROM_SHIM = { started: 1, stdout: 2, stderr: 3, output: 4, exit: 5 } as const;

export function encodeCommand(command: ShimCommand): Buffer {
  const flags =
    (command.makeExecutable === true ? 1 : 0) |
    (command.cwd === undefined ? 2 : 0) |
    (command.script === undefined ? 0 : 4) |
    (command.wantsOutput === true ? 8 : 0);
  return Buffer.concat([
    number(flags),
    ...text(command.cwd ?? ''),
    ...text(command.script ?? ''),
    ...list(command.argv),
    ...list(Object.entries(command.env).map(([name, value]) => `${name}=${value}`)),
  ]);
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
