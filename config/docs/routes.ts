import { format } from 'prettier';
import { TABLE } from '#adapters/http/access/table.ts';

export const API_PAGE = 'docs/reference/api.md';

const OPEN = '<!-- routes: made by `node config/docs/main.ts` -->';
const CLOSE = '<!-- end of routes -->';

/** The page with its table of routes made anew. */
export function withRoutes(page: string): Promise<string> {
  const [before, rest] = page.split(OPEN);
  const after = rest?.split(CLOSE)[1];
  if (before === undefined || after === undefined) throw new Error(`${API_PAGE} has no place for the routes`);
  const rows = [...TABLE].map(([route, { needs, about }]) => {
    const [method = '', url = ''] = route.split(' ');
    const path = url.replaceAll(/:(\w+)/g, '{$1}');
    return `| \`${method}\` | \`${path}\` | ${needs === 'nothing' ? 'none' : needs} | ${about} |`;
  });
  const table = ['| Method | Path | Role | What it does |', '| --- | --- | --- | --- |', ...rows].join('\n');
  return format(`${before}${OPEN}\n\n${table}\n\n${CLOSE}${after}`, {
    parser: 'markdown',
    singleQuote: true,
    printWidth: 110,
  });
}
