import { expect, test } from '@jest/globals';
import { createListener } from './listen.ts';

test('a listener that cannot read the certificate of the server says so and tries again', async () => {
  const errors: string[] = [];
  const tried = Promise.withResolvers<void>();
  const listener = createListener(
    {
      url: 'postgres://user@127.0.0.1:1/db?sslmode=verify-full&sslrootcert=/nowhere/ca.pem',
      retryMilliseconds: 1,
      onError: ({ message }) => {
        errors.push(message);
        if (errors.length === 2) tried.resolve();
      },
    },
    { channel: 'changes', onPayload: () => undefined, onConnect: () => undefined },
  );
  listener.open();
  await tried.promise;
  await listener.close();
  expect(errors[0]).toContain('/nowhere/ca.pem');
});
