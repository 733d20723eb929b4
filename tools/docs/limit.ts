/**
 * What happens at a limit. `diagnostic`: the pipeline is refused, and the last good revision stays in effect.
 * `condition`: a condition or the build shows it. `refusal`: the request is refused. `cut`: less is stored,
 * shown or done. `later`: the rest follows by itself.
 */
type AtLimit = 'diagnostic' | 'condition' | 'refusal' | 'cut' | 'later';

/** What is limited, the limit, what happens there, and how that is reported. */
export type Limit = readonly [subject: string, limit: string, outcome: AtLimit, report: string];
