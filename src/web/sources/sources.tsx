import { useEffect, useState } from 'preact/hooks'
import type { SourceStatus, SourcesDocument } from '../../catalog/sources-document.ts'
import { useAsked } from '../asked.ts'
import type { PageProps } from '../dashboard.ts'
import { Fault } from '../parts/fault.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { Embedded } from './embedded.tsx'
import { OffList } from './off-list.tsx'
import { Packs } from './packs.tsx'
import { stateOf, states, type State } from './source.ts'
import { SourceDialog } from './source-dialog.tsx'
import { SourceTable } from './source-table.tsx'

const refreshEvery_ms = 10_000

/** Every dataset behind the fields, and how it stands; what is compiled in, and the packs. Kept fresh while somebody looks. */
export function Sources({ dashboard }: PageProps) {
  const { api, address } = dashboard
  const [answer, again] = useAsked((signal) => api.get<SourcesDocument>('/v1/meta/sources', signal), [])
  const [opened, setOpened] = useState<string | null>(null)
  useRefresh(again)
  const { query } = address.at.value
  const text = query.get('q') ?? ''
  const wanted = states.find((it) => it === query.get('state')) ?? null
  const sources = answer.state === 'here' ? answer.value.sources : []
  const counts = Map.groupBy(sources, stateOf)
  const shown = sources.filter((source) => (wanted === null || stateOf(source) === wanted) && isMeant(source, text))
  const open = sources.find(({ dataset }) => dataset === opened)
  return (
    <>
      <PageHead title="Sources">
        {answer.state === 'here' ? summaryOf(counts, sources.length) : 'The datasets behind the fields.'}
      </PageHead>
      {answer.state === 'waiting' && <Skeleton lines={12} />}
      {answer.state === 'failed' && <Fault fault={answer.fault} again={again} />}
      {answer.state === 'here' && (
        <>
          <section class="stack" aria-label="Datasets">
            <div class="sources-tools">
              <input
                class="input"
                type="search"
                aria-label="Search the datasets"
                placeholder="Dataset, publisher or way"
                value={text}
                onInput={(event) => address.note({ q: event.currentTarget.value || null })}
              />
              <div class="chips" role="group" aria-label="How they stand">
                <button
                  type="button"
                  class="chip"
                  aria-pressed={wanted === null}
                  onClick={() => address.note({ state: null })}
                >
                  All
                </button>
                {states.map((state) => (
                  <button
                    key={state}
                    type="button"
                    class="chip"
                    aria-pressed={wanted === state}
                    onClick={() => address.note({ state })}
                  >
                    {names[state]} <span class="soft">{counts.get(state)?.length ?? 0}</span>
                  </button>
                ))}
              </div>
            </div>
            <p class="soft small">{meanings[wanted ?? 'all']}</p>
            {wanted === 'off' ? (
              <OffList sources={shown} onOpen={setOpened} />
            ) : (
              <SourceTable dashboard={dashboard} sources={shown} onOpen={setOpened} />
            )}
          </section>
          <Packs packs={answer.value.packs} />
          <Embedded layers={answer.value.embedded} />
        </>
      )}
      {open && <SourceDialog dashboard={dashboard} source={open} onClose={() => setOpened(null)} />}
    </>
  )
}

const names: Record<State, string> = { ready: 'Ready', waiting: 'Not asked yet', degraded: 'Degraded', off: 'Off' }

const meanings: Record<State | 'all', string> = {
  all: 'Open one for its licence, its fields and the ways in which it is asked. Off tells of each what it would take.',
  ready: 'They answer from this machine, or their host has answered since the start.',
  waiting: 'They are on other servers, and no question has needed them since the start.',
  degraded: 'Their host failed several times in a row and is left alone for a while; it is tried again by itself.',
  off: 'Nothing on this server can ask them.',
}

function summaryOf(counts: ReadonlyMap<State, SourceStatus[]>, total: number): string {
  const said = states.map((state) => `${counts.get(state)?.length ?? 0} ${names[state].toLowerCase()}`)
  return `${total} datasets: ${said.join(', ')}.`
}

/** Asks again now and then, but not while the page is in the background. */
function useRefresh(again: () => void): void {
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === 'visible') again()
    }
    const timer = setInterval(look, refreshEvery_ms)
    document.addEventListener('visibilitychange', look)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', look)
    }
  }, [])
}

function isMeant({ dataset, title, publisher, drivers, source }: SourceStatus, text: string): boolean {
  const where = [dataset, source, title, publisher, ...drivers.map(({ driver }) => driver)].join(' ').toLowerCase()
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => where.includes(word))
}
