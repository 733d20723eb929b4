import { createCompiler, type HclCompiler } from '#adapters/hcl/compile.ts';

/** Pipelines come rarely; between them the thread and the engine's memory are given back. */
const IDLE_MS = 30_000;

interface Idle {
  idleMs?: number;
  /** It was closed because nobody used it. */
  rested?: () => void;
}

/** A compiler that exists only while it is used. */
export function idleCompiler(create: () => HclCompiler = createCompiler, idle: Idle = {}): HclCompiler {
  const { idleMs = IDLE_MS, rested } = idle;
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
    if (current === undefined) rested?.();
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

/** The same compiler for the texts of one namespace: with those of others they take turns. */
export function compilerFor(
  namespace: string,
  compiler: Pick<HclCompiler, 'compile'>,
): Pick<HclCompiler, 'compile'> {
  return {
    compile: (source, variables, sources) => compiler.compile(source, variables, sources, namespace),
  };
}
