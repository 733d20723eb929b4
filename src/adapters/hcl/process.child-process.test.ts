import { expect, test } from '@jest/globals';
import { runWithLingeringPipe, type LingeringPipe } from '#testing/process/run-with-lingering-pipe.ts';

const MODULE = new URL('process.ts', import.meta.url).href;

test.each<LingeringPipe>(['standard error', 'the message channel'])(
  'stopping a process waits for its end although %s ends later than the process',
  async (held) => {
    const script = `
      const { startProcess } = await import(${JSON.stringify(MODULE)});
      const compiler = startProcess('hcl.wasm', 64);
      await compiler.send({}, 60_000);
      await compiler.stop();
      console.log('stopped');`;
    expect(await runWithLingeringPipe(held, script)).toEqual({ code: 0, output: 'stopped\n' });
  },
);
