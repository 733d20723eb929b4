import type { FastifyBaseLogger } from 'fastify';
import type { SessionResponse } from '#domain/build/agent-protocol.ts';
import type { AgentMetrics, SessionResult } from '#adapters/http/metrics.ts';
import { Problem } from '#adapters/http/problem.ts';
import type { SessionAnswer } from './agent-api.ts';
import { SessionBody } from './messages.ts';
import type { AgentApp, AgentRoutes } from './routes.ts';
import { hashKey, over } from './sessions.ts';

const SESSION_LIMIT = 64 * 1024;

/** The first word of an agent: its credential against a session of its own key. */
export function registerSessionRoute(app: AgentApp, { api, sessions, metrics }: AgentRoutes): void {
  app.post(
    '/agent/v1/session',
    { schema: { body: SessionBody }, bodyLimit: SESSION_LIMIT },
    async ({ body, socket, log }, reply): Promise<SessionResponse> => {
      const peer = socket.remoteAddress ?? '';
      let result: SessionResult = 'error';
      try {
        const answer = await api.openSession(body, peer);
        result = answer.answer;
        if (answer.answer !== 'opened' && answer.answer !== 'same') {
          throw refusal(answer, log.child({ pod: body.pod, peer }), metrics);
        }
        sessions.remember(hashKey(body.key), answer.session);
        return answer.response;
      } finally {
        metrics.session(result, reply.elapsedTime / 1000);
      }
    },
  );
}

type Refusal = Exclude<SessionAnswer, { answer: 'opened' | 'same' }>;

/** The caller learns only that it is over; the log says why. */
function refusal(answer: Refusal, log: FastifyBaseLogger, metrics: AgentMetrics): Problem {
  switch (answer.answer) {
    case 'refused':
      log.warn({ reason: answer.reason }, 'an agent was refused');
      return over();
    case 'taken':
      metrics.nonceReused();
      log.error({ work: answer.session, alarm: true }, 'a second key showed the credential of an agent');
      return over();
    case 'not-yet':
      log.warn({ reason: answer.reason }, 'an agent is told to come again');
      return new Problem('unavailable', 'Not yet: come again in a moment.');
    case 'over':
    default:
      return over();
  }
}
