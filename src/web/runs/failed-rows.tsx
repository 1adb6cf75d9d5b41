import { useState } from 'preact/hooks'
import { pluralize } from '../../model/text.ts'
import type { RunEntry, RunResultsPage, RunSummary } from '../../runs/report/run-summary.ts'
import { Button } from '../components/buttons.tsx'
import { ErrorNotice } from '../components/notices.tsx'
import type { PageProps } from '../dashboard.ts'
import { useAction, useRequest } from '../use-request.ts'
import { numberText } from '../value-text.ts'

type FailedEntry = Extract<RunEntry, { ok: false }>

const shownMax = 50

/** The failed rows of a run, each with a text that corrects it. Only rows with a text are answered again. */
export function FailedRows({ dashboard: { api, router }, run }: PageProps & { run: RunSummary }) {
  const { failed } = run.progress
  const [page, reload] = useRequest(
    (signal) => api.get<RunResultsPage>(`${run.links.results}?status=failed&limit=${shownMax}`, signal),
    [run.run_id],
  )
  const [texts, setTexts] = useState<ReadonlyMap<number, string>>(new Map())
  const corrections = [...texts]
    .filter(([, text]) => text.trim() !== '')
    .map(([index, text]) => ({ index, ...locationOf(text.trim(), run) }))
  const retry = useAction(
    () => api.post<{ run_id: string }>(run.links.retry, { corrections }),
    ({ run_id }) => router.navigate(`/runs/${run_id}`),
  )
  if (page.status === 'failed') return <ErrorNotice error={page.error} retry={reload} />
  if (page.status === 'loading') return null
  return (
    <details class="runs-corrections no-print">
      <summary>Correct {pluralize(failed, 'failed row')}</summary>
      {failed > shownMax && <p class="soft small">The first {shownMax} are listed.</p>}
      <ul>
        {(page.value.items as FailedEntry[]).map((entry) => (
          <CorrectedRow
            key={entry.index}
            entry={entry}
            text={texts.get(entry.index) ?? ''}
            onText={(text) => setTexts(new Map(texts).set(entry.index, text))}
          />
        ))}
      </ul>
      <Button icon="refresh" disabled={retry.isBusy || corrections.length === 0} onClick={() => retry.start()}>
        {corrections.length === 0 ? 'Retry corrected rows' : `Retry ${pluralize(corrections.length, 'corrected row')}`}
      </Button>
      {retry.error && <span role="alert"> {retry.error.message}</span>}
    </details>
  )
}

type RowProps = { entry: FailedEntry; text: string; onText: (text: string) => void }

function CorrectedRow({ entry: { index, error }, text, onText }: RowProps) {
  return (
    <li>
      <label class="field">
        <span>
          Row {numberText(index + 1)}: {error.message}
        </span>
        <input
          class="input"
          value={text}
          placeholder="New coordinate or address"
          onInput={(event) => onText(event.currentTarget.value)}
        />
      </label>
      {suggestionsOf(error).map((suggestion) => (
        <Button key={suggestion} look="small" onClick={() => onText(suggestion)}>
          Use {suggestion}
        </Button>
      ))}
    </li>
  )
}

/** The texts that an error suggests: a coordinate that was probably meant, or the addresses that match. */
function suggestionsOf({ suggestion, candidates }: Record<string, unknown>): string[] {
  if (typeof suggestion === 'string') return [suggestion]
  if (!Array.isArray(candidates)) return []
  return candidates.flatMap(({ resolved_address }: { resolved_address?: unknown }) =>
    typeof resolved_address === 'string' ? [resolved_address] : [],
  )
}

const coordinatePattern = /^(-?\d+(?:\.\d+)?)\s*,\s*(-?\d+(?:\.\d+)?)$/

function locationOf(text: string, { kind }: RunSummary) {
  if (kind !== 'fetch_batch') return { input: text }
  const [, lat, lng] = coordinatePattern.exec(text) ?? []
  return lat === undefined ? { address: text } : { lat: Number(lat), lng: Number(lng) }
}
