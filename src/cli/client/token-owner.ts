import type { Api } from './api.ts';
import { ProblemError } from './problem-error.ts';
import type { UserJson } from './response-types.ts';

/** The user of a token; undefined for tokens of a team or of the installation. */
export async function ownerOfToken(api: Api): Promise<UserJson | undefined> {
  try {
    return await api.get<UserJson>('/profile');
  } catch (error) {
    if (error instanceof ProblemError && error.kind === 'forbidden') return undefined;
    throw error;
  }
}
