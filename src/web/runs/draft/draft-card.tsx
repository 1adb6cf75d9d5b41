import { useMemo, useRef, useState } from 'preact/hooks'
import { uploadColumnsMax, type ColumnMapping, mappedColumns } from '../../../files/table/upload-columns.ts'
import { Button } from '../../components/buttons.tsx'
import { Select } from '../../components/inputs.tsx'
import { ErrorNotice, Skeleton } from '../../components/notices.tsx'
import type { Dashboard, PageProps } from '../../dashboard.ts'
import type { RequestError } from '../../request.ts'
import { useAction, useRequest } from '../../use-request.ts'
import { numberText } from '../../value-text.ts'
import { DraftTable } from './draft-table.tsx'
import { readDraft, type Draft, type DraftOptions } from './draft.ts'
import { RunFieldSelection } from './select-fields.tsx'
import {
  defaultSelection,
  createIdempotencyKey,
  submitRun,
  type RunDraft,
  type RunSelection,
} from '../run-selection.ts'
import type { SourcesDocument } from '../../../catalog/meta-documents.ts'
import { estimateBilledCalls } from './billed-calls.ts'

/** The maximum number of ignored files that are listed by name. */
const maxIgnoredNames = 5

type Props = PageProps & { file: File; ignoredNames: string[]; maxRows: number; onClose: () => void }

/** A file before upload: its preview, its problems, the fields to fetch, and the estimated cost. */
export function DraftCard({ dashboard, file, ignoredNames, maxRows, onClose }: Props) {
  const [selection, setSelection] = useState(defaultSelection)
  const [mapping, setMapping] = useState<ColumnMapping>({})
  const [sheetName, setSheetName] = useState<string>()
  const { draft, isReading, readError } = useDraft(file, { kind: selection.kind, maxRows, mapping, sheet: sheetName })
  const sheet = draft?.sheet ?? null
  const submit = useSubmit(dashboard, { file, sheet, mapping, selection })
  if (readError) return <UnreadableFile name={file.name} error={readError} onClose={onClose} />
  if (!draft)
    return (
      <section class="card">
        <Skeleton lines={6} />
      </section>
    )
  const problem = draftProblem(draft, maxRows)
  const rows = rowCountText(draft.count, maxRows)
  return (
    <section class="card runs-draft" aria-label={`New run of ${file.name}`}>
      <div class="runs-draft__head">
        <h2>{file.name}</h2>
        <p class="soft">{rows}. Nothing is uploaded until you start.</p>
      </div>
      {draft.sheets.length > 1 && (
        <Select
          class="runs-sheet"
          label="Sheet"
          options={draft.sheets.map((name) => [name, name])}
          selected={draft.sheet ?? ''}
          onSelect={(name) => {
            setSheetName(name)
            setMapping({})
          }}
        />
      )}
      <DraftNotices draft={draft} fileName={file.name} ignoredNames={ignoredNames} problem={problem} />
      {draft.header.length > 0 && draft.header.length <= uploadColumnsMax && (
        <ColumnMappingFields draft={draft} mapping={mapping} onMapping={setMapping} />
      )}
      {problem === null && (
        <>
          <h3>Data to fetch</h3>
          <RunFieldSelection dashboard={dashboard} selection={selection} onSelect={setSelection} />
          <CostEstimate dashboard={dashboard} draft={draft} selection={selection} />
        </>
      )}
      {submit.error && <ErrorNotice error={submit.error} retry={submit.start} />}
      <div class="row">
        {problem === null && (
          <Button key="start" look="main" disabled={submit.isBusy || isReading} onClick={() => submit.start()}>
            {submit.isBusy ? 'Uploading…' : `Start with ${rows}`}
          </Button>
        )}
        <Button key="close" onClick={onClose}>
          {problem === null ? 'Cancel' : 'Choose another file'}
        </Button>
      </div>
    </section>
  )
}

function UnreadableFile({ name, error, onClose }: { name: string; error: RequestError; onClose: () => void }) {
  return (
    <section class="card runs-draft" aria-label={`New run of ${name}`}>
      <h2>{name}</h2>
      <ErrorNotice error={error} />
      <div class="row">
        <Button onClick={onClose}>Choose another file</Button>
      </div>
    </section>
  )
}

/**
 * Reads the file. While it is read again with another column or sheet, the previous draft stays, so that the form keeps
 * the focus.
 */
function useDraft(file: File, options: DraftOptions) {
  const { kind, mapping, sheet } = options
  const [state] = useRequest(
    () => readDraft(file, options),
    [file.name, file.size, file.lastModified, kind, mapping, sheet],
  )
  const lastDraft = useRef<Draft | null>(null)
  if (state.status === 'loaded') lastDraft.current = state.value
  return {
    draft: lastDraft.current,
    isReading: state.status === 'loading',
    readError: state.status === 'failed' ? state.error : null,
  }
}

/** Submits the file and opens the page of the new run. */
function useSubmit({ api, router }: Dashboard, draft: RunDraft) {
  const { file, sheet, mapping, selection } = draft
  // A new selection is a new run. Submitting the same selection twice creates one run.
  const key = useMemo(createIdempotencyKey, [file, sheet, mapping, selection])
  return useAction(
    () => submitRun(api, draft, key),
    (run_id) => router.navigate(`/runs/${run_id}`),
    [sheet, mapping, selection],
  )
}

