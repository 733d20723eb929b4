import { registeredRoutes } from '#testing/http/registered-routes.ts';
import { formatText } from '#tools/format.ts';

export const API_PAGE = 'docs/reference/api.md';

const OPEN = '<!-- routes: made by `node tools/docs/main.ts` -->';
const CLOSE = '<!-- end of routes -->';

/** The page with its generated table of routes. */
export async function withRoutes(page: string): Promise<string> {
  const [before, rest] = page.split(OPEN);
  const after = rest?.split(CLOSE)[1];
  if (before === undefined || after === undefined) throw new Error(`${API_PAGE} has no place for the routes`);
  const rows = (await registeredRoutes()).map(({ method, url, rules: { needs, about } }) => {
    const path = url.replaceAll(/:(\w+)/g, '{$1}');
    return `| \`${method}\` | \`${path}\` | ${needs === 'nothing' ? 'none' : needs} | ${about} |`;
  });
  const table = ['| Method | Path | Role | What it does |', '| --- | --- | --- | --- |', ...rows].join('\n');
  return formatText(API_PAGE, `${before}${OPEN}\n\n${table}\n\n${CLOSE}${after}`);
}
