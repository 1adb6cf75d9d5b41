import { useEffect, useMemo, useState } from 'preact/hooks'
import { uploadColumnsMax } from '../../runs/upload-columns.ts'
import type { RequestError } from '../request-error.ts'
import { runRequest, useRequest } from '../request-state.ts'
import type { PageProps } from '../dashboard.ts'
import { ErrorNotice } from '../components/error-notice.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { numberText } from '../value-text.ts'
import { readDraft } from './draft.ts'
import { DraftTable } from './draft-table.tsx'
import { CostEstimate } from './cost-estimate.tsx'
import { RunFieldSelection } from './select-fields.tsx'
import { defaultSelection } from './first-selected.ts'
import { createIdempotencyKey, submitRun } from './submit.ts'

/** So many names of files that were left are told. */
const maxIgnoredNames = 5

type Props = PageProps & { file: File; ignoredNames: string[]; maxRows: number; onClose: () => void }

/** A file before it is sent: what was recognised in it, what is to be found out, what that may cost. */
export function DraftCard({ dashboard, file, ignoredNames, maxRows, onClose }: Props) {
  const { api, router } = dashboard
  const [selection, setSelection] = useState(defaultSelection)
  const [draftState] = useRequest(
    () => readDraft(file, selection.kind, maxRows),
    [file.name, file.size, file.lastModified, selection.kind],
  )
  const [isSending, setSending] = useState(false)
  const [error, setError] = useState<RequestError | null>(null)
  // Another selection is another run; the same one, sent twice, is one.
  const key = useMemo(createIdempotencyKey, [file, selection])
  useEffect(() => setError(null), [selection])
  const start = async () => {
    if (isSending) return
    setSending(true)
    setError(null)
    const result = await runRequest(() => submitRun(api, file, selection, key))
    setSending(false)
    if (result.status === 'loaded') router.navigate(`/runs/${result.value}`)
    if (result.status === 'failed') setError(result.error)
  }
  if (draftState.status === 'loading')
    return (
      <section class="card">
        <Skeleton lines={6} />
      </section>
    )
  if (draftState.status === 'failed')
    return (
      <section class="card runs-draft" aria-label={`New run of ${file.name}`}>
        <h2>{file.name}</h2>
        <ErrorNotice error={draftState.error} />
        <div class="row">
          <button type="button" class="button" onClick={onClose}>
            Choose another file
          </button>
        </div>
      </section>
    )
  const draft = draftState.value
  const problem = draftProblem(draft, maxRows)
  const rows =
    draft.count > maxRows
      ? `more than ${numberText(maxRows)} rows`
      : `${numberText(draft.count)} ${draft.count === 1 ? 'row' : 'rows'}`
  return (
    <section class="card runs-draft" aria-label={`New run of ${file.name}`}>
      <div class="runs-draft__head">
        <h2>{file.name}</h2>
        <p class="soft">{rows}. Nothing is sent before you start.</p>
      </div>
      {ignoredNames.length > 0 && (
        <p class="notice notice--warn" role="status">
          <span>
            A run is made of one file: <b>{file.name}</b> was taken, and not{' '}
            {ignoredNames.slice(0, maxIgnoredNames).join(', ')}
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
      {draft.unreadable > 0 && (
        <div class="notice notice--warn">
          <p>
            {draft.unreadable === 1
              ? 'One row cannot be read, and will say so in the result'
              : `${numberText(draft.unreadable)} rows cannot be read, and will say so in the result`}
            :
          </p>
          <ul class="small">
            {draft.rowErrors.map(({ line, reason }) => (
              <li key={line}>
                Line {line}: {reason}.
              </li>
            ))}
          </ul>
        </div>
      )}
      {problem === null && (
        <>
          <h3>What to find out</h3>
          <RunFieldSelection dashboard={dashboard} selection={selection} onSelect={setSelection} />
          <CostEstimate dashboard={dashboard} draft={draft} selection={selection} />
        </>
      )}
      {error && <ErrorNotice error={error} retry={() => void start()} />}
      <div class="row">
        {problem === null && (
          <button
            key="start"
            type="button"
            class="button button--main"
            disabled={isSending}
            onClick={() => void start()}
          >
            {isSending ? 'Sending …' : `Start with ${rows}`}
          </button>
        )}
        <button key="close" type="button" class="button" onClick={onClose}>
          {problem === null ? 'Cancel' : 'Choose another file'}
        </button>
      </div>
    </section>
  )
}

/** Why a file cannot become a run; null when it can. */
function draftProblem(
  { columns, count, header }: { columns: unknown; count: number; header: string[] },
  maxRows: number,
): string | null {
  if (header.length === 0) return 'There is nothing in this file: its first line has to name the columns.'
  if (header.length > uploadColumnsMax)
    return `The first line names ${numberText(header.length)} columns, and at most ${uploadColumnsMax} are allowed. Remove the columns that are not needed.`
  if (!columns)
    return 'No column says where a row is. The first line has to name lat and lng, or address, or street, city, state and zip.'
  if (count === 0) return 'There are names of columns, and no row under them.'
  return count > maxRows ? `A run has at most ${numberText(maxRows)} rows: cut the file into several.` : null
}
