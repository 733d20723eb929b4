import { describe, expect, test } from '@jest/globals';
import { typeInto } from './type-into.ts';

const QUIET_MS = 200;
const type = async (script: string, answers: readonly (readonly [string, string])[]): Promise<string> =>
  await typeInto(`sh -c '${script}'`, answers, process.env, QUIET_MS);

const ASK = (question: string): string => `printf "${question}"; read answer; echo "[$answer]"`;

describe('typing into a command at a terminal', () => {
  test('sends each answer after its question', async () => {
    const screen = await type(`${ASK('Password: ')}; ${ASK('New password: ')}`, [
      ['Password: ', 'old'],
      ['New password: ', 'new'],
    ]);
    expect(screen).toContain('[old]');
    expect(screen).toContain('[new]');
  });

  test('ignores output that is not a question', async () => {
    expect(await type('echo "Waiting for:"; sleep 0.6; echo done', [])).toContain('done');
  });

  const unexpected: Record<string, [script: string, expected: string]> = {
    'another question': [ASK('User name: '), 'It asks "User name: " where "Password: " is expected.'],
    'an unexpected question': [
      `${ASK('Password: ')}; ${ASK('Continue?')}`,
      'It asks "Continue?" where no question is expected.',
    ],
  };
  test.each(Object.entries(unexpected))(
    'fails at once at %s, and shows the screen',
    async (_name, [script, expected]) => {
      const started = performance.now();
      const typing = type(`echo hello; ${script}`, [['Password: ', 'old']]);
      await expect(typing).rejects.toThrow(expected);
      await expect(typing).rejects.toThrow('hello');
      expect(performance.now() - started).toBeLessThan(30_000);
    },
  );

  test('fails with the screen if the command fails', async () => {
    await expect(type('echo no such server; exit 3', [])).rejects.toThrow(/ended with 3[^]*no such server/);
  });
});
