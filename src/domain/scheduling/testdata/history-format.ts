/**
 * Histories, by the sentence that each one proves. The first line is the pipeline, as `readPipeline`
 * describes it. Each further line is a step: events, an arrow, and what the scheduler does. Events joined by
 * ` + ` happen before the next decision.
 *
 *     app v1 v2                → unit#1 v1, unit#2 v2
 *     unit#1 ok image=i1       → deploy#1 v1 i1
 *
 * Events:
 *
 * - `app v1 v2`: versions of a resource, each found by a separate check. `v1@12` is a version of pull request
 *   12, `v1@main` a version of the branch main
 * - `app prints v1 v2`: versions that one check found
 * - `app begins` and later `app reports v1`: a check whose result comes later
 * - `source app release`: the source of `app` becomes `release`
 * - `rename <job>|<resource> <name>`
 * - `<build> starts|ok|fails|cancelled [<resource>=<version>]`, with versions that its puts made
 * - `pin|disable|enable app v1`, `unpin app`
 * - `pause|unpause [job]`
 * - `trigger <job>|<resource> <version> [by <person>]`
 * - `cancel|retry|warn <build>`
 * - `<person> approves|rejects <build>`
 * - `add <job line>`
 * - `why <job>`: asks why the job gets no build; the answer is a list of codes
 * - `hooks app v1`: the hooks of the version have ended
 *
 * After the arrow: new builds with their versions and, unless they are pending, their status; other changes
 * of status; codes of reasons.
 */
export type Histories = Record<string, [pipeline: string, ...lines: string[]]>;
