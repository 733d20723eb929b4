import { defined } from '#defined';
import {
  builtInNotificationTypes,
  builtInResourceTypes,
  builtInRunnerTypes,
  builtInSecretTypes,
  builtInServiceTypes,
} from './built-in-types.ts';

/** A type that comes with Millrace, described for people. */
export interface BuiltInType {
  /** The block that defines such types: `resource_type`. */
  kind: string;
  name: string;
  /** Other names for the same type. */
  aliases: string[];
  params: string[];
  /** One sentence. */
  description: string;
  /** The HCL of the definition. Absent if Millrace itself does the work. */
  definition?: string;
}

const KINDS: readonly [kind: string, definitions: ReadonlyMap<string, string>][] = [
  ['resource_type', builtInResourceTypes],
  ['notification_type', builtInNotificationTypes],
  ['service_type', builtInServiceTypes],
  ['secret_type', builtInSecretTypes],
];

/** Descriptions by kind, then by the name that people search for. All other names of a type are aliases. */
const DESCRIPTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  resource_type: {
    artifact: 'Files of a build for later jobs, on a volume or in a bucket.',
    cron: 'A version at each time of a schedule.',
    fs: 'Files of a volume that the Team declares.',
    git: 'Commits, tags, and pull or merge requests of a repository.',
    'github-check': 'Check runs of commits on GitHub, with put.',
    http: 'The content of a URL, or a value in its JSON.',
    'registry-image': 'Tags of a container image, and images to push.',
    trigger: 'A version whenever a person or a program triggers it.',
  },
  notification_type: {
    'commit-status': 'The status of a commit on GitHub, GitLab, Gitea or Forgejo.',
    discord: 'Messages in a Discord channel.',
    email: 'E-mail over SMTP.',
    'github-check': 'The check run of a commit on GitHub.',
    slack: 'Messages in a Slack channel.',
    webhook: 'Events in the form of CloudEvents, for a program of yours.',
  },
  service_type: {
    kafka: 'An Apache Kafka broker.',
    keycloak: 'A Keycloak server.',
    mariadb: 'A MariaDB server.',
    nats: 'A NATS server.',
    postgresql: 'A PostgreSQL server.',
    rabbitmq: 'A RabbitMQ broker.',
    redis: 'A Redis server.',
    vault: 'A Vault server in development mode.',
  },
  secret_type: {
    env: "A key of the Secret that the Team's spec.secretRef names.",
    file: "A value in a file of the Secret that the Team's spec.secretRef names.",
    kubernetes: "A key of a Secret in the team's namespace.",
    store: 'A value that `millrace secrets set` has stored.',
    vault: 'A value of the kv engine of HashiCorp Vault, version 1 or 2.',
  },
  runner_type: {
    docker: 'Runs a command, or the entrypoint, in an image of your choice.',
    exec: 'Runs a program without a shell.',
    shell: 'Runs a script with /bin/sh.',
  },
};

const RUNNER_PARAMS: Readonly<Record<string, string[]>> = {
  docker: ['image', 'cmd', 'args'],
  exec: ['path', 'args'],
  shell: ['cmd', 'file', 'shell'],
};

/** All built-in types, ordered by kind. */
export function listBuiltInTypes(): BuiltInType[] {
  const types = KINDS.flatMap(([kind, definitions]) => typesOf(kind, definitions));
  return [...types, ...Object.keys(RUNNER_PARAMS).map(runnerType)];
}

/** The parameters of a runner come from a table, because its definition does not list them. */
function runnerType(name: string): BuiltInType {
  const description = DESCRIPTIONS['runner_type']?.[name] ?? '';
  const definition = builtInRunnerTypes.get(name);
  return {
    kind: 'runner_type',
    name,
    aliases: [],
    params: RUNNER_PARAMS[name] ?? [],
    description,
    ...defined({ definition }),
  };
}

function typesOf(kind: string, definitions: ReadonlyMap<string, string>): BuiltInType[] {
  const descriptions = DESCRIPTIONS[kind] ?? {};
  const definitionsByText = Map.groupBy(definitions, ([, text]) => text);
  return [...definitionsByText].map(([text, entries]) => {
    const names = entries.map(([name]) => name).toSorted();
    const name = names.find((candidate) => Object.hasOwn(descriptions, candidate)) ?? names[0] ?? '';
    const hcl = `${text.trim()}\n`;
    return {
      kind,
      name,
      aliases: names.filter((candidate) => candidate !== name),
      params: paramsOf(hcl),
      description: descriptions[name] ?? '',
      ...(/^ {2}\w.*\{$/m.test(hcl) && { definition: hcl }),
    };
  });
}

/** Reads `params` without a parser, because the layout of the built-in definitions is known. */
function paramsOf(hcl: string): string[] {
  const [, list = ''] = /^ {2}params\s*= \[([^[\]]*)\]/m.exec(hcl) ?? [];
  return [...list.matchAll(/"(?<name>[^"]+)"/g)].map(({ groups }) => groups?.['name'] ?? '');
}
