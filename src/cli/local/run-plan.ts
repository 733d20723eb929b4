import type { Cause } from '#agent/build-context.ts';
import { Outbox } from '#agent/outbox.ts';
import { runBuild } from '#agent/run-build.ts';
import type { SecretLinks } from '#agent/secrets.ts';
import { Spool } from '#agent/spool.ts';
import type { EventsRequest } from '#domain/build/agent-protocol.ts';
import type { BuildEvent } from '#domain/build/events.ts';
import type { Plan } from '#domain/planning/plan.ts';
import type { Containers } from './containers.ts';
import type { Stops } from './stops.ts';

interface PlanRun {
  plan: Plan;
  containers: Containers;
  stops: Stops;
  requestSecrets: SecretLinks['request'];
  /** The directory for events that wait to be printed. */
  spoolFolder: string;
  onEvent: (event: BuildEvent) => void;
}

const nothing = (): void => undefined;

/** Runs the plan with the code of the agent, which reports to `onEvent` instead of a gateway. */
export async function runPlan({
  plan,
  containers,
  stops,
  requestSecrets,
  spoolFolder,
  onEvent,
}: PlanRun): Promise<Cause> {
  const send = async (body: Buffer): Promise<{ acknowledged: number }> => {
    const { events }: EventsRequest = JSON.parse(body.toString());
    for (const event of events) onEvent(event);
    return { acknowledged: events.at(-1)?.sequence ?? 0 };
  };
  const outbox = new Outbox(
    { send, onCancel: nothing, onOver: nothing, onRefused: nothing },
    new Spool(spoolFolder),
  );
  const { plan: stop, root } = stops;
  const cause = await runBuild({
    plan,
    shims: containers.shims,
    outbox,
    requestSecrets,
    fetchIdentity: async () => ({ variables: {} }),
    stop,
    root,
    onStepEnded: nothing,
  });
  await outbox.whenAcknowledged(outbox.flush());
  outbox.giveUp(new Error('the run has ended'));
  return cause;
}
