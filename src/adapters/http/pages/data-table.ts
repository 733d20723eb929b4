import { html, type Html, type HtmlValue } from './html.ts';

/** A column of a table: its title and the cell of a row. */
export interface Column<T> {
  title: string;
  cell: (row: T) => HtmlValue;
  /** The title is only for screen readers: the cells explain themselves, as buttons do. */
  titleHidden?: boolean;
}

/**
 * The first column names each row. On a phone, each row is a list of its values with their titles. Some
 * browsers take what CSS shows as a list for a list, so the roles say that it is a table.
 */
export function htmlTable<T>(
  rows: readonly T[],
  [first, ...others]: readonly [Column<T>, ...Column<T>[]],
  caption?: string,
): Html {
  return html`<table class="listed" role="table">
    ${
      caption !== undefined &&
      html`<caption>
        ${caption}
      </caption>`
    }
    <thead role="rowgroup">
      <tr role="row">
        ${[first, ...others].map(
          ({ title, titleHidden }) =>
            html`<th scope="col" role="columnheader">
              ${titleHidden === true ? html`<span class="visually-hidden">${title}</span>` : title}
            </th>`,
        )}
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${rows.map(
        (row) =>
          html`<tr role="row">
            <th scope="row" role="rowheader">${first.cell(row)}</th>
            ${others.map((column) => html`<td role="cell" ${cellTitle(column)}>${column.cell(row)}</td>`)}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

/** Before the value on a phone. CSS hides an empty cell, so there must be no space around its value. */
const cellTitle = <T>({ title, titleHidden }: Column<T>): HtmlValue =>
  titleHidden !== true && html`data-title="${title}"`;
