import { useEffect, useState } from 'preact/hooks'
import type { PackFetchRequest, PackPlan } from '../../catalog/pack-fetch-document.ts'
import { packFetchCommand } from '../../catalog/missing-data.ts'
import { GetDataCommand } from '../components/missing-notice.tsx'
import { ErrorNotice } from '../components/notices.tsx'
import { DataTable } from '../components/data-table.tsx'
import type { PageProps } from '../dashboard.ts'
import { runRequest, type RequestState } from '../request.ts'
import { useRequest } from '../use-request.ts'
import { humanizeName } from '../../catalog/field-title.ts'
import type { CountyShape } from './county-shapes.ts'
import { FetchProgress, type PackFetchAnswer } from './fetch-progress.tsx'
import { formatDuration, megabytes, pluralize } from '../../model/text.ts'

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
      <label class="field coverage-search">
        <span>Preset</span>
        <select class="select" value={preset} onChange={({ currentTarget: { value } }) => setChosen(value)}>
          {presets.map((name) => (
            <option key={name} value={name}>
              {humanizeName(name)}
            </option>
          ))}
        </select>
      </label>
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
  const [plan, setPlan] = useState<RequestState<PackPlan> | null>(null)
  const [start, setStart] = useState<RequestState<unknown> | null>(null)
  const [hours, setHours] = useState({ from: '', to: '' })
  const between = hours.from === '' && hours.to === '' ? {} : { between: `${hours.from}-${hours.to}` }
  const send = async <T,>(path: string, body: PackFetchRequest, show: (state: RequestState<T>) => void) => {
    show({ status: 'loading' })
    show(await runRequest(() => api.post<T>(path, body)))
  }
  const finished_at = last.status === 'loaded' ? last.value.fetch?.finished_at : null
  useEffect(() => {
    if (finished_at) onFetched()
  }, [finished_at])
  if (last.status === 'loading') return null
  if (last.status === 'failed') return <ErrorNotice error={last.error} retry={reload} />
  const fetchStatus = last.value.fetch
  const isRunning = fetchStatus?.status === 'running'
  const isBusy = plan?.status === 'loading' || start?.status === 'loading'
  return (
    <>
      {!isRunning && (
        <p class="row">
          <button
            type="button"
            class="button"
            disabled={isBusy}
            onClick={() => void send<PackPlan>('/v1/packs/plan', { area, presets }, setPlan)}
          >
            {plan?.status === 'loading' ? 'Asking the publishers…' : 'Show the plan'}
          </button>
          {plan?.status === 'loaded' && (
            <button
              type="button"
              class="button button--main"
              disabled={isBusy}
              onClick={() => void send('/v1/packs/fetch', { area, presets, ...between }, setStart).then(reload)}
            >
              Start
            </button>
          )}
        </p>
      )}
      {plan?.status === 'loaded' && !isRunning && <HoursInputs hours={hours} onChange={setHours} />}
      {plan?.status === 'failed' && <ErrorNotice error={plan.error} />}
      {start?.status === 'failed' && <ErrorNotice error={start.error} />}
      {plan?.status === 'loaded' && !isRunning && <PlanTable plan={plan.value} />}
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
        headings={[
          'Dataset',
          'How',
          { number: 'Fields' },
          { number: 'Requests' },
          { number: 'Size' },
          { number: 'Time' },
          'License',
        ]}
      >
        {datasets.map(({ dataset, title, how, fields, requests, bytes, seconds, license, reason }) => (
          <tr key={dataset}>
            <th scope="row">
              {title}
              {reason !== null && <p class="sources-problem">{reason}</p>}
            </th>
            <td>{howLabels[how]}</td>
            <td class="number" title={fields.join(', ')}>
              {fields.length}
            </td>
            <td class="number">{requests ?? '—'}</td>
            <td class="number">{bytes === null ? '—' : megabytes(bytes)}</td>
            <td class="number">{seconds === null ? '—' : formatDuration(seconds)}</td>
            <td>{license}</td>
          </tr>
        ))}
      </DataTable>
    </>
  )
}
