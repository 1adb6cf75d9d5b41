import { useEffect, useState } from 'preact/hooks'
import type { PackFetchRequest, PackPlan, PackFetchStatus } from '../../catalog/pack-fetch-document.ts'
import { packFetchCommand } from '../../catalog/missing-data.ts'
import { Button } from '../components/buttons.tsx'
import { Select } from '../components/inputs.tsx'
import { GetDataCommand } from '../components/missing-notice.tsx'
import { ErrorNotice } from '../components/notices.tsx'
import { DataTable } from '../components/data-table.tsx'
import type { PageProps } from '../dashboard.ts'
import { useAction, useRequest } from '../use-request.ts'
import { humanizeName } from '../../catalog/field-title.ts'
import type { CountyShape } from './county-shapes.ts'
import { formatDuration, megabytes, pluralize } from '../../model/text.ts'
import { StatusBadge, type StatusKind } from '../components/text.tsx'

type Props = PageProps & { county: CountyShape; completePresets: readonly string[]; onFetched: () => void }

/** How to get the data that a county lacks: the command, and for administrators the plan, a start and the progress. */
export function MissingData({ dashboard, county, completePresets, onFetched }: Props) {
  const { catalog } = dashboard.catalogStore
  const presets =
    catalog.value.status === 'loaded'
      ? Object.keys(catalog.value.value.presets).filter((name) => !completePresets.includes(name))
      : []
  const [chosen, setChosen] = useState<string | null>(null)
  const preset = presets.find((name) => name === chosen) ?? presets[0]
  dashboard.catalogStore.load()
  if (preset === undefined) return null
  const command = packFetchCommand({ preset }, `--area "${county.name}"`)
  const user = dashboard.session.user.value
  const isAdmin = user.status === 'loaded' && user.value?.scopes.includes('admin') === true
  return (
    <section class="card stack" aria-labelledby="missing-title">
      <h2 id="missing-title">Get the missing data for {county.name}</h2>
      <Select
        class="coverage-search"
        label="Preset"
        options={presets.map((name) => [name, humanizeName(name)])}
        selected={preset}
        onSelect={setChosen}
      />
      <GetDataCommand command={command} isOffline />
      <p>Or get what all presets need there, in one signed file to import elsewhere:</p>
      <GetDataCommand command={`fieldstone pack starter "${county.name}"`} isOffline={false} />
      {isAdmin ? (
        <BackgroundFetch
          key={`${county.fips} ${preset}`}
          dashboard={dashboard}
          area={county.fips}
          presets={[preset]}
          onFetched={onFetched}
        />
      ) : (
        <p class="soft">An administrator can also start this here.</p>
      )}
    </section>
  )
}

/** The plan of a fetch, and its start. Shows the progress instead while a fetch is running. */
function BackgroundFetch({
  dashboard,
  area,
  presets,
  onFetched,
}: PageProps & PackFetchRequest & Pick<Props, 'onFetched'>) {
  const { api } = dashboard
  const [last, reload] = useRequest((signal) => api.get<PackFetchAnswer>('/v1/packs/fetch', signal), [])
  const [hours, setHours] = useState({ from: '', to: '' })
  const between = hours.from === '' && hours.to === '' ? {} : { between: `${hours.from}-${hours.to}` }
  const plan = useAction(() => api.post<PackPlan>('/v1/packs/plan', { area, presets }))
  const fetch = useAction(() => api.post('/v1/packs/fetch', { area, presets, ...between }), reload)
  const finished_at = last.status === 'loaded' ? last.value.fetch?.finished_at : null
  useEffect(() => {
    if (finished_at) onFetched()
  }, [finished_at])
  if (last.status === 'loading') return null
  if (last.status === 'failed') return <ErrorNotice error={last.error} retry={reload} />
  const fetchStatus = last.value.fetch
  const isRunning = fetchStatus?.status === 'running'
  const isBusy = plan.isBusy || fetch.isBusy
  return (
    <>
      {!isRunning && (
        <p class="row">
          <Button disabled={isBusy} onClick={() => plan.start()}>
            {plan.isBusy ? 'Asking the publishers…' : 'Show the plan'}
          </Button>
          {plan.value && (
            <Button look="main" disabled={isBusy} onClick={() => fetch.start()}>
              Start
            </Button>
          )}
        </p>
      )}
      {plan.value && !isRunning && <HoursInputs hours={hours} onChange={setHours} />}
      {plan.error && <ErrorNotice error={plan.error} />}
      {fetch.error && <ErrorNotice error={fetch.error} />}
      {plan.value && !isRunning && <PlanTable plan={plan.value} />}
      {fetchStatus && <FetchProgress dashboard={dashboard} status={fetchStatus} reload={reload} />}
    </>
  )
}

type Hours = { from: string; to: string }

/** The hours of the day in which data is copied. */
function HoursInputs({ hours, onChange }: { hours: Hours; onChange: (hours: Hours) => void }) {
  const input = (name: keyof Hours, label: string) => (
    <label class="field">
      <span>{label}</span>
      <input
        class="input"
        type="time"
        value={hours[name]}
        onInput={({ currentTarget: { value } }) => onChange({ ...hours, [name]: value })}
      />
    </label>
  )
  return (
    <>
      <div class="row">
        {input('from', 'Copy only from')}
        {input('to', 'to')}
      </div>
      <p class="soft">Optional. In the time zone of the server. Outside of these hours, the fetch pauses.</p>
    </>
  )
}

