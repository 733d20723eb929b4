import { format } from 'prettier';
import type { Registry } from 'prom-client';
import { agentMetrics, createMetrics, publicMetrics, requestMetrics } from '#adapters/telemetry/metrics.ts';
import { streamMetrics } from '#adapters/telemetry/stream-metrics.ts';
import { operatorMetrics } from '#operator/metrics.ts';

export const METRICS_PAGE = 'docs/reference/metrics.md';

const INTRODUCTION = `# Metrics

Each process serves \`/metrics\` in Prometheus' text format on its own port, 9090.
Only the cluster can reach that port ([network](network.md)).
If you set \`metrics.serviceMonitor.enabled\` of [the chart](../../charts/millrace/README.md), it
creates a ServiceMonitor of the Prometheus operator.

The label \`component\` of each sample names its process: \`operator\`, \`gateway-public\` or
\`gateway-internal\`.
The metrics of Node.js (\`process_…\`, \`nodejs_…\`) are there too.
No label contains the name of a team, a pipeline or a person.
Labels come from fixed sets of words, so the number of series does not grow with use.

\`node tools/docs/main.ts\` generates this page from the program.
`;

const QUESTIONS = `
## Questions they answer

| Question | PromQL |
| --- | --- |
| how many streams are open, on each replica | \`sum by (pod, kind) (millrace_event_streams)\` |
| are viewers too slow for their streams | \`sum by (kind) (rate(millrace_event_streams_ended_total{reason="slow"}[5m]))\` |
| are streams refused because too many are open | \`sum by (reason) (rate(millrace_event_streams_refused_total[5m]))\` |
| is a team near its log limit | \`millrace_operator_team_logs{fill!="fine"} > 0\` |
| what waits, and why | \`sum by (what, reason) (millrace_waiting)\` |
| share of responses with a server error | \`sum(rate(millrace_http_request_duration_seconds_count{status=~"5.."}[5m])) / sum(rate(millrace_http_request_duration_seconds_count[5m]))\` |
| is there a leader | \`max(millrace_operator_leading) == 1\` |
`;

/** Metrics that each process registers. */
const COMPONENTS: Record<string, ((registry: Registry) => void)[]> = {
  operator: [requestMetrics, operatorMetrics],
  'gateway-public': [requestMetrics, publicMetrics, streamMetrics],
  'gateway-internal': [requestMetrics, agentMetrics],
};

interface Row {
  type: string;
  labels: string;
  components: string[];
  help: string;
}

/** The reference of metrics, from the registries of the processes. */
export function metricsPage(): Promise<string> {
  const rows = new Map<string, Row>();
  for (const [component, parts] of Object.entries(COMPONENTS)) {
    const { registry } = createMetrics(component, '0');
    for (const make of parts) make(registry);
    for (const metric of registry.getMetricsAsArray()) {
      if (!metric.name.startsWith('millrace_')) continue;
      const { type, help } = metric;
      const known = rows.get(metric.name) ?? {
        type: String(type),
        labels: labelsOf(metric),
        components: [],
        help,
      };
      rows.set(metric.name, { ...known, components: [...known.components, component] });
    }
  }
  const lines = [...rows]
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(
      ([name, row]) => `| \`${name}\` | ${row.type} | ${row.labels} | ${componentsOf(row)} | ${row.help} |`,
    );
  const table = [
    '| Metric | Type | Labels | Process | Meaning |',
    '| --- | --- | --- | --- | --- |',
    ...lines,
  ];
  return format(`${INTRODUCTION}\n${table.join('\n')}\n${QUESTIONS}`, {
    parser: 'markdown',
    singleQuote: true,
    printWidth: 110,
  });
}

const componentsOf = ({ components }: Row): string =>
  components.length === Object.keys(COMPONENTS).length ? 'all' : components.join(', ');

/** prom-client stores label names on the metric. */
function labelsOf(metric: object): string {
  const names: unknown = 'labelNames' in metric ? metric.labelNames : [];
  return Array.isArray(names) ? names.map((name) => `\`${String(name)}\``).join(', ') : '';
}
