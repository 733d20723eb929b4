import { NEWEST, type Need, type UsedPage } from './facts.ts';

/** Whether builds of a job took a version for a get, as far as the pages tell. */
export interface KnownUsed {
  has(query: { job: number; get: number; version: number }): boolean | { need: Need };
}

/** `exhausted`: what the pages do not tell counts as used. */
export function knownUsed(pages: readonly UsedPage[], exhausted: boolean): KnownUsed {
  const lists = Map.groupBy(pages, ({ job, get }) => `${job} ${get}`);
  return {
    has({ job, get, version }) {
      const page = (lists.get(`${job} ${get}`) ?? []).find((candidate) => covers(candidate, version));
      if (page !== undefined) return page.versions.includes(version);
      return exhausted || { need: { kind: 'used', job, get, from: version } };
    },
  };
}

function covers({ from = NEWEST, versions, end }: UsedPage, version: number): boolean {
  const last = versions.at(-1);
  return from >= version && (end || (last !== undefined && last <= version));
}
