import { createCompiler, type HclCompiler } from '#adapters/hcl/compile.ts';

/** Pipelines change rarely. In between, the thread and the engine's memory are released. */
const IDLE_MS = 30_000;

interface Idle {
  idleMs?: number;
  /** Called after the compiler was closed because nobody used it. */
  onClosed?: () => void;
}

/** A compiler that exists only while it is used. */
export function idleCompiler(create: () => HclCompiler = createCompiler, idle: Idle = {}): HclCompiler {
  const { idleMs = IDLE_MS, onClosed } = idle;
  let current: HclCompiler | undefined;
  let using = 0;
  let timer: NodeJS.Timeout | undefined;

  const rest = async (): Promise<void> => {
    const resting = current;
    current = undefined;
    await resting?.close();
  };
  const restIdle = async (): Promise<void> => {
    await rest();
    if (current === undefined) onClosed?.();
  };

  return {
    async compile(...text) {
      clearTimeout(timer);
      using += 1;
      current ??= create();
      try {
        return await current.compile(...text);
      } finally {
        using -= 1;
        if (using === 0) timer = setTimeout(() => void restIdle(), idleMs).unref();
      }
    },
    async close() {
      clearTimeout(timer);
      await rest();
    },
  };
}

/** The same compiler for the texts of one namespace. Namespaces take turns. */
export function compilerFor(
  namespace: string,
  compiler: Pick<HclCompiler, 'compile'>,
): Pick<HclCompiler, 'compile'> {
  return {
    compile: (source, variables, sources) => compiler.compile(source, variables, sources, namespace),
  };
}
