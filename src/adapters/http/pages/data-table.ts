import { html, type Html, type HtmlValue } from './html.ts';

/** A column of a table: its title and the cell of a row. */
export interface Column<Row> {
  title: string;
  cell: (row: Row) => HtmlValue;
  /** Whether only screen readers read the title, because the cells explain themselves, as buttons do. */
  titleHidden?: boolean;
}

/**
 * A table whose first column names each row. On a phone, CSS shows each row as a list of its values with
 * their titles. Because of that, some browsers tell screen readers that it is a list, so the roles say that
 * it is a table.
 */
export function htmlTable<Row>(
  rows: readonly Row[],
  [first, ...others]: readonly [Column<Row>, ...Column<Row>[]],
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

/**
 * The attribute with the title that CSS shows before the value on a phone. CSS hides an empty cell, so
 * nothing may stand beside the value in the cell, not even a space.
 */
const cellTitle = <Row>({ title, titleHidden }: Column<Row>): HtmlValue =>
  titleHidden !== true && html`data-title="${title}"`;
