import { useEffect, useMemo, useState } from 'preact/hooks'
import type { RunSummary, RunEntry } from '../../runs/report/run-summary.ts'
import { Button } from '../components/buttons.tsx'
import { SearchInput, Select } from '../components/inputs.tsx'
import { Loaded } from '../components/notices.tsx'
import type { Dashboard, PageProps } from '../dashboard.ts'
import { BaseMap } from '../map/base-map.tsx'
import type { MapContent } from '../map/map-content.ts'
import { useRequest } from '../use-request.ts'
import { numberText } from '../value-text.ts'
import { colorRows, drawingOrderOf, type Coloring } from './coloring.ts'
import { ResultTable } from './result-table.tsx'
import { readResult, type ResultColumn, type ResultRecords, type ResultRow, cellText, columnTitle } from './result.ts'
import { createRowSearch, sortRows, type ColumnOrder } from './sorting.ts'
import { Dialog } from '../components/dialogs.tsx'
import { Facts, ReasonText } from '../components/text.tsx'
import { Icon } from '../components/icons.tsx'
import { maxFields } from '../explore/explore-query.ts'
import { FieldTable } from '../explore/field-table.tsx'
import { pointText } from '../map/geometry.ts'
import { humanizeName } from '../../catalog/field-title.ts'
import { readEntry } from './run-progress.ts'

/** The result of a run as a map colored by a field, and as a table. */
export function ResultView({ dashboard, run }: PageProps & { run: RunSummary }) {
  const { api, catalogStore } = dashboard
  const isCatalogSettled = catalogStore.catalog.value.status !== 'loading'
  const [result, reload] = useRequest(
    (signal) =>
      isCatalogSettled
        ? readResult(api, `${run.links.csv}?include=margins`, catalogStore.field, signal)
        : new Promise<never>(() => {}),
    [run.run_id, isCatalogSettled],
  )
  return (
    <Loaded state={result} retry={reload} lines={8}>
      {(records) => <ResultRows dashboard={dashboard} run={run} result={records} />}
    </Loaded>
  )
}

type RowsProps = PageProps & { run: RunSummary; result: ResultRecords }

function ResultRows({ dashboard, run, result }: RowsProps) {
  const view = useResultRows(dashboard, result)
  const { columns, coloring, rows } = view
  const [order, setOrder] = useState<ColumnOrder>(null)
  const [openRow, setOpenRow] = useState<ResultRow | null>(null)
  const sortedRows = useMemo(() => sortRows(rows, columns, order), [rows, columns, order])
  const colorOf = (row: ResultRow) => (coloring ? coloring.classes[coloring.classOf(row)]!.color : '--edge')
  return (
    <>
      <ResultMap dashboard={dashboard} result={result} view={view} onRow={setOpenRow} />
      <section class="stack stack--3">
        <div class="runs-rows__head">
          <h2>Rows</h2>
          <span class="soft small" role="status">
            {rows.length === result.rows.length
              ? numberText(rows.length)
              : `${numberText(rows.length)} of ${numberText(result.rows.length)}`}
          </span>
          <SearchInput
            class="runs-rows__filter no-print"
            label="Filter rows"
            placeholder="Filter, such as “failed”"
            text={view.text}
            onText={view.setText}
          />
        </div>
        {rows.length === 0 ? (
          <p class="soft">No rows match.</p>
        ) : (
          <ResultTable
            columns={columns}
            rows={sortedRows}
            order={order}
            onOrder={setOrder}
            onRow={setOpenRow}
            colorOf={colorOf}
          />
        )}
      </section>
      {openRow && (
        <RowDialog dashboard={dashboard} run={run} row={openRow} columns={columns} onClose={() => setOpenRow(null)} />
      )}
    </>
  )
}

type ResultRowsView = ReturnType<typeof useResultRows>

/** The columns, the coloring, and the rows that match the filter and the selected color. */
function useResultRows({ router }: Dashboard, result: ResultRecords) {
  const columns = useMemo(
    () => [...result.columns.filter(({ isField }) => !isField), ...result.columns.filter(({ isField }) => isField)],
    [result],
  )
  const coloredColumn =
    columns.find(({ name }) => name === router.location.value.query.get('color')) ??
    defaultColoredColumn(columns, result.rows)
  const [text, setText] = useState('')
  const [selectedClass, setSelectedClass] = useState<number | null>(null)
  useEffect(() => setSelectedClass(null), [coloredColumn])
  const coloring = useMemo(() => coloredColumn && colorRows(result.rows, coloredColumn), [result, coloredColumn])
  const search = useMemo(() => createRowSearch(result.rows, columns), [result, columns])
  const rows = useMemo(() => {
    const matching = search(text)
    return coloring && selectedClass !== null
      ? matching.filter((row) => coloring.classOf(row) === selectedClass)
      : matching
  }, [search, text, coloring, selectedClass])
  return { columns, coloredColumn, coloring, rows, text, setText, selectedClass, setSelectedClass }
}

type MapProps = PageProps & { result: ResultRecords; view: ResultRowsView; onRow: (row: ResultRow | null) => void }