const howLabels: Record<PackPlan['datasets'][number]['how'], string> = {
  built_in: 'built in',
  file: "publisher's files",
  service: 'copy from its service',
  impossible: 'not possible',
}

function PlanTable({ plan: { area, datasets } }: { plan: PackPlan }) {
  const copied = datasets.filter(({ how }) => how === 'file' || how === 'service')
  const sum = (member: 'bytes' | 'seconds') => copied.reduce((total, it) => total + (it[member] ?? 0), 0)
  const unknown = copied.filter(({ bytes }) => bytes === null).length
  return (
    <>
      <p role="status">
        Plan for {area}: about {megabytes(sum('bytes'))}, {formatDuration(sum('seconds'))}
        {unknown > 0 && `, without ${pluralize(unknown, 'dataset')} of unknown size`}.
      </p>
      <DataTable
        label="Plan"
        class="sources-fetch"
        rows={datasets}
        keyOf={({ dataset }) => dataset}
        columns={[
          {
            heading: 'Dataset',
            kind: 'name',
            cell: ({ title, reason }) => [title, reason !== null && <p class="sources-problem">{reason}</p>],
          },
          { heading: 'How', cell: ({ how }) => howLabels[how] },
          {
            heading: 'Fields',
            kind: 'number',
            title: ({ fields }) => fields.join(', '),
            cell: ({ fields }) => fields.length,
          },
          { heading: 'Requests', kind: 'number', cell: ({ requests }) => requests ?? '—' },
          { heading: 'Size', kind: 'number', cell: ({ bytes }) => (bytes === null ? '—' : megabytes(bytes)) },
          {
            heading: 'Time',
            kind: 'number',
            cell: ({ seconds }) => (seconds === null ? '—' : formatDuration(seconds)),
          },
          { heading: 'License', cell: ({ license }) => license },
        ]}
      />
    </>
  )
}

/** The answer of GET /v1/packs/fetch. */
type PackFetchAnswer = { fetch: PackFetchStatus | null }

const poll_ms = 2_000

type FetchProgressProps = PageProps & { status: PackFetchStatus; reload: () => void }

/** The datasets of the last fetch and their states. Asks for news while the fetch is running. */
function FetchProgress({ dashboard: { api }, status, reload }: FetchProgressProps) {
  const cancel = useAction(() => api.post('/v1/packs/fetch/cancel', {}), reload)
  const isRunning = status.status === 'running'
  useEffect(() => {
    if (!isRunning) return
    const timer = setInterval(reload, poll_ms)
    return () => clearInterval(timer)
  }, [isRunning])
  return (
    <>
      <p role="status">{statusText(status)}</p>
      {status.datasets.length > 0 && <DatasetTable datasets={status.datasets} />}
      {isRunning && (
        <p>
          <Button onClick={() => cancel.start()}>Cancel</Button>
        </p>
      )}
      {cancel.error && <ErrorNotice error={cancel.error} />}
    </>
  )
}

function statusText(fetch: PackFetchStatus): string {
  const { status, area, presets, between, datasets, answered, fields, message } = fetch
  const what = `${presets.map(humanizeName).join(', ')} in ${area}`
  if (status === 'cancelled') return `Cancelled: ${what}. Start it again to continue.`
  if (status === 'failed') return `Failed: ${what}. ${message ?? ''} Start it again to continue.`
  const counts =
    answered === null || fields === null ? '' : ` ${answered} of ${pluralize(fields, 'field')} answered there.`
  if (status === 'succeeded') return `Finished: ${what}.${counts}`
  if (datasets.length === 0) return `Planning: ${what}.`
  const done = datasets.filter(({ state }) => state === 'done').length
  if (done === datasets.length) return `Comparing with the services: ${what}.`
  const hours = between === undefined ? '' : ` only in the hours ${between}`
  return `Fetching${hours}: ${what}. ${done} of ${pluralize(datasets.length, 'dataset')} done.`
}

function DatasetTable({ datasets }: Pick<PackFetchStatus, 'datasets'>) {
  return (
    <DataTable
      label="Datasets of the fetch"
      class="sources-fetch"
      rows={datasets}
      keyOf={({ dataset }) => dataset}
      columns={[
        { heading: 'State', cell: ({ state }) => <StatusBadge kind={badgeKinds[state]} word={state} /> },
        {
          heading: 'Dataset',
          kind: 'name',
          cell: ({ title, message }) => [title, message !== null && <p class="sources-problem">{message}</p>],
        },
        {
          heading: 'Done',
          kind: 'number',
          cell: ({ state, done }) => (state === 'done' ? '100 %' : `${Math.floor(done * 100)} %`),
        },
        { heading: 'Requests', kind: 'number', cell: ({ requests }) => requests },
        { heading: 'Size', kind: 'number', cell: ({ bytes }) => megabytes(bytes) },
      ]}
    />
  )
}

const badgeKinds: Record<PackFetchStatus['datasets'][number]['state'], StatusKind> = {
  waiting: 'absent',
  running: 'busy',
  done: 'ok',
  failed: 'failed',
}
