import type { ComponentChildren } from 'preact'

/**
 * A column of a table. The cells of `name` name their rows; `number` aligns numbers; the heading of `actions` is only
 * for screen readers. A column with a `sort` has a button that sorts by it.
 */
export type TableColumn<Row> = {
  heading: string
  cell: (row: Row) => ComponentChildren
  kind?: 'name' | 'number' | 'number name' | 'actions'
  title?: (row: Row) => string
  sort?: string
}

/** The column that the rows are sorted by. */
type Sorting = { by: string | null; isDescending: boolean; onSort: (column: string) => void }

type Props<Row> = {
  label: string
  class?: string
  columns: readonly (TableColumn<Row> | false)[]
  rows: readonly Row[]
  keyOf: (row: Row) => string | number
  sorting?: Sorting
}

/** A table that scrolls sideways where it is too wide. */
export function DataTable<Row>({ label, class: className = '', columns, rows, keyOf, sorting }: Props<Row>) {
  const shown = columns.filter((column) => column !== false)
  return (
    <div class={`table-frame ${className}`.trimEnd()} tabIndex={0} role="region" aria-label={label}>
      <table class="table">
        <thead>
          <tr>
            {shown.map((column) => (
              <HeadingCell key={column.heading} {...column} sorting={sorting} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {shown.map((column) =>
                column.kind?.endsWith('name') ? (
                  <th key={column.heading} scope="row" class={classOf(column)}>
                    {column.cell(row)}
                  </th>
                ) : (
                  <td key={column.heading} class={classOf(column)} title={column.title?.(row)}>
                    {column.cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function classOf({ kind }: Pick<TableColumn<never>, 'kind'>): string | undefined {
  return kind?.startsWith('number') ? 'number' : kind === 'actions' ? 'table__actions' : undefined
}

type HeadingProps = Pick<TableColumn<never>, 'heading' | 'kind' | 'sort'> & { sorting: Sorting | undefined }

function HeadingCell({ heading, kind, sort, sorting }: HeadingProps) {
  if (sorting && sort !== undefined) return <SortHeading {...sorting} column={sort} heading={heading} kind={kind} />
  return (
    <th scope="col" class={kind?.startsWith('number') ? 'number' : undefined}>
      {kind === 'actions' ? <span class="unseen">{heading}</span> : heading}
    </th>
  )
}

type SortProps = Sorting & { column: string; heading: string; kind: string | undefined; title?: string }

/** The heading of a column that sorts by it. */
export function SortHeading({ by, isDescending, onSort, column, heading, kind, title }: SortProps) {
  return (
    <th
      scope="col"
      class={kind === 'number' ? 'number' : undefined}
      aria-sort={by === column ? (isDescending ? 'descending' : 'ascending') : undefined}
    >
      <button type="button" title={title} onClick={() => onSort(column)}>
        {heading}
      </button>
    </th>
  )
}