type NoticesProps = { draft: Draft; fileName: string; ignoredNames: string[]; problem: string | null }

/** The ignored files, the preview of the file, and its problems. */
function DraftNotices({ draft, fileName, ignoredNames, problem }: NoticesProps) {
  return (
    <>
      {ignoredNames.length > 0 && (
        <p class="notice notice--warn" role="status">
          <span>
            A run takes one file. Using <b>{fileName}</b>; ignored: {ignoredNames.slice(0, maxIgnoredNames).join(', ')}
            {ignoredNames.length > maxIgnoredNames && ` and ${numberText(ignoredNames.length - maxIgnoredNames)} more`}.
          </span>
        </p>
      )}
      {draft.header.length <= uploadColumnsMax && <DraftTable draft={draft} />}
      {problem !== null && (
        <p class="notice notice--bad" role="alert">
          {problem}
        </p>
      )}
      {draft.rowErrors.length > 0 && (
        <div class="notice notice--warn">
          <p>{failingRowsText(draft)}</p>
          <ul class="small">
            {draft.rowErrors.map(({ line, reason }) => (
              <li key={line}>
                Line {line}: {reason}
                {/[.?]$/.test(reason) ? '' : '.'}
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  )
}

function failingRowsText({ unreadable, outside }: Draft): string {
  return unreadable + outside === 1
    ? 'One row cannot be used and will be marked as failed:'
    : `${numberText(unreadable + outside)} rows cannot be used and will be marked as failed:`
}

function rowCountText(count: number, maxRows: number): string {
  if (count > maxRows) return `more than ${numberText(maxRows)} rows`
  return `${numberText(count)} ${count === 1 ? 'row' : 'rows'}`
}

/** Returns why a file cannot become a run, or null. */
function draftProblem(
  { problem, count, header }: Pick<Draft, 'problem' | 'count' | 'header'>,
  maxRows: number,
): string | null {
  if (header.length === 0) return 'The file is empty. Its first line must name the columns.'
  if (header.length > uploadColumnsMax)
    return `The first line names ${numberText(header.length)} columns, but at most ${uploadColumnsMax} are allowed. Remove the columns that you do not need.`
  if (problem !== null) return `${problem.replaceAll('`', '')}.`
  if (count === 0) return 'The file has column names but no rows.'
  return count > maxRows ? `A run has at most ${numberText(maxRows)} rows. Split the file.` : null
}

/** Shows the estimated cost of a run before it starts. */
function CostEstimate({
  dashboard: { api, catalogStore },
  draft,
  selection,
}: PageProps & { draft: Draft; selection: RunSelection }) {
  const [sources] = useRequest((signal) => api.get<SourcesDocument>('/v1/meta/sources', signal), [])
  const catalog = catalogStore.catalog.value
  if (sources.status === 'failed')
    return <p class="soft small">The cost could not be estimated: {sources.error.message}</p>
  if (sources.status !== 'loaded' || catalog.status !== 'loaded') return <p class="soft small">Estimating the cost…</p>
  const billedCalls = estimateBilledCalls(draft, selection, sources.value, catalog.value.presets)
  const geocoders = sources.value.geocoders.map(({ name }) => name)
  return (
    <div class={billedCalls.length > 0 ? 'notice notice--warn small runs-estimate' : 'notice small runs-estimate'}>
      {billedCalls.length === 0 && <p>This run makes no billed calls.</p>}
      {billedCalls.map(({ calls, provider, purpose }) => (
        <p key={provider}>
          At most{' '}
          <b>
            {numberText(calls)} billed {calls === 1 ? 'call' : 'calls'}
          </b>{' '}
          to {provider}, for {purpose}. Cached answers are not billed again.
        </p>
      ))}
      {draft.addresses > 0 && (
        <p>
          {numberText(draft.addresses)} addresses need geocoding
          {geocoders.length > 0
            ? `, by ${geocoders.join(', then ')}`
            : '. This server has no geocoding provider, so these rows will fail'}
          .
        </p>
      )}
    </div>
  )
}

const labels = { lat: 'Latitude', lng: 'Longitude', location: 'Coordinate', address: 'Address' } as const

type ColumnMappingProps = { draft: Draft; mapping: ColumnMapping; onMapping: (mapping: ColumnMapping) => void }

/** Selects which columns of the file hold the location. What is not selected is recognized by its name. */
function ColumnMappingFields({ draft: { header, columns }, mapping, onMapping }: ColumnMappingProps) {
  const { lat = -1, lng = -1, location = -1, address = [] } = columns ?? {}
  const recognized = { lat, lng, location, address: address[0] ?? -1 }
  const select = (part: keyof ColumnMapping, name: string) => {
    const { [part]: _, ...others } = mapping
    onMapping(name === '' ? others : { ...others, [part]: name })
  }
  const emptyText = (part: keyof ColumnMapping) =>
    recognized[part] >= 0 && mapping[part] === undefined ? `${header[recognized[part]]} (recognized)` : 'none'
  return (
    <fieldset class="row runs-mapping">
      <legend class="small">Location columns</legend>
      {mappedColumns.map((part) => (
        <Select
          key={part}
          label={labels[part]}
          options={[['', emptyText(part)], ...header.map((name) => [name, name] as const)]}
          selected={mapping[part] ?? ''}
          onSelect={(name) => select(part, name)}
        />
      ))}
    </fieldset>
  )
}
