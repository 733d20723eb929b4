/** Random histories per test; for a long run set `RUNS=100000`, see CONTRIBUTING.md. */
export const RUNS = Number(process.env['RUNS'] ?? 1000);
/** Random histories that are written to Postgres and gathered from it. */
export const GATHERED = Number(process.env['GATHERED'] ?? 60);
/** Random interleavings that are tried against Postgres. */
export const INTERLEAVINGS = Number(process.env['INTERLEAVINGS'] ?? 25);
/**
 * Random sequences of API calls and manifest changes that are tried against Postgres to find one that locks
 * somebody out.
 */
export const LOCKOUTS = Number(process.env['LOCKOUTS'] ?? 200);
