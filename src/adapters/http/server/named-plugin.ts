import type { FastifyInstance } from 'fastify';

/**
 * Returns a plugin with a name, which Fastify shows in error messages. Without a name, Fastify would search
 * all loaded modules for one, which is slow.
 */
export function namedPlugin<Instance = FastifyInstance>(
  name: string,
  register: (scope: Instance) => Promise<void>,
): (scope: Instance) => Promise<void> {
  return Object.assign(register, { [Symbol.for('fastify.display-name')]: name });
}
