/** How many random histories a test plays: `RUNS=100000 jest …` for the long run, see CONTRIBUTING.md. */
export const RUNS = Number(process.env['RUNS'] ?? 1000);
/** How many random histories are written into Postgres and gathered from it. */
export const GATHERED = Number(process.env['GATHERED'] ?? 60);
/** How many random interleavings are tried against Postgres. */
export const INTERLEAVINGS = Number(process.env['INTERLEAVINGS'] ?? 25);
