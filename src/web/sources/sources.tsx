import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import {
  sourceStates,
  type EmbeddedLayerStatus,
  type SourcesDocument,
  type SourceState,
  type SourceStatus,
} from '../../catalog/meta-documents.ts'
import { useRequest } from '../use-request.ts'
import type { PageProps } from '../dashboard.ts'
import { Choice } from '../components/buttons.tsx'
import { hasWords, SearchInput } from '../components/inputs.tsx'
import { Loaded } from '../components/notices.tsx'
import { PageHeader } from '../components/headings.tsx'
import { sourceStateOf, sourceStateBadges } from './source-state.ts'
import { SourceTable, UnavailableSources } from './source-table.tsx'
import { ExternalLink, StatusBadge, type StatusKind, Facts, ReasonText, Timestamp } from '../components/text.tsx'
import { DataTable } from '../components/data-table.tsx'
import { humanizeName } from '../../catalog/field-title.ts'
import { numberText } from '../value-text.ts'
import type { PackStatus } from '../../packs/check/pack-status.ts'
import { pluralize } from '../../model/text.ts'
import { Dialog } from '../components/dialogs.tsx'
import { FailingNotice, SourceOptionBadge } from './source-notices.tsx'

const refresh_ms = 10_000

/**
 * The sources page: all datasets and their states, the packs, and the built-in layers. It refreshes itself while
 * visible.
 */
export function SourcesPage({ dashboard }: PageProps) {
  const { api, router } = dashboard
  const [response, reload] = useRequest((signal) => api.get<SourcesDocument>('/v1/meta/sources', signal), [])
  const [openDataset, setOpenDataset] = useState<string | null>(null)
  usePolling(reload)
  const { text, selectedState } = filterOf(router.location.value.query)
  const sources = response.status === 'loaded' ? response.value.sources : []
  const counts = Map.groupBy(sources, sourceStateOf)
  const visibleSources = sources.filter(
    (source) => (selectedState === null || sourceStateOf(source) === selectedState) && matchesSearch(source, text),
  )
  const openSource = sources.find(({ dataset }) => dataset === openDataset)
  return (
    <>
      <PageHeader title="Sources">
        {response.status === 'loaded' ? summaryOf(counts, sources.length) : 'The datasets behind the fields.'}
      </PageHeader>
      <Loaded state={response} retry={reload} lines={12}>
        {(document) => (
          <>
            <div class="stack">
              <SourceFilter dashboard={dashboard} counts={counts} />
              <p class="soft small">{stateDescriptions[selectedState ?? 'all']}</p>
              {visibleSources.length === 0 ? (
                <p class="notice" role="status">
                  No datasets match. Change the search or choose another status.
                </p>
              ) : selectedState === 'off' ? (
                <UnavailableSources sources={visibleSources} onOpen={setOpenDataset} />
              ) : (
                <SourceTable dashboard={dashboard} sources={visibleSources} onOpen={setOpenDataset} />
              )}
            </div>
            <PackList {...document} />
            <EmbeddedLayers layers={document.embedded} />
          </>
        )}
      </Loaded>
      {openSource && <SourceDialog source={openSource} onClose={() => setOpenDataset(null)} />}
    </>
  )
}

/** The search and the states that select datasets. They are in the URL. */
function SourceFilter({
  dashboard: { router },
  counts,
}: PageProps & { counts: ReadonlyMap<SourceState, SourceStatus[]> }) {
  const { text, selectedState } = filterOf(router.location.value.query)
  const options = sourceStates.map((state): [SourceState, ComponentChildren] => [
    state,
    [`${humanizeName(sourceStateBadges[state].word)} `, <span class="soft">{counts.get(state)?.length ?? 0}</span>],
  ])
  return (
    <div class="sources-tools">
      <SearchInput
        label="Search datasets"
        placeholder="Dataset, publisher or driver"
        text={text}
        onText={(q) => router.replaceQuery({ q: q || null })}
      />
      <Choice
        label="State"
        options={[[null, 'All'], ...options]}
        selected={selectedState}
        onSelect={(state) => router.replaceQuery({ state })}
      />
    </div>
  )
}

function filterOf(query: URLSearchParams): { text: string; selectedState: SourceState | null } {
  return { text: query.get('q') ?? '', selectedState: sourceStates.find((it) => it === query.get('state')) ?? null }
}

const stateDescriptions: Record<SourceState | 'all', string> = {
  all: 'Open a dataset to see its license, fields and what it needs. Coverage shows how to get what a county lacks.',
  ready: 'Read from files on this server, or from a host that has answered since this server started.',
  cold: 'Read from other servers, and not yet requested since this server started.',
  degraded: 'The last call failed. Open a dataset to see the error, since when it fails, and the next try.',
  off: 'Nothing on this server can read these datasets. Coverage shows how to get what a county lacks.',
}

function summaryOf(counts: ReadonlyMap<SourceState, SourceStatus[]>, total: number): string {
  const parts = sourceStates.map((state) => `${counts.get(state)?.length ?? 0} ${sourceStateBadges[state].word}`)
  return `${total} datasets: ${parts.join(', ')}.`
}

