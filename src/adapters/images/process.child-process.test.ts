import { expect, test } from '@jest/globals';
import { runWithLingeringPipe, type LingeringPipe } from '#testing/process/run-with-lingering-pipe.ts';

const MODULE = new URL('process.ts', import.meta.url).href;

test.each<LingeringPipe>(['standard error', 'the message channel'])(
  'stopping a process waits for its end, even if %s ends later',
  async (held) => {
    const script = `
      const { startDrawing } = await import(${JSON.stringify(MODULE)});
      const drawing = startDrawing();
      await drawing.send({}, 60_000);
      await drawing.stop();
      console.log('stopped');`;
    expect(await runWithLingeringPipe(held, script)).toEqual({ code: 0, output: 'stopped\n' });
  },
);
