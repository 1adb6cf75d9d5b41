import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { SortHeading } from '../components/data-table.tsx'
import { numberText } from '../value-text.ts'
import { type ResultColumn, type ResultRow, cellText, columnTitle } from './result.ts'
import { Button } from '../components/buttons.tsx'
import type { ColumnOrder } from './sorting.ts'

const row_px = 34
/** Rows rendered beyond the visible ones, so that scrolling shows no gap. */
const extraRows = 10
/** The number of rows sampled to measure column widths. */
const sampledRows = 200
const [rowNumber_ch, minColumn_ch, maxColumn_ch, padding_ch] = [12, 5, 32, 3]

type Props = {
  columns: ResultColumn[]
  rows: ResultRow[]
  order: ColumnOrder
  onOrder: (order: ColumnOrder) => void
  onRow: (row: ResultRow) => void
  colorOf: (row: ResultRow) => string
}

/** The rows of a run. Only visible rows are rendered, so that large runs scroll smoothly. */
export function ResultTable({ columns, rows, order, onOrder, onRow, colorOf }: Props) {
  const frame = useRef<HTMLDivElement>(null)
  const [viewport, setViewport] = useState({ top: 0, height: 600 })
  // Measured once, because changing widths would make scrolling hard to follow.
  const widths = useMemo(() => columns.map((column) => columnWidth(column, rows)), [columns])
  const total_ch = widths.reduce((sum, it) => sum + it, rowNumber_ch)
  const updateViewport = () => {
    const { scrollTop, clientHeight } = frame.current!
    // Changes every few rows only, to avoid rendering at every pixel.
    const top = Math.floor(scrollTop / (row_px * 4)) * row_px * 4
    setViewport((before) =>
      before.top === top && before.height === clientHeight ? before : { top, height: clientHeight },
    )
  }
  useLayoutEffect(() => {
    frame.current?.scrollTo({ top: 0 })
    updateViewport()
  }, [rows])
  const first = Math.max(0, Math.floor(viewport.top / row_px) - extraRows)
  const shown = rows.slice(first, Math.ceil((viewport.top + viewport.height) / row_px) + extraRows)
  const after = rows.length - first - shown.length
  return (
    <div
      ref={frame}
      class="table-frame runs-table"
      tabIndex={0}
      role="region"
      aria-label="Rows of the run"
      onScroll={updateViewport}
    >
      <table class="table" aria-rowcount={rows.length + 1} style={{ width: `max(100%, ${total_ch}ch)` }}>
        <colgroup>
          <col style={{ width: `${rowNumber_ch}ch` }} />
          {widths.map((width, i) => (
            <col key={i} style={{ width: `${width}ch` }} />
          ))}
        </colgroup>
        <thead>
          <tr>
            <th scope="col">Row</th>
            {columns.map((column) => (
              <SortHeading
                key={column.at}
                column={column.name}
                heading={columnTitle(column)}
                kind={column.kind}
                title={`Sort by ${column.name}`}
                by={order?.column ?? null}
                isDescending={order?.isDescending ?? false}
                onSort={(name) => onOrder(nextOrder(order, name))}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          {first > 0 && <SpacerRow rows={first} width={columns.length + 1} />}
          {shown.map((row, i) => (
            <TableRow
              key={row.index}
              row={row}
              columns={columns}
              at={first + i + 2}
              color={colorOf(row)}
              onRow={onRow}
            />
          ))}
          {after > 0 && <SpacerRow rows={after} width={columns.length + 1} />}
        </tbody>
      </table>
    </div>
  )
}

/** A first click sorts by a column, a second one reverses the order, a third one restores the order of the upload. */
function nextOrder(order: ColumnOrder, column: string): ColumnOrder {
  if (order?.column !== column) return { column, isDescending: false }
  return order.isDescending ? null : { column, isDescending: true }
}

function columnWidth(column: ResultColumn, rows: readonly ResultRow[]): number {
  const longest = rows
    .slice(0, sampledRows)
    .reduce((most, row) => Math.max(most, cellText(row, column).length), minColumn_ch)
  // The heading is bold and has room for the sort arrow.
  return Math.max(Math.min(maxColumn_ch, longest), Math.ceil(columnTitle(column).length * 1.15) + 2) + padding_ch
}

/** Takes the space of rows that are not rendered. */
function SpacerRow({ rows, width }: { rows: number; width: number }) {
  return (
    <tr aria-hidden="true" class="runs-table__space">
      <td colSpan={width} style={{ height: `${rows * row_px}px` }} />
    </tr>
  )
}

type TableRowProps = {
  row: ResultRow
  columns: ResultColumn[]
  at: number
  color: string
  onRow: (row: ResultRow) => void
}

/** Memoized, so that scrolling does not render unchanged rows again. */
function TableRow({ row, columns, at, color, onRow }: TableRowProps) {
  return useMemo(
    () => (
      <tr aria-rowindex={at} onClick={() => onRow(row)}>
        <th scope="row">
          <Button
            look="plain"
            aria-label={`Show all values of row ${row.index + 1}`}
            onClick={(event) => {
              event.stopPropagation()
              onRow(row)
            }}
          >
            <span class="runs-swatch" style={{ background: `var(${color})` }} />
            {numberText(row.index + 1)}
          </Button>
        </th>
        {row.ok ? (
          columns.map((column) => <TableCell key={column.at} row={row} column={column} />)
        ) : (
          <FailedCells columns={columns} row={row} />
        )}
      </tr>
    ),
    [row, columns, at, color],
  )
}

function TableCell({ row, column }: { row: ResultRow; column: ResultColumn }) {
  const isEmpty = column.isField && (row.cells[column.at] ?? '') === ''
  const className = `${column.kind === 'number' ? 'number' : ''}${isEmpty ? ' soft' : ''}`
  return <td class={className === '' ? undefined : className}>{cellText(row, column)}</td>
}

/** The cells of a failed row: the error in place of values, and the columns of the upload. */
function FailedCells({ columns, row }: { columns: ResultColumn[]; row: ResultRow }) {
  const passthrough = columns.filter(({ isField }) => !isField)
  return (
    <>
      {passthrough.map((column) => (
        <TableCell key={column.at} row={row} column={column} />
      ))}
      <td colSpan={columns.length - passthrough.length} class="runs-table__refused">
        failed: {row.error.replaceAll('_', ' ')}
      </td>
    </>
  )
}
