import { createRequire } from 'node:module';
import { join } from 'node:path';
import {
  handle,
  NAMESPACE,
  printReport,
  type ContestantReport,
} from '#bench/comparisons/operator-frameworks/reports.ts';

/*
 * @dot-i/k8s-operator, loaded from a separate folder because it is not a dependency of this project. It logs
 * to standard error, since standard output carries the reports.
 */

/** The part of the package's types that is used here. */
interface Event {
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  object: { metadata?: { name?: string; uid?: string } };
}

interface Logger {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

interface OperatorClass {
  new (logger: Logger): {
    start(): Promise<void>;
    init(): Promise<void>;
    watchResource(
      group: string,
      version: string,
      plural: string,
      onEvent: (event: Event) => Promise<void>,
      namespace: string,
    ): Promise<void>;
  };
}

const { MEASURE_PACKAGES: packages = '' } = process.env;
const load = createRequire(join(packages, 'package.json'));
const loaded: { default: OperatorClass } = load('@dot-i/k8s-operator');

const changes = { ADDED: 'added', MODIFIED: 'updated', DELETED: 'deleted' } as const;

function handlerOf(kind: ContestantReport['kind']): (event: Event) => Promise<void> {
  return ({ type, object }) => {
    const report = {
      change: changes[type],
      kind,
      name: object.metadata?.name ?? '',
      uid: object.metadata?.uid ?? '',
    };
    printReport({ ...report, phase: 'received' });
    return handle(report);
  };
}

class Contestant extends loaded.default {
  override async init(): Promise<void> {
    await this.watchResource('', 'v1', 'configmaps', handlerOf('ConfigMap'), NAMESPACE);
    await this.watchResource('', 'v1', 'secrets', handlerOf('Secret'), NAMESPACE);
  }
}

const log = (message: string): void => console.error(message);
await new Contestant({ debug: log, info: log, warn: log, error: log }).start();
