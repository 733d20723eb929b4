import type { JsonObject } from '#domain/language/json-value.ts';
import type { Command } from './command.ts';
import type { HookAction, Hooks, NotifyStep, Step } from './steps.ts';

/**
 * A valid pipeline with every expression evaluated and every `for_each` and `matrix` expanded: what a
 * revision stores. It is plain JSON. Lists keep the order of the file, and an absent field means the default.
 * Strings may contain secret placeholders (see `secret-placeholder.ts`), which only the internal gateway
 * resolves.
 */
export interface Pipeline {
  /**
   * Every type that a resource of the pipeline uses, built-in types included, so that a revision is complete.
   */
  resourceTypes: ResourceType[];
  resources: Resource[];
  /** Instances of `for_each` and `matrix` take the place of their job, sorted by key. */
  jobs: Job[];
  /** Every notification type that a notification uses, built-in ones included. */
  notificationTypes?: NotificationType[];
  notifications?: Notification[];
  serviceTypes?: ServiceType[];
  secretTypes?: SecretType[];
  /** Variables that a `secret` block fills in when a Pod needs them. */
  secrets?: SecretVariable[];
}

/** Where a definition came from. It is fetched once for each revision, so it never changes silently. */
export interface Origin {
  /** `svc://git`, `https://…`. */
  source: string;
  /** SHA-256 of the fetched text, as `sha256:<hex>`. Absent for a built-in definition. */
  digest?: string;
  /** The built-in type that the fetched text itself names as its source, as `svc://git`. */
  builtIn?: string;
}

export interface ResourceType {
  name: string;
  /**
   * The definition came with Millrace. Without commands it is cron or trigger, under any name: a get runs
   * nothing, and versions come from the operator (cron) or from puts and people (trigger).
   */
  builtIn: boolean;
  /** Names of the parameters that a resource of the type may set. */
  params: string[];
  cache: boolean;
  /**
   * The commands are programs of a resource type of Concourse, which get and print JSON. Absent: they are
   * commands of Millrace.
   */
  protocol?: 'concourse';
  check?: Command;
  pull?: Command;
  push?: Command;
  origin?: Origin;
}

export interface Resource {
  /** `<type>.<label>`, unique in the pipeline. */
  name: string;
  /** The previous name, whose history continues. */
  oldName?: string;
  type: string;
  label: string;
  params: Record<string, string>;
  /** Replaces `params` if the type has a protocol. */
  source?: JsonObject;
  /**
   * When the resource is checked. Absent: only on request or by webhook, or never if only puts make its
   * versions.
   */
  schedule?: Schedule;
  /**
   * The schedule of checks while the webhooks of the resource work, because checks are then only a fallback
   * (`webhook_interval`).
   */
  webhookSchedule?: Schedule;
  tags: string[];
  cache: boolean;
}

export interface CronSchedule {
  kind: 'cron';
  expression: string;
  /** The name of a time zone in the IANA database. Absent: UTC. */
  timeZone?: string;
}

export type Schedule = { kind: 'every'; seconds: number } | CronSchedule;

export interface NotificationType {
  name: string;
  builtIn: boolean;
  params: string[];
  notify: Command;
  origin?: Origin;
}

/** `changed`: the outcome differs from that of the job's previous build. */
export type NotificationEvent = 'success' | 'failure' | 'cancel' | 'changed';

export interface Notification {
  /** `<type>.<label>`, unique among notifications. */
  name: string;
  type: string;
  label: string;
  params: Record<string, string>;
  /** `$NAME`, `${NAME}` and backslash-n are replaced when the notification is sent. */
  message?: string;
  /**
   * Events that send the notification automatically; `all` is expanded. Empty: only `notify` steps send it.
   */
  on: NotificationEvent[];
  /** Canonical names of the jobs that the notification is for, with groups expanded. Absent: every job. */
  jobs?: string[];
}

export interface ServiceType {
  name: string;
  builtIn: boolean;
  params: string[];
  start: Command;
  stop: Command;
  ready?: { check: Command; intervalSeconds: number; timeoutSeconds: number };
  origin?: Origin;
}

export interface SecretType {
  name: string;
  builtIn: boolean;
  /** Absent for built-in types that the gateway itself reads (`env`, `file`, `kubernetes`, …). */
  get?: Command;
  /** Settings of the block. The command gets each one as `$param_<key>`. */
  config: Record<string, string>;
  origin?: Origin;
}

export interface SecretVariable {
  /** Name of the variable. */
  name: string;
  type: string;
  key: string;
  path?: string;
}

export interface Job {
  /** Canonical: the label, or `<label>--<slug of the key>`. */
  name: string;
  /** The previous name, whose history continues. */
  oldName?: string;
  /** The job is an instance of `for_each` or `matrix`; `name` is the label of the block. */
  group?: { name: string; key: string };
  /** The maximum number of running builds. Absent: no limit. */
  concurrency?: number;
  timeoutSeconds?: number;
  tags?: string[];
  serialGroups?: string[];
  disableRetry?: boolean;
  allowFailure?: boolean;
  interruptible?: boolean;
  /**
   * False: a newer set of versions waits until fewer automatic builds than `concurrency` (default: 1) are
   * open. Absent: it replaces a queued build. Interruptible jobs ignore this.
   */
  supersede?: boolean;
  inputs?: Input[];
  identity?: IdentityRequest[];
  approval?: Approval;
  steps: Step[];
  hooks?: Hooks;
  /** Hooks that run for a new version that may reach the job, before a build exists. */
  onTrigger?: HookAction[];
}

/** A value that a person gives when they trigger the job, `$INPUT_<NAME>` in every step. */
export interface Input {
  name: string;
  type: 'string' | 'number' | 'bool' | 'choice' | 'list';
  description?: string;
  /** The text has no default: a manual trigger must give a value. */
  required?: true;
  /** The value in automatic builds, and if a person gives none. A required input has one too. */
  default: string;
  /**
   * The values to choose from. Empty for a `list` that accepts any values. Absent for types other than
   * `choice` and `list`.
   */
  options?: string[];
}

/** A token that identifies the build to one audience, `$MILLRACE_ID_TOKEN_<NAME>` in steps. */
export interface IdentityRequest {
  /** Absent: the variable is `$MILLRACE_ID_TOKEN`. */
  name?: string;
  audience: string;
}

/** A gate before the whole build. */
export interface Approval {
  label: string;
  /** Distinct people who must approve. */
  approvals: number;
  timeoutSeconds?: number;
  /** The person who triggered the build may not approve it. */
  notByTrigger?: boolean;
  notify: NotifyStep[];
}
