export interface EngineContainer {
  /** Name of the container. */
  container: string;
  image: string;
  /** Path of the shim on this machine. */
  shim: string;
  /** Path of the work directory, here and in the container. */
  work: string;
  /** Names by which steps reach services. */
  services: readonly string[];
  /**
   * Variables of the container. The engine's program has their values in its environment, because other users
   * can read its arguments.
   */
  variables: Readonly<Record<string, string>>;
}

const SHIM = '/millrace-shim';

/** Arguments of docker or podman that start a container with the shim as process 1. */
export function engineArguments(start: EngineContainer): string[] {
  const { container, image, shim, work, services, variables } = start;
  return [
    'run',
    '--rm',
    `--name=${container}`,
    '--pull=never',
    // Steps reach services, and the shim reaches the agent, at 127.0.0.1.
    '--network=host',
    ...services.map((name) => `--add-host=${name}:127.0.0.1`),
    // Otherwise SELinux would refuse access to the files of this machine.
    '--security-opt=label=disable',
    `--mount=type=bind,source=${shim},target=${SHIM},readonly`,
    `--mount=type=bind,source=${work},target=${work}`,
    `--workdir=${work}`,
    ...Object.keys(variables).map((name) => `--env=${name}`),
    `--entrypoint=${SHIM}`,
    image,
  ];
}
