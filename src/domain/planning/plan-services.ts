import { defined } from '#defined';
import type { Command } from '#domain/pipeline/command.ts';
import { variablesIn } from '#domain/pipeline/environment-table.ts';
import type { ServiceStep, Step } from '#domain/pipeline/steps.ts';
import type { ActionContext } from './plan-action.ts';
import { commandEnvironment, planCommand, prefixed } from './plan-command.ts';
import type { PlanCommand, PlanService } from './plan.ts';
import { containersOfService, type JobService } from './service-containers.ts';

/** The services of a job or of a branch, not those of branches in it. */
export function planServices(steps: readonly Step[], context: ActionContext): PlanService[] {
  const own = new Set<Step>(steps.filter((step) => step.kind === 'service'));
  return context.services.filter(({ step }) => own.has(step)).map((service) => planService(service, context));
}

function planService(service: JobService, { variables, workdir }: ActionContext): PlanService {
  const { id, name, step, type } = service;
  const containers = containersOfService(service);
  const plan = (command: Command): { command: PlanCommand; env: Record<string, string> } | undefined => {
    const planned = planCommand(command, containers, workdir);
    return planned && { command: planned, env: environmentOf(command, step, variables) };
  };
  const start = plan(type.start);
  const stop = plan(type.stop);
  const ready = type.ready && plan(type.ready.check);
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
