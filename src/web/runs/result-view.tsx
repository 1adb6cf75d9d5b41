import { useEffect, useMemo, useState } from 'preact/hooks'
import type { RunSummary } from '../../runs/run-summary.ts'
import { useAsked } from '../asked.ts'
import type { PageProps } from '../dashboard.ts'
import { BaseMap } from '../map/base-map.tsx'
import type { Shown } from '../map/shown.ts'
import { Fault } from '../parts/fault.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { numberText } from '../parts/value.ts'
import { cellText, columnTitle } from './cell-text.ts'
import { colouringOf } from './colouring.ts'
import { Legend } from './legend.tsx'
import { readResult, type Column, type Result, type Row } from './result.ts'
import { ResultTable } from './result-table.tsx'
import { RowDialog } from './row-dialog.tsx'
import { finderOf, sorted, type Order } from './sorting.ts'

/** What came out of a run: on the map, coloured by a field, and as a table. */
export function ResultView({ dashboard, run }: PageProps & { run: RunSummary }) {
  const { api, library } = dashboard
  const isKnown = library.catalog.value.state !== 'waiting'
  const [result, again] = useAsked(
    (signal) => (isKnown ? readResult(api, run.links.csv, library.field, signal) : new Promise<never>(() => {})),
    [run.run_id, isKnown],
  )
  if (result.state === 'failed') return <Fault fault={result.fault} again={again} />
  if (result.state === 'waiting') return <Skeleton lines={8} />
  return <Rows dashboard={dashboard} run={run} result={result.value} />
}

function Rows({ dashboard, run, result }: PageProps & { run: RunSummary; result: Result }) {
  const { address, look } = dashboard
  const columns = useMemo(
    () => [...result.columns.filter(({ isField }) => !isField), ...result.columns.filter(({ isField }) => isField)],
    [result],
  )
  const column =
    columns.find(({ name }) => name === address.at.value.query.get('colour')) ?? firstToColour(columns, result.rows)
  const [text, setText] = useState('')
  const [order, setOrder] = useState<Order>(null)
  const [chosen, setChosen] = useState<number | null>(null)
  const [open, setOpen] = useState<Row | null>(null)
  useEffect(() => setChosen(null), [column])
  const colouring = useMemo(() => column && colouringOf(result.rows, column), [result, column])
  const find = useMemo(() => finderOf(result.rows, columns), [result, columns])
  const found = useMemo(() => {
    const matching = find(text)
    return colouring && chosen !== null ? matching.filter((row) => colouring.of(row) === chosen) : matching
  }, [find, text, colouring, chosen])
  const rows = useMemo(() => sorted(found, columns, order), [found, columns, order])
  const isDark = look.isDark.value
  const dots = useMemo((): Shown['dots'] => {
    if (!column || !colouring) return []
    const style = getComputedStyle(document.documentElement)
    const colours = colouring.classes.map(({ colour }) => style.getPropertyValue(colour).trim())
    return found.flatMap((row) =>
      row.at
        ? [
            {
              id: String(row.index),
              at: row.at,
              colour: colours[colouring.of(row)]!,
              words: row.ok ? cellText(row, column) : 'failed',
            },
          ]
        : [],
    )
  }, [found, column, colouring, isDark])
  const places = useMemo(() => new Map(result.rows.map((row) => [String(row.index), row])), [result])
  const fields = columns.filter(({ isField }) => isField)
  const swatchOf = (row: Row) => (colouring ? colouring.classes[colouring.of(row)]!.colour : '--edge')
  return (
    <>
      <section class="runs-map" aria-label="On the map">
        <BaseMap
          dashboard={dashboard}
          label={`Map of the rows of this run${column ? `, coloured by ${columnTitle(column)}` : ''}. The table below says the same.`}
          dots={dots}
          onDot={(id) => setOpen(places.get(id) ?? null)}
        />
        {column && colouring && (
          <div class="runs-map__side">
            <label class="field">
              <span>Coloured by</span>
              <select
                class="select"
                value={column.name}
                onChange={(event) => address.note({ colour: event.currentTarget.value })}
              >
                {fields.map((it) => (
                  <option key={it.at} value={it.name}>
                    {columnTitle(it)}
                  </option>
                ))}
              </select>
            </label>
            <Legend colouring={colouring} chosen={chosen} onChoose={setChosen} />
          </div>
        )}
      </section>
      <section class="runs-rows">
        <div class="runs-rows__head">
          <h2>Rows</h2>
          <span class="soft small" role="status">
            {rows.length === result.rows.length
              ? numberText(rows.length)
              : `${numberText(rows.length)} of ${numberText(result.rows.length)}`}
          </span>
          <input
            class="input runs-rows__filter no-print"
            type="search"
            aria-label="Filter the rows"
            placeholder="Filter: a name, a county, failed"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </div>
        {rows.length === 0 ? (
          <p class="soft">No row is like this.</p>
        ) : (
          <ResultTable
            columns={columns}
            rows={rows}
            order={order}
            onOrder={setOrder}
            onRow={setOpen}
            swatchOf={swatchOf}
          />
        )}
      </section>
      {open && <RowDialog dashboard={dashboard} run={run} row={open} columns={columns} onClose={() => setOpen(null)} />}
    </>
  )
}

/** A number that has values, else whatever field has. */
function firstToColour(columns: Column[], rows: Row[]): Column | undefined {
  const fields = columns.filter(({ isField }) => isField)
  const hasValues = ({ at }: Column) => rows.some(({ cells }) => (cells[at] ?? '') !== '')
  return fields.find((it) => it.kind === 'number' && hasValues(it)) ?? fields.find(hasValues) ?? fields[0]
}
