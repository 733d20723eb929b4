import type { Compiler } from '#adapters/hcl/compile.ts';
import { createCompiler } from '#adapters/hcl/compile.ts';

/** Pipelines come rarely; between them the thread and the engine's memory are given back. */
const IDLE_MS = 30_000;

/** A compiler that exists only while it is used. */
export function idleCompiler(create: () => Compiler = createCompiler, idleMs = IDLE_MS): Compiler {
  let current: Compiler | undefined;
  let using = 0;
  let timer: NodeJS.Timeout | undefined;

  const rest = async (): Promise<void> => {
    const resting = current;
    current = undefined;
    await resting?.close();
  };

  return {
    async compile(source, variables, sources) {
      clearTimeout(timer);
      using += 1;
      current ??= create();
      try {
        return await current.compile(source, variables, sources);
      } finally {
        using -= 1;
        if (using === 0) timer = setTimeout(() => void rest(), idleMs).unref();
      }
    },
    async close() {
      clearTimeout(timer);
      await rest();
    },
  };
}