function ResultMap({ dashboard, result, view, onRow }: MapProps) {
  const { columns, coloredColumn, coloring, rows, selectedClass, setSelectedClass } = view
  const isDark = dashboard.theme.isDark.value
  const dots = useMemo((): MapContent['dots'] => {
    if (!coloredColumn || !coloring) return []
    const style = getComputedStyle(document.documentElement)
    const colors = coloring.classes.map(({ color }) => style.getPropertyValue(color).trim())
    return drawingOrderOf(rows, coloring).flatMap((row) =>
      row.at
        ? [
            {
              id: String(row.index),
              at: row.at,
              color: colors[coloring.classOf(row)]!,
              label: row.ok ? cellText(row, coloredColumn) : 'failed',
            },
          ]
        : [],
    )
  }, [rows, coloredColumn, coloring, isDark])
  const rowsById = useMemo(() => new Map(result.rows.map((row) => [String(row.index), row])), [result])
  return (
    <section class="runs-map" aria-label="Map">
      <BaseMap
        dashboard={dashboard}
        label={`Map of the rows of this run${coloredColumn ? `, colored by ${columnTitle(coloredColumn)}` : ''}. The table below has the same data.`}
        dots={dots}
        onDot={(id) => onRow(rowsById.get(id) ?? null)}
      />
      {coloredColumn && coloring && (
        <div class="runs-map__side">
          <Select
            label="Color by"
            options={columns.filter(({ isField }) => isField).map((it) => [it.name, columnTitle(it)])}
            selected={coloredColumn.name}
            onSelect={(color) => dashboard.router.replaceQuery({ color })}
          />
          <ColorLegend coloring={coloring} selected={selectedClass} onSelect={setSelectedClass} />
        </div>
      )}
    </section>
  )
}

/** Returns the first numeric field with values, else the first field with values. */
function defaultColoredColumn(columns: ResultColumn[], rows: ResultRow[]): ResultColumn | undefined {
  const fields = columns.filter(({ isField }) => isField)
  const hasValues = ({ at }: ResultColumn) => rows.some(({ cells }) => (cells[at] ?? '') !== '')
  return fields.find((it) => it.kind === 'number' && hasValues(it)) ?? fields.find(hasValues) ?? fields[0]
}

/** The color legend. Selecting an entry shows only its rows, which also helps when colors are hard to tell apart. */
function ColorLegend({
  coloring,
  selected,
  onSelect,
}: {
  coloring: Coloring
  selected: number | null
  onSelect: (selected: number | null) => void
}) {
  return (
    <ul class="runs-legend" aria-label="Color legend">
      {coloring.classes.map(
        ({ label, color, count }, i) =>
          count > 0 && (
            <li key={label}>
              <Button look="chip" aria-pressed={selected === i} onClick={() => onSelect(selected === i ? null : i)}>
                <span class="runs-swatch" style={{ background: `var(${color})` }} />
                <span class="runs-legend__words">{label}</span>
                <span class="soft">{numberText(count)}</span>
              </Button>
            </li>
          ),
      )}
    </ul>
  )
}

type RowDialogProps = PageProps & { run: RunSummary; row: ResultRow; columns: ResultColumn[]; onClose: () => void }

/** The details of one row: uploaded columns, and each value with its source or the reason why it is missing. */
function RowDialog({ dashboard, run, row, columns, onClose }: RowDialogProps) {
  const [entry, reload] = useRequest(
    (signal) => readEntry(dashboard.api, run.run_id, row.index, signal),
    [run.run_id, row.index],
  )
  const passthrough = columns.filter(({ isField, marginOf }) => !isField && marginOf === null)
  return (
    <Dialog title={`Row ${numberText(row.index + 1)}`} onClose={onClose}>
      {(passthrough.length > 0 || row.at) && (
        <Facts
          facts={[
            ...passthrough.map(({ name, at }) => [name, row.cells[at] === '' ? '–' : row.cells[at]] as const),
            row.at && ['Coordinate', pointText(row.at)],
          ]}
        />
      )}
      {row.at && (
        <p>
          <a class="button" href={exploreUrl(row, run, columns)}>
            <Icon name="pin" />
            Open in Explore
          </a>
        </p>
      )}
      <Loaded state={entry} retry={reload} lines={5}>
        {(value) =>
          value ? (
            <EntryDetails dashboard={dashboard} entry={value} row={row} columns={columns} />
          ) : (
            <p class="soft">The details of this row are no longer available.</p>
          )
        }
      </Loaded>
    </Dialog>
  )
}

type EntryProps = PageProps & { entry: RunEntry; row: ResultRow; columns: ResultColumn[] }

function EntryDetails({ dashboard, entry, row, columns }: EntryProps) {
  if (!entry.ok)
    return (
      <p class="notice notice--bad">
        <span>
          <Icon name="warning" /> <ReasonText text={entry.error?.message ?? ''} />{' '}
          <code class="notice__code">{entry.error?.error}</code>
        </span>
        {entry.error?.retryable && (
          <span>Trying again may help: the button “Retry failed” starts a new run with these rows.</span>
        )}
      </p>
    )
  const { fields } = entry
  if (fields)
    return (
      <div>
        <FieldTable dashboard={dashboard} names={Object.keys(fields)} resultsOf={(name) => [fields[name]]} />
      </div>
    )
  return (
    <Facts
      facts={columns
        .filter(({ isField, at }) => isField && row.cells[at] !== '')
        .map((column) => [humanizeName(columnTitle(column)), cellText(row, column)])}
    />
  )
}

function exploreUrl({ at }: ResultRow, { kind }: RunSummary, columns: ResultColumn[]): string {
  const fields = kind === 'fetch_batch' ? columns.filter(({ isField }) => isField).map(({ name }) => name) : []
  return `/?at=${at!.lat},${at!.lng}${fields.length > 0 && fields.length <= maxFields ? `&fields=${fields.join(',')}` : ''}`
}
