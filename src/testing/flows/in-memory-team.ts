import type { TeamSaved, TeamStore, TeamTransaction } from '#flows/people/team-ports.ts';

const nothing = async () => undefined;

/** One team, whose members and groups are those of `stored`. Records the names of the saved teams. */
export class InMemoryTeam implements Pick<TeamStore, 'withTeam'> {
  readonly saved: string[] = [];
  readonly #hasPipelines: boolean;
  readonly #stored: TeamSaved;

  constructor({ pipelines = false, stored }: { pipelines?: boolean; stored?: TeamSaved } = {}) {
    this.#hasPipelines = pipelines;
    this.#stored = stored ?? { members: [], groups: [], groupProviders: [] };
  }

  async withTeam<T>(_name: string, work: (tx: TeamTransaction) => Promise<T>): Promise<T> {
    return await work({
      team: async () => ({ id: 1, removed: false }),
      saveRow: async ({ name }) => {
        this.saved.push(name);
        return 1;
      },
      recordCreation: nothing,
      addAdmin: nothing,
      admins: async () => ({ before: 0, after: 0 }),
      saveMembers: nothing,
      saveGroups: nothing,
      saved: async () => this.#stored,
      hasPipelines: async () => this.#hasPipelines,
      remove: nothing,
    });
  }
}
