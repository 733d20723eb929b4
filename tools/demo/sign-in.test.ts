import { describe, expect, test } from '@jest/globals';
import { signInOfDemo } from './sign-in.ts';

/** A gateway with one account. */
function fakeGateway(password: string, file?: string) {
  const state = { password, mustChange: password === 'initial', file };
  const signedIn = () => ({ token: 't', must_change_password: state.mustChange });
  return {
    state,
    run: () =>
      signInOfDemo(
        (_, path, body) => {
          const fields: Record<string, string> = JSON.parse(JSON.stringify(body));
          const isRight = (fields['password'] ?? fields['current_password']) === state.password;
          if (isRight && path === '/profile/password') {
            state.password = fields['new_password'] ?? '';
            state.mustChange = false;
          }
          return Promise.resolve(isRight ? signedIn() : undefined);
        },
        {
          read: () => Promise.resolve(state.file),
          write: (chosen) => {
            state.file = chosen;
            return Promise.resolve();
          },
        },
        () => Promise.resolve({ username: 'admin', password: 'initial' }),
      ),
  };
}

describe('the account of the demo', () => {
  test('gets a random password the first time, which the browser does not ask to change', async () => {
    const { state, run } = fakeGateway('initial');
    const credentials = await run();
    expect(credentials).toEqual({ username: 'admin', password: state.file });
    expect(state).toMatchObject({ password: state.file, mustChange: false });
    expect(await run()).toEqual(credentials);
  });

  test('is completed after a run was killed between storing and changing the password', async () => {
    const { state, run } = fakeGateway('initial', 'kept');
    expect(await run()).toEqual({ username: 'admin', password: 'kept' });
    expect(state.password).toBe('kept');
  });

  test('keeps a password that somebody chose, which stays unknown to the demo', async () => {
    const { state, run } = fakeGateway('chosen by somebody', 'kept');
    expect(await run()).toBeUndefined();
    expect(state).toMatchObject({ password: 'chosen by somebody', file: 'kept' });
  });
});
