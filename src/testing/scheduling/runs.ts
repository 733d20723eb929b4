/** How many random histories a test plays: `RUNS=100000 jest …` for the long run, see CONTRIBUTING.md. */
export const RUNS = Number(process.env['RUNS'] ?? 1000);
/** How many random histories are written into Postgres and gathered from it. */
export const GATHERED = Number(process.env['GATHERED'] ?? 60);
/** How many random interleavings are tried against Postgres. */
export const INTERLEAVINGS = Number(process.env['INTERLEAVINGS'] ?? 25);
/**
 * How many random sequences of API calls and manifest changes are tried against Postgres for somebody who is
 * locked out.
 */
export const LOCKOUTS = Number(process.env['LOCKOUTS'] ?? 200);