/** Reloads at intervals, but not while the page is in the background. */
function usePolling(reload: () => void): void {
  useEffect(() => {
    const refresh = () => {
      if (document.visibilityState === 'visible') reload()
    }
    const timer = setInterval(refresh, refresh_ms)
    document.addEventListener('visibilitychange', refresh)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', refresh)
    }
  }, [])
}

function matchesSearch({ dataset, title, publisher, drivers, source }: SourceStatus, text: string): boolean {
  return hasWords([dataset, source, title, publisher, ...drivers.map(({ driver }) => driver)].join(' '), text)
}

/** The layers that are compiled into the executable. */
function EmbeddedLayers({ layers }: { layers: EmbeddedLayerStatus[] }) {
  return (
    <section class="stack">
      <h2>Built-in layers</h2>
      <DataTable
        label="Built-in layers"
        rows={layers}
        keyOf={({ layer }) => layer}
        columns={[
          { heading: 'Layer', kind: 'name', cell: ({ title }) => title },
          {
            heading: 'Publisher',
            cell: ({ publisher, source_url }) => <ExternalLink href={source_url}>{publisher}</ExternalLink>,
          },
          { heading: 'Vintage', cell: ({ vintage }) => vintage },
          { heading: 'License', cell: ({ license }) => license },
          { heading: 'Features', kind: 'number', cell: ({ features }) => numberText(features) },
        ]}
      />
    </section>
  )
}

/** The files of the packs folder: their states, and the problems of rejected ones. */
function PackList({ packs, areas }: Pick<SourcesDocument, 'packs' | 'areas'>) {
  return (
    <section class="stack">
      <h2>Packs</h2>
      {packs.length === 0 && (
        <p class="soft">
          None. Packs are preferred to online sources and work without a network. Run{' '}
          <code>fieldstone pack list --all</code> to see which packs you can install.
        </p>
      )}
      {packs.length > 0 && (
        <DataTable
          label="Packs"
          rows={packs}
          keyOf={({ file }) => file}
          columns={[
            { heading: 'State', cell: ({ state }) => <StatusBadge kind={badgeKinds[state]} word={state} /> },
            { heading: 'File', kind: 'name', cell: fileCell },
            { heading: 'Datasets', cell: ({ datasets }) => datasets.join(', ') },
            { heading: 'Vintage', cell: ({ vintage }) => vintage ?? '—' },
            { heading: 'License', cell: ({ license }) => license ?? '—' },
            { heading: 'Size', kind: 'number', cell: ({ bytes }) => `${numberText(bytes / 1e6)} MB` },
          ]}
        />
      )}
      {areas.map(({ area, presets }) => (
        <p key={area}>
          {presets.length === 0
            ? `Local data answers no preset completely in ${area}.`
            : `Local data answers these presets completely in ${area}: ${presets.map(humanizeName).join(', ')}.`}
        </p>
      ))}
    </section>
  )
}

function fileCell({ file, area, reason, notes }: PackStatus) {
  return (
    <>
      {file}
      {area !== null && <span class="soft"> {area}</span>}
      {[...(reason === null ? [] : [reason]), ...notes].map((it) => (
        <p key={it} class="sources-problem">
          {it}
        </p>
      ))}
    </>
  )
}

const badgeKinds: Record<PackStatus['state'], StatusKind> = { checking: 'busy', live: 'ok', rejected: 'failed' }

/** The details of one dataset. */
function SourceDialog({ source, onClose }: { source: SourceStatus; onClose: () => void }) {
  const { title, fields, unavailable_reason } = source
  const { kind, word } = sourceStateBadges[sourceStateOf(source)]
  return (
    <Dialog title={title} onClose={onClose}>
      <p>
        <StatusBadge kind={kind} word={word} />
      </p>
      {unavailable_reason !== null && (
        <p class="notice notice--warn">
          <ReasonText text={unavailable_reason} />
        </p>
      )}
      {source.failing && <FailingNotice failing={source.failing} />}
      <SourceFacts source={source} />
      <h3>{fields.length === 0 ? 'Used only by other datasets' : pluralize(fields.length, 'field')}</h3>
      <ul class="chips">
        {fields.map((field) => (
          <li key={field}>
            <a class="chip" href={`/catalog/${field}`}>
              {field}
            </a>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

function SourceFacts({ source }: { source: SourceStatus }) {
  const { dataset, publisher, license, attribution, source_url, vintage, vintage_note, drivers } = source
  const { last_success, latency_ms, circuit } = source
  return (
    <Facts
      class="sources-facts"
      facts={[
        ['Name', <code>{dataset}</code>],
        ['Publisher', <ExternalLink href={source_url}>{publisher}</ExternalLink>],
        ['License', license],
        attribution !== null && ['Attribution', attribution],
        ['Vintage', `${vintage ?? 'changes'}${vintage_note === null ? '' : `. ${vintage_note}`}`],
        [
          'Source options',
          <ol>
            {drivers.map(({ driver, state }, i) => (
              <li key={i}>
                <SourceOptionBadge driver={driver} state={state} vintage={null} />
              </li>
            ))}
          </ol>,
        ],
        ['Last success', last_success === null ? 'none since start' : <Timestamp at={last_success} />],
        latency_ms !== null && [
          'Latency',
          `${numberText(Math.round(latency_ms))} ms, moving average of the response time of its host`,
        ],
        circuit !== null && ['Circuit breaker', circuit],
      ]}
    />
  )
}
