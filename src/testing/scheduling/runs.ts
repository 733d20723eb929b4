/** How many random histories a test plays: `RUNS=100000 jest …` for the long run, see CONTRIBUTING.md. */
export const RUNS = Number(process.env['RUNS'] ?? 1000);
