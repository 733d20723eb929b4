import { PassThrough } from 'node:stream';
import type { FastifyBaseLogger, FastifyReply } from 'fastify';
import { Problem, toProblem } from '#adapters/http/protocol/problem.ts';
import type { AgentMetrics, SessionResult } from '#adapters/telemetry/metrics.ts';
import type { ProvisionalWork, SessionConfirmation, SessionResponse } from '#domain/build/agent-protocol.ts';
import type { AgentSessionAnswer } from '#flows/builds/session-ports.ts';
import { SessionBody } from './messages.ts';
import type { AgentApp, AgentRoutes } from './routes.ts';
import { hashKey, sessionOver } from './sessions.ts';

const MAX_SESSION_BYTES = 64 * 1024;
/**
 * While the status of a Pod has no address yet, a call that opens a session reads the Pod again and again,
 * for up to 10 s. So such a call counts as five refused calls while it runs, and an address can have at most
 * four of them at a time.
 */
export const OPENING_WEIGHT = 5;

/**
 * Registers the route on which an agent exchanges its credential for a session. The key that the agent chose
 * then identifies the session.
 */
export function registerSessionRoute(
  app: AgentApp,
  { flows, sessions, metrics, refusals }: AgentRoutes,
): void {
  app.post(
    '/agent/v1/session',
    { schema: { body: SessionBody }, bodyLimit: MAX_SESSION_BYTES },
    async ({ body, socket, log }, reply): Promise<SessionResponse | FastifyReply> => {
      const peer = socket.remoteAddress ?? '';
      const settle = refusals.begin(peer, OPENING_WEIGHT);
      const responseLines = new ResponseLines(reply);
      let result: SessionResult = 'error';
      try {
        const answer = await flows.openSession(body, peer, (work) =>
          responseLines.begin({ ...work, provisional: true }),
        );
        result = answer.answer;
        if (answer.answer !== 'opened' && answer.answer !== 'same') {
          throw refusal(answer, log.child({ pod: body.pod, peer }), metrics);
        }
        sessions.cache(hashKey(body.key), answer.session);
        return responseLines.end({ confirmed: true }) ?? answer.response;
      } catch (error) {
        const problem = toProblem(error);
        const endedReply = responseLines.end({ confirmed: false, status: problem.status });
        if (endedReply === undefined) throw error;
        if (problem !== error) log.error({ err: error }, 'a provisional session could not be opened');
        return endedReply;
      } finally {
        settle(REFUSED_RESULTS.has(result));
        metrics.session(result, reply.elapsedTime / 1000);
      }
    },
  );
}

/** The results that count as refused calls. `error` and `not-yet` are not the fault of the caller. */
const REFUSED_RESULTS: ReadonlySet<SessionResult> = new Set(['refused', 'taken', 'over']);

/**
 * Sends the response as two JSON lines, if there is work that the agent may begin early: first that work,
 * then the confirmation of the session.
 */
class ResponseLines {
  readonly #reply: FastifyReply;
  #stream: PassThrough | undefined;

  constructor(reply: FastifyReply) {
    this.#reply = reply;
  }

  begin(line: ProvisionalWork): void {
    this.#stream = new PassThrough();
    // If the agent has disconnected, the second line cannot be written. That is not an error.
    this.#stream.on('error', () => undefined);
    this.#stream.write(`${JSON.stringify(line)}\n`);
    void this.#reply.type('application/x-ndjson').send(this.#stream);
  }

  /**
   * Sends the confirmation. If `begin` was not called, sends nothing and returns undefined: then the response
   * is a single JSON object.
   */
  end(line: SessionConfirmation): FastifyReply | undefined {
    if (this.#stream === undefined) return undefined;
    this.#stream.end(`${JSON.stringify(line)}\n`);
    return this.#reply;
  }
}

type Refusal = Exclude<AgentSessionAnswer, { answer: 'opened' | 'same' }>;

/**
 * The problem for a call that opened no session. The caller learns only that the session has ended, or that
 * it should try again. The log has the reason, except for `over`.
 */
function refusal(answer: Refusal, log: FastifyBaseLogger, metrics: AgentMetrics): Problem {
  switch (answer.answer) {
    case 'refused':
      log.warn({ reason: answer.reason }, 'an agent was refused');
      return sessionOver();
    case 'taken':
      metrics.nonceReused();
      log.error({ work: answer.session, alarm: true }, 'a second key used the credential of an agent');
      return sessionOver();
    case 'not-yet':
      log.warn({ reason: answer.reason }, 'an agent has to try again');
      return new Problem('unavailable', 'The Pod cannot be identified yet. Try again in a moment.');
    case 'over':
    default:
      return sessionOver();
  }
}
