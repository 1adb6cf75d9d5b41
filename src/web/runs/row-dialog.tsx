import type { RunEntry, RunSummary } from '../../runs/report/run-summary.ts'
import { Dialog } from '../components/dialogs.tsx'
import { Loaded } from '../components/notices.tsx'
import { Facts } from '../components/text.tsx'
import { Icon } from '../components/icons.tsx'
import type { PageProps } from '../dashboard.ts'
import { maxFields } from '../explore/explore-query.ts'
import { FieldTable } from '../explore/field-table.tsx'
import { pointText } from '../map/geometry.ts'
import { useRequest } from '../use-request.ts'
import { humanizeName } from '../../catalog/field-title.ts'
import { numberText } from '../value-text.ts'
import { readEntry } from './read-run.ts'
import { type ResultColumn, type ResultRow, cellText, columnTitle } from './result.ts'

type Props = PageProps & { run: RunSummary; row: ResultRow; columns: ResultColumn[]; onClose: () => void }

/** The details of one row: uploaded columns, and each value with its source or the reason why it is missing. */
export function RowDialog({ dashboard, run, row, columns, onClose }: Props) {
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
          <Icon name="warning" /> {entry.error?.message} <code class="notice__code">{entry.error?.error}</code>
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
