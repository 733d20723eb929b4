import { join } from 'node:path';

/** The root of the checkout. */
export const checkout = join(import.meta.dirname, '..');
