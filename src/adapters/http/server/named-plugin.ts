import type { FastifyInstance } from 'fastify';

/**
 * A plugin with a name for error messages. To name a plugin that has none, Fastify searches all loaded
 * modules, which is slow.
 */
export function namedPlugin<Instance = FastifyInstance>(
  name: string,
  register: (scope: Instance) => Promise<void>,
): (scope: Instance) => Promise<void> {
  return Object.assign(register, { [Symbol.for('fastify.display-name')]: name });
}
