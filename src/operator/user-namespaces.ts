import type { Log } from '#adapters/telemetry/log.ts';
import {
  decideUserNamespaces,
  type NodeSupport,
  type PodsWithUserNamespace,
  type UserNamespaceDecision,
  type UserNamespaceSetting,
} from '#domain/planning/user-namespaces.ts';

export interface UserNamespacesOptions {
  setting: UserNamespaceSetting;
  nodes: () => NodeSupport[];
  /** Called when the decision changes: the templates of CronJobs contain it. */
  changed: () => void;
  log: Pick<Log, 'info'>;
}

/**
 * Decides which Pods get a Linux user namespace. Decides again when nodes change, and logs each new reason.
 */
export class UserNamespaces {
  readonly #options: UserNamespacesOptions;
  #decided: UserNamespaceDecision;

  constructor(options: UserNamespacesOptions) {
    this.#options = options;
    this.#decided = decideUserNamespaces(options.setting, []);
  }

  get pods(): PodsWithUserNamespace {
    return this.#decided.pods;
  }

  nodesChanged(): void {
    const { setting, nodes, changed, log } = this.#options;
    const before = this.#decided;
    this.#decided = decideUserNamespaces(setting, nodes());
    const { pods, reason, message } = this.#decided;
    if (before.message !== message) log.info({ pods, reason }, message);
    if (before.pods !== pods) changed();
  }
}
