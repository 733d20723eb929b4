import { test } from '@jest/globals';

/**
 * Tests of one story, in order: each continues where the one before ended. After a step that fails, the later
 * ones fail without running.
 */
export const storySteps = (): ((name: string, run: () => Promise<void>) => void) => {
  let failed: string | undefined;
  return (name, run) =>
    test(name, async () => {
      if (failed !== undefined) throw new Error(`not run, because this step failed: ${failed}`);
      failed = name;
      await run();
      failed = undefined;
    });
};
