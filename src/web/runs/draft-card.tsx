import { useEffect, useMemo, useState } from 'preact/hooks'
import { uploadColumnsMax } from '../../runs/upload-columns.ts'
import type { ApiFault } from '../api-fault.ts'
import { asked, useAsked } from '../asked.ts'
import type { PageProps } from '../dashboard.ts'
import { Fault } from '../parts/fault.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { numberText } from '../parts/value.ts'
import { readDraft } from './draft.ts'
import { DraftTable } from './draft-table.tsx'
import { Estimate } from './estimate.tsx'
import { SelectFields } from './select-fields.tsx'
import { firstSelected } from './first-selected.ts'
import { newKey, submit } from './submit.ts'

/** So many names of files that were left are told. */
const leftMax = 5

type Props = PageProps & { file: File; left: string[]; rowsMax: number; onClose: () => void }

/** A file before it is sent: what was recognised in it, what is to be found out, what that may cost. */
export function DraftCard({ dashboard, file, left, rowsMax, onClose }: Props) {
  const { api, address } = dashboard
  const [selected, setSelected] = useState(firstSelected)
  const [read] = useAsked(
    () => readDraft(file, selected.kind, rowsMax),
    [file.name, file.size, file.lastModified, selected.kind],
  )
  const [isSending, setSending] = useState(false)
  const [fault, setFault] = useState<ApiFault | null>(null)
  // Another selection is another run; the same one, sent twice, is one.
  const key = useMemo(newKey, [file, selected])
  useEffect(() => setFault(null), [selected])
  const start = async () => {
    if (isSending) return
    setSending(true)
    setFault(null)
    const answer = await asked(() => submit(api, file, selected, key))
    setSending(false)
    if (answer.state === 'here') address.go(`/runs/${answer.value}`)
    if (answer.state === 'failed') setFault(answer.fault)
  }
  if (read.state === 'waiting')
    return (
      <section class="card">
        <Skeleton lines={6} />
      </section>
    )
  if (read.state === 'failed')
    return (
      <section class="card runs-draft" aria-label={`New run of ${file.name}`}>
        <h2>{file.name}</h2>
        <Fault fault={read.fault} />
        <div class="row">
          <button type="button" class="button" onClick={onClose}>
            Choose another file
          </button>
        </div>
      </section>
    )
  const draft = read.value
  const lack = lackOf(draft, rowsMax)
  const rows =
    draft.count > rowsMax
      ? `more than ${numberText(rowsMax)} rows`
      : `${numberText(draft.count)} ${draft.count === 1 ? 'row' : 'rows'}`
  return (
    <section class="card runs-draft" aria-label={`New run of ${file.name}`}>
      <div class="runs-draft__head">
        <h2>{file.name}</h2>
        <p class="soft">{rows}. Nothing is sent before you start.</p>
      </div>
      {left.length > 0 && (
        <p class="notice notice--warn" role="status">
          <span>
            A run is made of one file: <b>{file.name}</b> was taken, and not {left.slice(0, leftMax).join(', ')}
            {left.length > leftMax && ` and ${numberText(left.length - leftMax)} more`}.
          </span>
        </p>
      )}
      {draft.header.length <= uploadColumnsMax && <DraftTable draft={draft} />}
      {lack !== null && (
        <p class="notice notice--bad" role="alert">
          {lack}
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
            {draft.lacking.map(({ line, why }) => (
              <li key={line}>
                Line {line}: {why}.
              </li>
            ))}
          </ul>
        </div>
      )}
      {lack === null && (
        <>
          <h3>What to find out</h3>
          <SelectFields dashboard={dashboard} selected={selected} onSelect={setSelected} />
          <Estimate dashboard={dashboard} draft={draft} selected={selected} />
        </>
      )}
      {fault && <Fault fault={fault} again={() => void start()} />}
      <div class="row">
        {lack === null && (
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
          {lack === null ? 'Cancel' : 'Choose another file'}
        </button>
      </div>
    </section>
  )
}

/** Why a file cannot become a run; null when it can. */
function lackOf(
  { columns, count, header }: { columns: unknown; count: number; header: string[] },
  rowsMax: number,
): string | null {
  if (header.length === 0) return 'There is nothing in this file: its first line has to name the columns.'
  if (header.length > uploadColumnsMax)
    return `The first line names ${numberText(header.length)} columns, and at most ${uploadColumnsMax} are allowed. Remove the columns that are not needed.`
  if (!columns)
    return 'No column says where a row is. The first line has to name lat and lng, or address, or street, city, state and zip.'
  if (count === 0) return 'There are names of columns, and no row under them.'
  return count > rowsMax ? `A run has at most ${numberText(rowsMax)} rows: cut the file into several.` : null
}
