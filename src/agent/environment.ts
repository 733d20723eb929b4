import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { AGENT_ENVIRONMENT } from '#domain/build/agent-protocol.ts';

/** The configuration of an agent, from the environment of its container. */
export interface AgentEnvironment {
  gateway: URL;
  /** Certificates in PEM that sign the certificate of the gateway. */
  certificateAuthority: string;
  pod: { namespace: string; name: string; uid: string };
  nonce?: string;
  /**
   * The file with the service account token of the Pod. The session request needs this token or the nonce.
   */
  tokenFile?: string;
  shimPort: number;
  /** The Pod's step containers. A warm Pod and a check Pod without a due check connect to all of them. */
  containers: { name: string }[];
  shimSecret: string;
  /**
   * The folder into which the agent copies the shim. Absent: all steps use the worker image, which has it, or
   * the kubelet copies it, because an image has no shell.
   */
  shimFolder?: string;
  /** The path of the shim to copy into `shimFolder`. */
  shimBinary: string;
  terminationLog: string;
  spoolFolder: string;
}

/**
 * Reads the environment and deletes the variables of `AGENT_ENVIRONMENT` from it, so that no step sees them.
 * Throws an error that lists all missing variables.
 */
export function readAgentEnvironment(variables: NodeJS.ProcessEnv): AgentEnvironment {
  const missing: string[] = [];
  const need = (name: string): string => {
    const value = variables[name];
    if (value === undefined || value === '') missing.push(name);
    return value ?? '';
  };
  const gateway = need(AGENT_ENVIRONMENT.gateway);
  const environment = {
    certificateAuthority: need(AGENT_ENVIRONMENT.certificateAuthority),
    pod: {
      namespace: need(AGENT_ENVIRONMENT.podNamespace),
      name: need(AGENT_ENVIRONMENT.podName),
      uid: need(AGENT_ENVIRONMENT.podUid),
    },
    shimPort: Number(need(AGENT_ENVIRONMENT.shimPort)),
    containers: (variables[AGENT_ENVIRONMENT.containers] ?? '')
      .split(',')
      .filter((name) => name !== '')
      .map((name) => ({ name })),
    shimSecret: need(AGENT_ENVIRONMENT.shimSecret),
    ...optional('nonce', variables[AGENT_ENVIRONMENT.nonce]),
    ...optional('tokenFile', variables[AGENT_ENVIRONMENT.tokenFile]),
    ...optional('shimFolder', variables[AGENT_ENVIRONMENT.shimFolder]),
    shimBinary: variables['MILLRACE_SHIM_BINARY'] ?? '/usr/local/bin/millrace-shim',
    terminationLog: variables['MILLRACE_TERMINATION_LOG'] ?? '/dev/termination-log',
    spoolFolder: variables['MILLRACE_SPOOL_FOLDER'] ?? tmpdir(),
  };
  if (missing.length > 0) throw new Error(`the environment lacks ${missing.join(', ')}`);
  const url = new URL(gateway);
  if (url.protocol !== 'https:') throw new Error(`${AGENT_ENVIRONMENT.gateway} must begin with https://`);
  for (const name of Object.values(AGENT_ENVIRONMENT)) delete variables[name];
  return { gateway: url, ...environment };
}

function optional<Name extends string>(name: Name, value: string | undefined): Partial<Record<Name, string>> {
  if (value === undefined || value === '') return {};
  const property: Partial<Record<Name, string>> = {};
  property[name] = value;
  return property;
}

/** Reads the service account token of the Pod. The kubelet renews it, so read it before each use. */
export function readToken(file: string): string {
  return readFileSync(file, 'utf8').trim();
}
