import type { TeamSaved, TeamStore, TeamTransaction } from '#flows/people/team-ports.ts';

const nothing = async () => undefined;

/** One team. It has no members, unless `now` gives it some. */
export class InMemoryTeam implements Pick<TeamStore, 'withTeam'> {
  readonly saved: string[] = [];
  readonly #pipelines: boolean;
  readonly #now: TeamSaved;

  constructor({ pipelines = false, now }: { pipelines?: boolean; now?: TeamSaved } = {}) {
    this.#pipelines = pipelines;
    this.#now = now ?? { members: [], groups: [], groupProviders: [] };
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
      saved: async () => this.#now,
      hasPipelines: async () => this.#pipelines,
      remove: nothing,
    });
  }
}
