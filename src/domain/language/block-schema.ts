/** How one kind of block may look. Names that neither table has are unknown, unless `open`. */
export interface BlockSchema {
  /** What each label says. */
  labels: readonly string[];
  attributes: Readonly<Record<string, AttributeSchema>>;
  blocks: Readonly<Record<string, NestedSchema>>;
  /** Any other attribute is a parameter: a text, number or bool that becomes text. */
  open?: boolean;
  /** The first label names one of these, which says the attributes. */
  variants?: Readonly<Record<string, Variant>>;
}

export interface Variant {
  attributes: Readonly<Record<string, AttributeSchema>>;
}

/** `constant`: any value, without references. `keyword`: a bare word. `later`: of the language, but not in this version. */
type AttributeType = 'string' | 'bool' | 'strings' | 'keyword' | 'constant' | 'later';

export interface AttributeSchema {
  type: AttributeType;
  required?: boolean;
  /** A secret may stand in it: nothing but the Pod of a build will see it. Parameters of an open block may always hold one. */
  secret?: boolean;
}

export type NestedSchema = { schema: BlockSchema; required?: boolean; once?: boolean } | 'later';

const text: AttributeSchema = { type: 'string' };
const bool: AttributeSchema = { type: 'bool' };
const texts: AttributeSchema = { type: 'strings' };
const later: AttributeSchema = { type: 'later' };

const stepHooks = { on_success: 'later', on_failure: 'later', on_cancel: 'later', ensure: 'later' } as const;
const stepLimits = { timeout: later, attempts: later };

const params: BlockSchema = { labels: [], attributes: {}, blocks: {}, open: true };

/** A block that says what to run: `run "shell" { … }`. */
const command: BlockSchema = {
  labels: ['runner'],
  attributes: {},
  blocks: {},
  variants: {
    exec: { attributes: { path: text, args: { type: 'strings', secret: true } } },
    shell: { attributes: { cmd: { type: 'string', secret: true }, file: text, shell: text } },
    docker: {
      attributes: {
        image: { type: 'string', required: true },
        cmd: { type: 'string', required: true, secret: true },
        args: later,
      },
    },
  },
};

const variable: BlockSchema = {
  labels: ['name'],
  attributes: { type: { type: 'keyword', required: true }, default: { type: 'constant' } },
  blocks: { secret: 'later' },
};

const resourceType: BlockSchema = {
  labels: ['name'],
  attributes: { source: text, source_digest: later, params: texts, cache: later },
  blocks: {
    check: { schema: command, once: true },
    pull: { schema: command, once: true },
    push: { schema: command, once: true },
    runner: 'later',
  },
};

const resource: BlockSchema = {
  labels: ['type', 'name'],
  attributes: { check_interval: text, cache: later, tags: later },
  blocks: { params: { schema: params, once: true } },
};

const get: BlockSchema = {
  labels: ['type', 'name'],
  attributes: { trigger: bool, passed: texts, version: later, ...stepLimits },
  blocks: stepHooks,
};

const task: BlockSchema = {
  labels: ['name'],
  attributes: { inputs: later, outputs: later, ...stepLimits },
  blocks: { run: { schema: command, required: true, once: true }, ...stepHooks },
};

const put: BlockSchema = {
  labels: ['type', 'name'],
  attributes: stepLimits,
  blocks: { params: { schema: params, once: true }, ...stepHooks },
  open: true,
};

const job: BlockSchema = {
  labels: ['name'],
  attributes: {
    concurrency: later,
    timeout: later,
    tags: later,
    serial_groups: later,
    disable_retry: later,
    allow_failure: later,
    interruptible: later,
    for_each: later,
  },
  blocks: {
    get: { schema: get },
    task: { schema: task },
    put: { schema: put },
    notify: 'later',
    service: 'later',
    in_parallel: 'later',
    if: 'later',
    else_if: 'later',
    else: 'later',
    matrix: 'later',
    input: 'later',
    approve: 'later',
    ...stepHooks,
    on_trigger: 'later',
  },
};

/** The language of this version, and by `later` the names of what is to come. */
export const pipelineSchema: BlockSchema = {
  labels: [],
  attributes: {},
  blocks: {
    variable: { schema: variable },
    resource_type: { schema: resourceType },
    resource: { schema: resource },
    job: { schema: job },
    notification_type: 'later',
    notification: 'later',
    runner_type: 'later',
    secret_type: 'later',
    service_type: 'later',
  },
};

/** Functions that the language will have. */
export const laterFunctions: readonly string[] = (
  'abs alltrue anytrue base64decode base64encode ceil chomp chunklist coalesce coalescelist compact concat contains csvdecode ' +
  'distinct element endswith flatten floor format formatdate formatlist indent join jsondecode jsonencode keys length log lookup ' +
  'lower max merge min one parseint pow range regex regexall regexreplace replace reverse setintersection setproduct setsubtract ' +
  'setsymmetricdifference setunion signum slice sort split startswith strcontains strlen strrev substr sum timeadd timestamp title ' +
  'tobool tolist tomap tonumber toset tostring transpose trim trimprefix trimspace trimsuffix upper urlencode values zipmap'
).split(' ');
