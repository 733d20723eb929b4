import type { UserTold } from './answers.ts';
import type { Api } from './api.ts';
import { Refused } from './refused.ts';

/** Whose token it is; undefined for one of a team or of the installation, which is nobody's. */
export async function whoIs(api: Api): Promise<UserTold | undefined> {
  try {
    return await api.get<UserTold>('/profile');
  } catch (error) {
    if (error instanceof Refused && error.kind === 'forbidden') return undefined;
    throw error;
  }
}
