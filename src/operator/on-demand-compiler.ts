import { createCompiler, type HclCompiler } from '#adapters/hcl/compile.ts';

/**
 * Pipelines change rarely, so after this idle time the compiler ends its processes, which releases their
 * memory.
 */
const IDLE_MS = 30_000;

interface IdleOptions {
  idleMs?: number;
  /** Called after the compiler was closed because nobody used it. */
  onClosed?: () => void;
}

/** A compiler that is created on first use, and closed when it is idle. */
export function onDemandCompiler(
  create: () => HclCompiler = createCompiler,
  idle: IdleOptions = {},
): HclCompiler {
  const { idleMs = IDLE_MS, onClosed } = idle;
  let current: HclCompiler | undefined;
  let running = 0;
  let timer: NodeJS.Timeout | undefined;

  const closeCurrent = async (): Promise<void> => {
    const closing = current;
    current = undefined;
    await closing?.close();
  };
  const closeIdle = async (): Promise<void> => {
    await closeCurrent();
    if (current === undefined) onClosed?.();
  };

  return {
    async compile(...text) {
      clearTimeout(timer);
      running += 1;
      current ??= create();
      try {
        return await current.compile(...text);
      } finally {
        running -= 1;
        if (running === 0) timer = setTimeout(() => void closeIdle(), idleMs).unref();
      }
    },
    async close() {
      clearTimeout(timer);
      await closeCurrent();
    },
  };
}

/** A compiler for the texts of one namespace. It uses the given compiler, in which namespaces take turns. */
export function compilerFor(
  namespace: string,
  compiler: Pick<HclCompiler, 'compile'>,
): Pick<HclCompiler, 'compile'> {
  return {
    compile: (source, variables, sources) => compiler.compile(source, variables, sources, namespace),
  };
}
