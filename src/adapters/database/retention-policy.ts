/** `spec.retention` of a Team, as it is stored; what is absent has its default. */
export interface StoredPolicy {
  builds?: number;
  days?: number;
  minimumSucceeded?: number;
}

/** History is limited unless a team says otherwise. */
const DEFAULTS = { builds: 500, days: 365, minimumSucceeded: 1 };

export function policyOf(stored: StoredPolicy | null): Required<StoredPolicy> {
  return { ...DEFAULTS, ...stored };
}
