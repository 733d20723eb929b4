import { replaceSecretPlaceholders } from '#domain/pipeline/secret-placeholder.ts';
import { mapWork } from '#domain/planning/operations.ts';
import type { Plan, PlanCommand, PlanService, PlanStep, ProtocolCall } from '#domain/planning/plan.ts';
import { WORKER } from '#domain/planning/runnable.ts';

/** What the user chose for a run on this machine. */
export interface LocalChoices {
  /** Resource → directory that is its content. */
  folders: ReadonlyMap<string, string>;
  /** Resources of the built-in type git: each goes into the directory that its params name, if any. */
  gitResources: ReadonlySet<string>;
  put: boolean;
  notify: boolean;
}

export type Withheld = 'not pushed' | 'not sent';

export interface ChosenPlan {
  plan: Plan;
  /** Id of a step → what the step does not do. */
  withheld: ReadonlyMap<string, Withheld>;
}

/**
 * The plan with the user's choices: gets copy the local directories that the user names. Unless the user
 * allows them, puts and notifications only show what they would do. Containers in which nothing runs are left
 * out.
 */
export function applyChoicesToPlan(plan: Plan, choices: LocalChoices): ChosenPlan {
  const withheld = new Map<string, Withheld>();
  const step = (original: PlanStep): PlanStep => {
    const withheldPart = withheldFrom(original, choices);
    if (withheldPart !== undefined) withheld.set(original.id, withheldPart);
    return applyChoicesToStep(original, choices);
  };
  const chosen = mapWork(plan, { ...unchanged, step });
  return { plan: { ...chosen, containers: containersIn(chosen) }, withheld };
}

/** Applies the choices to one step, before or after its secrets are filled in. */
export function applyChoicesToStep(step: PlanStep, choices: LocalChoices): PlanStep {
  const { refusal: _refusal, call, ...allowed } = step;
  const folder = step.kind === 'get' ? choices.folders.get(step.resource ?? '') : undefined;
  if (folder !== undefined) return { ...allowed, command: copyCommand(folder, targetOf(step, choices)) };
  switch (withheldFrom(step, choices)) {
    case 'not pushed':
      return { ...withoutPlaceholders(allowed), command: showPut(step, call) };
    case 'not sent':
      return { ...withoutPlaceholders(allowed), command: showMessage() };
    case undefined:
    default:
      return step;
  }
}

/** Replaces placeholders of secrets by `(no value)`, unless the step still needs them. */
function withoutPlaceholders(step: PlanStep): PlanStep {
  if (step.needsSecrets === true) return step;
  const withoutSecrets: PlanStep = JSON.parse(
    replaceSecretPlaceholders(JSON.stringify(step), () => '(no value)'),
  );
  return withoutSecrets;
}

const identity = <Operation>(operation: Operation): Operation => operation;
const unchanged = { step: identity, service: identity, check: identity, hook: identity };

function withheldFrom({ kind }: PlanStep, { put, notify }: LocalChoices): Withheld | undefined {
  if (kind === 'put' && !put) return 'not pushed';
  return kind === 'notify' && !notify ? 'not sent' : undefined;
}

/** The directory to copy to. For a git resource, it is the one that its params name, as with `git clone`. */
function targetOf({ resource = '', env }: PlanStep, { gitResources }: LocalChoices): string {
  return gitResources.has(resource) ? (env['param_name'] ?? '.') : '.';
}

function copyCommand(folder: string, target: string): PlanCommand {
  const script = `mkdir -p -- "$2" && cp -R -P -p -- "$1/." "$2/" && printf 'copied %s\\n' "$1"`;
  return { container: WORKER, argv: ['/bin/sh', '-ec', script, 'sh', folder, target] };
}

/**
 * Shows the params on standard error, because the last output of a push on standard output is its version.
 */
function showPut({ resource = '', params = {} }: PlanStep, call: ProtocolCall | undefined): PlanCommand {
  const lines = Object.keys(params).map(
    (name) => `printf '%s: %s\\n' ${quote(name)} "$(printenv ${quote(`put_${name}`)})" >&2`,
  );
  const callInput: { params?: unknown } = JSON.parse(call?.input ?? '{}');
  if (callInput.params !== undefined) {
    const shownParams = replaceSecretPlaceholders(JSON.stringify(callInput.params), () => '***');
    lines.push(`printf 'params: %s\\n' ${quote(shownParams)} >&2`);
  }
  const notice = `echo ${quote(`Not pushed to ${resource}. Add --put to push.`)} >&2`;
  return { container: WORKER, argv: ['/bin/sh'], script: [notice, ...lines, ''].join('\n') };
}

function showMessage(): PlanCommand {
  const script = `echo 'Not sent. Add --notify to send it.'
if [ -n "\${NOTIFY_MESSAGE-}" ]; then printf '%s\\n' "$NOTIFY_MESSAGE"; fi
`;
  return { container: WORKER, argv: ['/bin/sh'], script };
}

const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

function containersIn(plan: Plan): Plan['containers'] {
  const used = new Set<string>();
  const markUsed = (command: PlanCommand | undefined): void => void (command && used.add(command.container));
  mapWork(plan, {
    ...unchanged,
    step: (step) => {
      markUsed(step.command);
      return step;
    },
    service: (service) => {
      for (const command of commandsOf(service)) markUsed(command);
      return service;
    },
  });
  const remaining = plan.containers.filter(({ name, pool = name }) => used.has(pool));
  const hasWorker = plan.containers.some(({ name }) => name === WORKER);
  return used.has(WORKER) && !hasWorker ? [{ name: WORKER }, ...remaining] : remaining;
}

const commandsOf = ({ start, ready, stop }: PlanService): (PlanCommand | undefined)[] => [
  start?.command,
  ready?.command,
  stop?.command,
];
