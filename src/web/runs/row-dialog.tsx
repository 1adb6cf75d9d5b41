import type { RunEntry, RunSummary } from '../../runs/run-summary.ts'
import { useAsked } from '../asked.ts'
import type { PageProps } from '../dashboard.ts'
import { FieldRow } from '../explore/field-row.tsx'
import { fieldsMax } from '../explore/wanted.ts'
import { pointText } from '../map/point.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Fault } from '../parts/fault.tsx'
import { Icon } from '../parts/icons.tsx'
import { Link } from '../parts/link.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { numberText, titleOf } from '../parts/value.ts'
import { cellText, columnTitle } from './cell-text.ts'
import { readEntry } from './read-run.ts'
import type { Column, Row } from './result.ts'

type Props = PageProps & { run: RunSummary; row: Row; columns: Column[]; onClose: () => void }

/** One row: what came along, each value with where it is from, or why there is none. */
export function RowDialog({ dashboard, run, row, columns, onClose }: Props) {
  const [entry, again] = useAsked(
    (signal) => readEntry(dashboard.api, run.run_id, row.index, signal),
    [run.run_id, row.index],
  )
  const passed = columns.filter(({ isField }) => !isField)
  return (
    <Dialog title={`Row ${numberText(row.index + 1)}`} onClose={onClose}>
      {(passed.length > 0 || row.at) && (
        <dl class="facts">
          {passed.map((column) => (
            <>
              <dt>{column.name}</dt>
              <dd>{row.cells[column.at] === '' ? '–' : row.cells[column.at]}</dd>
            </>
          ))}
          {row.at && (
            <>
              <dt>Place</dt>
              <dd>{pointText(row.at)}</dd>
            </>
          )}
        </dl>
      )}
      {row.at && (
        <p>
          <Link class="button" to={exploreAt(row, run, columns)} dashboard={dashboard}>
            <Icon name="pin" />
            Open in Explore
          </Link>
        </p>
      )}
      {entry.state === 'waiting' && <Skeleton lines={5} />}
      {entry.state === 'failed' && <Fault fault={entry.fault} again={again} />}
      {entry.state === 'here' && entry.value && (
        <Entry dashboard={dashboard} entry={entry.value} row={row} columns={columns} />
      )}
      {entry.state === 'here' && !entry.value && (
        <p class="soft">The result of this row is gone: a run is kept for some days only.</p>
      )}
    </Dialog>
  )
}

function Entry({
  dashboard: { library },
  entry,
  row,
  columns,
}: PageProps & { entry: RunEntry; row: Row; columns: Column[] }) {
  if (!entry.ok)
    return (
      <p class="notice notice--bad">
        <span>
          <Icon name="warning" /> {entry.error?.message} <code class="notice__code">{entry.error?.error}</code>
        </span>
        {entry.error?.retryable && <span>Trying again may help: “Retry failed” makes a new run of such rows.</span>}
      </p>
    )
  if (entry.fields)
    return (
      <div>
        {Object.entries(entry.fields).map(([name, result]) => (
          <FieldRow key={name} name={name} field={library.field(name)} results={[result]} onNear={() => {}} />
        ))}
      </div>
    )
  return (
    <dl class="facts">
      {columns
        .filter(({ isField, at }) => isField && row.cells[at] !== '')
        .map((column) => (
          <>
            <dt>{titleOf(columnTitle(column))}</dt>
            <dd>{cellText(row, column)}</dd>
          </>
        ))}
    </dl>
  )
}

function exploreAt({ at }: Row, { kind }: RunSummary, columns: Column[]): string {
  const fields = kind === 'fetch_batch' ? columns.filter(({ isField }) => isField).map(({ name }) => name) : []
  return `/?at=${at!.lat},${at!.lng}${fields.length > 0 && fields.length <= fieldsMax ? `&fields=${fields.join(',')}` : ''}`
}
