import { NEWEST, type NeededPage, type UsedVersionPage } from './facts.ts';

/** The versions that builds of a job used for a get, as far as the pages list them. */
export interface UsedVersions {
  has(query: { job: number; get: number; version: number }): boolean | { need: NeededPage };
}

/** `exhausted`: no older pages will come, so versions beyond the pages count as used. */
export function usedVersionsIn(pages: readonly UsedVersionPage[], exhausted: boolean): UsedVersions {
  const lists = Map.groupBy(pages, ({ job, get }) => `${job} ${get}`);
  return {
    has({ job, get, version }) {
      const page = (lists.get(`${job} ${get}`) ?? []).find((candidate) => covers(candidate, version));
      if (page !== undefined) return page.versions.includes(version);
      return exhausted || { need: { kind: 'used', job, get, from: version } };
    },
  };
}

function covers({ from = NEWEST, versions, end }: UsedVersionPage, version: number): boolean {
  const last = versions.at(-1);
  return from >= version && (end || (last !== undefined && last <= version));
}
