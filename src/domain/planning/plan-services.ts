import { defined } from '#defined';
import type { Command } from '#domain/pipeline/command.ts';
import { variablesIn } from '#domain/pipeline/environment-table.ts';
import type { ServiceStep, Step } from '#domain/pipeline/steps.ts';
import type { ActionContext } from './plan-action.ts';
import { commandEnvironment, planCommand, prefixed } from './plan-command.ts';
import type { PlanCommand, PlanService } from './plan.ts';
import { containersOfService, type JobService } from './service-containers.ts';

/** The services among the steps of a job or branch, without the services of branches inside it. */
export function planServices(steps: readonly Step[], context: ActionContext): PlanService[] {
  const ownServices = new Set<Step>(steps.filter((step) => step.kind === 'service'));
  return context.services
    .filter(({ step }) => ownServices.has(step))
    .map((service) => planService(service, context));
}

function planService(service: JobService, { variables, workdir }: ActionContext): PlanService {
  const { id, name, step, type } = service;
  const containers = containersOfService(service);
  const planServiceCommand = (
    command: Command,
  ): { command: PlanCommand; env: Record<string, string> } | undefined => {
    const planned = planCommand(command, containers, workdir);
    return planned && { command: planned, env: environmentOf(command, step, variables) };
  };
  const start = planServiceCommand(type.start);
  const stop = planServiceCommand(type.stop);
  const ready = type.ready && planServiceCommand(type.ready.check);
  return {
    id,
    name,
    ...defined({ timeoutSeconds: step.timeoutSeconds }),
    ...(start && { start: { ...start, staysInForeground: type.start.runner === 'docker' } }),
    ...(type.ready &&
      ready && {
        ready: {
          ...ready,
          intervalSeconds: type.ready.intervalSeconds,
          timeoutSeconds: type.ready.timeoutSeconds,
        },
      }),
    ...defined({ stop }),
  };
}

function environmentOf(
  command: Command,
  { params }: ServiceStep,
  variables: Record<string, string>,
): Record<string, string> {
  return {
    ...commandEnvironment(command),
    ...variablesIn('service', { ...variables, ...prefixed('param_', params) }),
  };
}
