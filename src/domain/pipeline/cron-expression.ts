interface Field {
  name: string;
  min: number;
  max: number;
  names: readonly string[];
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const fields: readonly Field[] = [
  { name: 'minute', min: 0, max: 59, names: [] },
  { name: 'hour', min: 0, max: 23, names: [] },
  { name: 'day of month', min: 1, max: 31, names: [] },
  { name: 'month', min: 1, max: 12, names: months },
  { name: 'day of week', min: 0, max: 6, names: days },
];

const descriptors = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'];

/**
 * The reason why Kubernetes refuses the expression as the schedule of a CronJob. Undefined if Kubernetes
 * accepts it. The rules are those of the standard parser of robfig/cron v3, oddities included: `?` is `*`,
 * empty list items are skipped, and 7 is not Sunday. Like Kubernetes, this function refuses a time zone in
 * the expression. It refuses `@every`, which `parseSchedule` reads itself, because such schedules are not
 * CronJobs.
 */
export function explainBadCron(expression: string): string | undefined {
  if (expression.includes('TZ')) return 'a time zone cannot be part of the expression';
  if (expression.startsWith('@')) {
    return descriptors.includes(expression)
      ? undefined
      : `${expression} is not one of ${descriptors.join(', ')}`;
  }
  // The characters that Go treats as white space.
  const texts = expression.split(
    /[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/,
  );
  const written = texts.filter((text) => text !== '');
  if (written.length !== fields.length) {
    return (
      `it has ${written.length} field${written.length === 1 ? '' : 's'}, ` +
      'not 5 (minute, hour, day of month, month, day of week)'
    );
  }
  return fields
    .map((field, i) => explainBadField(written[i] ?? '', field))
    .find((reason) => reason !== undefined);
}

function explainBadField(text: string, field: Field): string | undefined {
  const reasons = text.split(',').map((part) => (part === '' ? undefined : explainBadRange(part, field)));
  const reason = reasons.find((found) => found !== undefined);
  return reason === undefined ? undefined : `${field.name}: ${reason}`;
}

function explainBadRange(text: string, field: Field): string | undefined {
  const [range = '', stepText, ...moreSteps] = text.split('/');
  if (moreSteps.length > 0) return `"${text}" has more than one /`;
  const bounds = readBounds(range, stepText !== undefined, field);
  const step = stepText === undefined ? 1 : readNumber(stepText, []);
  if (typeof bounds === 'string') return bounds;
  return explainBadNumbers(text, [...bounds, step], field);
}

function explainBadNumbers(text: string, numbers: (number | undefined)[], field: Field): string | undefined {
  const [start, end, step] = numbers;
  if (start === undefined || end === undefined || step === undefined) {
    return `"${text}" is not a number, name or range`;
  }
  if (start < field.min || end > field.max) return `"${text}" is not between ${field.min} and ${field.max}`;
  if (start > end) return `"${text}" runs backwards`;
  return step === 0 ? `"${text}" has a step of 0` : undefined;
}

type Bounds = [start: number | undefined, end: number | undefined];

/**
 * The bounds of a range, or the reason why it has none. A single number with a step extends to the maximum.
 */
function readBounds(range: string, stepped: boolean, field: Field): Bounds | string {
  const [low = '', high, ...more] = range.split('-');
  if (low === '*' || low === '?') return [field.min, field.max];
  if (more.length > 0) return `"${range}" has more than one -`;
  const start = readNumber(low, field.names);
  if (high !== undefined) return [start, readNumber(high, field.names)];
  return [start, stepped ? field.max : start];
}

function readNumber(text: string, names: readonly string[]): number | undefined {
  const index = names.indexOf(text.toLowerCase());
  if (index >= 0) return names === months ? index + 1 : index;
  return /^\+?\d+$/.test(text) && Number(text) < 2 ** 63 ? Number(text) : undefined;
}
