import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { numberText } from '../parts/value.ts'
import { cellText, columnTitle } from './cell-text.ts'
import type { Column, Row } from './result.ts'
import type { Order } from './sorting.ts'

const row_px = 34
/** Rows that are drawn beyond what is seen, so that scrolling shows no gap. */
const spare = 10
/** How many rows tell how wide a column is. */
const measured = 200
const [first_ch, narrowest_ch, widest_ch, padding_ch] = [12, 5, 32, 3]

type Props = {
  columns: Column[]
  rows: Row[]
  order: Order
  onOrder: (order: Order) => void
  onRow: (row: Row) => void
  swatchOf: (row: Row) => string
}

/** The rows of a run. Only those in sight are drawn, so that ten thousand are as smooth as ten. */
export function ResultTable({ columns, rows, order, onOrder, onRow, swatchOf }: Props) {
  const frame = useRef<HTMLDivElement>(null)
  const [seen, setSeen] = useState({ top: 0, height: 600 })
  // Measured once: columns that change their width while one scrolls could not be read.
  const widths = useMemo(() => columns.map((column) => widthOf(column, rows)), [columns])
  const whole_ch = widths.reduce((sum, it) => sum + it, first_ch)
  const look = () => {
    const { scrollTop, clientHeight } = frame.current!
    // A step at a time: what is drawn changes every few rows, not with every pixel.
    const top = Math.floor(scrollTop / (row_px * 4)) * row_px * 4
    setSeen((before) => (before.top === top && before.height === clientHeight ? before : { top, height: clientHeight }))
  }
  useLayoutEffect(() => {
    frame.current?.scrollTo({ top: 0 })
    look()
  }, [rows])
  const first = Math.max(0, Math.floor(seen.top / row_px) - spare)
  const shown = rows.slice(first, Math.ceil((seen.top + seen.height) / row_px) + spare)
  const after = rows.length - first - shown.length
  return (
    <div
      ref={frame}
      class="table-frame runs-table"
      tabIndex={0}
      role="region"
      aria-label="Rows of the run"
      onScroll={look}
    >
      <table class="table" aria-rowcount={rows.length + 1} style={{ width: `max(100%, ${whole_ch}ch)` }}>
        <colgroup>
          <col style={{ width: `${first_ch}ch` }} />
          {widths.map((width, i) => (
            <col key={i} style={{ width: `${width}ch` }} />
          ))}
        </colgroup>
        <thead>
          <tr>
            <th scope="col">Row</th>
            {columns.map((column) => (
              <Head key={column.at} column={column} order={order} onOrder={onOrder} />
            ))}
          </tr>
        </thead>
        <tbody>
          {first > 0 && <Space rows={first} width={columns.length + 1} />}
          {shown.map((row, i) => (
            <Line key={row.index} row={row} columns={columns} at={first + i + 2} swatch={swatchOf(row)} onRow={onRow} />
          ))}
          {after > 0 && <Space rows={after} width={columns.length + 1} />}
        </tbody>
      </table>
    </div>
  )
}

function widthOf(column: Column, rows: readonly Row[]): number {
  const longest = rows
    .slice(0, measured)
    .reduce((most, row) => Math.max(most, cellText(row, column).length), narrowest_ch)
  // A title is bold, and has its arrow.
  return Math.max(Math.min(widest_ch, longest), Math.ceil(columnTitle(column).length * 1.15) + 2) + padding_ch
}

/** In the place of rows that are not drawn. */
function Space({ rows, width }: { rows: number; width: number }) {
  return (
    <tr aria-hidden="true" class="runs-table__space">
      <td colSpan={width} style={{ height: `${rows * row_px}px` }} />
    </tr>
  )
}

function Head({ column, order, onOrder }: { column: Column; order: Order; onOrder: (order: Order) => void }) {
  const own = order?.column === column.name ? order : null
  return (
    <th
      scope="col"
      class={column.kind === 'number' ? 'number' : undefined}
      aria-sort={own ? (own.isDown ? 'descending' : 'ascending') : undefined}
    >
      <button
        type="button"
        title={`Sort by ${column.name}`}
        onClick={() => onOrder(own?.isDown ? null : { column: column.name, isDown: own !== null })}
      >
        {columnTitle(column)}
      </button>
    </th>
  )
}

type LineProps = { row: Row; columns: Column[]; at: number; swatch: string; onRow: (row: Row) => void }

/** The cells are made once: while one scrolls, a row that stays is not looked at again. */
function Line({ row, columns, at, swatch, onRow }: LineProps) {
  return useMemo(
    () => (
      <tr aria-rowindex={at} onClick={() => onRow(row)}>
        <th scope="row">
          <button
            type="button"
            class="plain-button"
            aria-label={`Row ${row.index + 1}: all its values`}
            onClick={(event) => {
              event.stopPropagation()
              onRow(row)
            }}
          >
            <span class="runs-swatch" style={{ background: `var(${swatch})` }} />
            {numberText(row.index + 1)}
          </button>
        </th>
        {row.ok ? (
          columns.map((column) => <Cell key={column.at} row={row} column={column} />)
        ) : (
          <Refused columns={columns} row={row} />
        )}
      </tr>
    ),
    [row, columns, at, swatch],
  )
}

function Cell({ row, column }: { row: Row; column: Column }) {
  const isLacking = column.isField && (row.cells[column.at] ?? '') === ''
  const look = `${column.kind === 'number' ? 'number' : ''}${isLacking ? ' soft' : ''}`
  return <td class={look === '' ? undefined : look}>{cellText(row, column)}</td>
}

/** A row that failed has no values: it says why in their place, and keeps what came along. */
function Refused({ columns, row }: { columns: Column[]; row: Row }) {
  const passed = columns.filter(({ isField }) => !isField)
  return (
    <>
      {passed.map((column) => (
        <Cell key={column.at} row={row} column={column} />
      ))}
      <td colSpan={columns.length - passed.length} class="runs-table__refused">
        failed: {row.error.replaceAll('_', ' ')}
      </td>
    </>
  )
}
