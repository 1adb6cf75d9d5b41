import { useEffect } from 'preact/hooks'
import type { CatalogField } from '../../catalog/catalog-document.ts'
import type { SourcesDocument, SourceState, SourceStatus } from '../../catalog/meta-documents.ts'
import { fieldTitle } from '../catalog-store.ts'
import { EmptyState, ErrorNotice, Loaded, Skeleton } from '../components/notices.tsx'
import { PageHeader } from '../components/headings.tsx'
import type { PageProps } from '../dashboard.ts'
import { useRequest, useAction } from '../use-request.ts'
import { humanizeName } from '../../catalog/field-title.ts'
import { FieldFacts } from './field-facts.tsx'
import { Icon } from '../components/icons.tsx'
import { ReasonText, StatusBadge, CodeBlock } from '../components/text.tsx'
import { FailingNotice, SourceOptionBadge } from '../sources/source-notices.tsx'
import type { UnitSystem } from '../../ask/answer/display-units.ts'
import type { FetchAnswer, FieldResult } from '../../fetch/fetch-answer.ts'
import { curlCommand } from '../explore/api-calls.ts'
import { absenceText } from '../explore/explain.ts'
import { Button } from '../components/buttons.tsx'
import { displayValueOf, marginTextOf } from '../value-text.ts'
import { isSignInDisabled } from '../session.ts'

/** The page of one field. */
export function FieldPage({ dashboard }: PageProps) {
  const { router, catalogStore, api } = dashboard
  useEffect(() => catalogStore.load(), [])
  const name = router.location.value.parts.field ?? ''
  const [sources, reload] = useRequest((signal) => api.get<SourcesDocument>('/v1/meta/sources', signal), [])
  const catalog = catalogStore.catalog.value
  if (catalog.status === 'failed') return <ErrorNotice error={catalog.error} retry={() => catalogStore.load()} />
  const field = catalogStore.field(name)
  const source = sources.status === 'loaded' ? sources.value.sources.find((it) => it.fields.includes(name)) : undefined
  if (catalog.status === 'loaded' && !field) return <UnknownField name={name} />
  return (
    <>
      <p class="catalog-back small">
        <a href="/catalog">Catalog</a>
        {field && (
          <>
            {' '}
            / <a href={`/catalog?layer=${field.layer}`}>{humanizeName(field.layer)}</a>
          </>
        )}
      </p>
      <PageHeader title={fieldTitle(name, catalogStore)}>{field?.description ?? ''}</PageHeader>
      {!field && <Skeleton lines={10} />}
      {field && (
        <div class="catalog-field">
          <div class="stack">
            <p class="row">
              <code class="catalog-field__name">{name}</code>
              {lifecycleTag(field)}
            </p>
            {field.replaced_by !== undefined && (
              <p class="notice notice--warn">
                <span>
                  This field is deprecated. Use <a href={`/catalog/${field.replaced_by}`}>{field.replaced_by}</a>.
                </span>
              </p>
            )}
            <p>{field.interpretation_hints}</p>
            <Loaded state={sources} retry={reload} lines={2}>
              {() => <FieldAvailability field={field} source={source} state={catalogStore.stateOf(field)} />}
            </Loaded>
            <FieldFacts field={field} source={source} />
          </div>
          <FieldExample key={name} dashboard={dashboard} field={field} />
        </div>
      )}
    </>
  )
}

function lifecycleTag({ lifecycle }: CatalogField) {
  if (lifecycle === 'stable') return null
  const words = {
    beta: 'beta: a detail of its source is unconfirmed',
    experimental: 'experimental: may change',
    deprecated: 'deprecated',
  }
  return <span class={lifecycle === 'deprecated' ? 'tag tag--bad' : 'tag tag--warn'}>{words[lifecycle]}</span>
}

function UnknownField({ name }: { name: string }) {
  return (
    <>
      <h1 class="unseen">Field not found</h1>
      <EmptyState title={`There is no field named “${name}”`}>
        <p>
          It may have a different name.{' '}
          <a href={`/catalog?q=${encodeURIComponent(name.replaceAll('_', ' ').slice(0, 300))}`}>Search for it</a>.
        </p>
      </EmptyState>
    </>
  )
}

type AvailabilityProps = { field: CatalogField; source: SourceStatus | undefined; state: SourceState }

/** Shows whether this server can answer a field and by which source options, in order; if not, what is missing. */
function FieldAvailability({ field, source, state }: AvailabilityProps) {
  const failing = source?.failing ?? null
  if (source && failing)
    return (
      <section aria-label="On this server">
        <FailingNotice failing={failing} />
        <SourceOptions field={field} source={source} />
      </section>
    )
  return (
    <section class={state === 'off' ? 'notice notice--warn' : 'notice'} aria-label="On this server">
      <p>
        {state === 'ready' && <StatusBadge kind="ok" word="Answered here." />}
        {state === 'cold' && (
          <StatusBadge kind="absent" word="Not used yet: its publisher was not called since this server started." />
        )}
        {state === 'off' && (
          <>
            <Icon name="warning" /> Not available on this server.{' '}
            <ReasonText
              text={
                source?.unavailable_reason ??
                'This field is computed from other fields, and some of them are not available. Send the example request to see which.'
              }
            />
          </>
        )}
      </p>
      {source && <SourceOptions field={field} source={source} />}
    </section>
  )
}

function SourceOptions({ field, source }: { field: CatalogField; source: SourceStatus }) {
  return (
    <ol class="catalog-ways" aria-label="Source options, in order of preference">
      {sourceOptionsOf(field, source).map((option) => (
        <li key={option.driver}>
          <SourceOptionBadge {...option} />
        </li>
      ))}
    </ol>
  )
}

/** Returns the source options of the dataset in order, then those of its fallback datasets. */
function sourceOptionsOf({ providers }: CatalogField, { drivers }: SourceStatus) {
  const otherDrivers = providers.filter((driver) => !drivers.some((it) => it.driver === driver && it.state !== 'off'))
  return [
    ...drivers.filter(({ driver }) => !otherDrivers.includes(driver)),
    ...otherDrivers.map((driver) => ({ driver, state: null, vintage: null })),
  ]
}

/** The example uses the first of these places that the field covers. */
const examplePlaces = [
  { region: 'conus', name: 'Denver', lat: 39.7392, lng: -104.9903 },
  { region: 'ak', name: 'Anchorage', lat: 61.2181, lng: -149.9003 },
  { region: 'hi', name: 'Honolulu', lat: 21.3069, lng: -157.8583 },
  { region: 'pr', name: 'San Juan', lat: 18.4655, lng: -66.1057 },
]

/** An example request for one field, which the user can send. */
function FieldExample({ dashboard, field }: PageProps & { field: CatalogField }) {
  const { name, lat, lng } =
    examplePlaces.find(({ region }) => field.coverage.regions.includes(region)) ?? examplePlaces[0]!
  const body = { lat, lng, fields: [field.name] }
  const send = useAction(() => dashboard.api.post<FetchAnswer>('/v1/fetch', body))
  const result = send.value?.fields[field.name]
  return (
    <section class="stack catalog-example" aria-label="Example">
      <h2>Example</h2>
      <div class="row">
        <Button look="main" onClick={() => send.start()} disabled={send.isBusy}>
          Fetch in {name}
        </Button>
        <a class="button" href={`/?at=${lat},${lng}&fields=${field.name}`}>
          Show on map
        </a>
      </div>
      <div aria-live="polite">
        {send.isBusy && <StatusBadge kind="busy" word="Fetching…" />}
        {send.error && <ErrorNotice error={send.error} retry={send.start} />}
        {result && <ExampleResult result={result} field={field} units={dashboard.units.system.value} />}
      </div>
      {result && <CodeBlock label="Response" text={JSON.stringify({ [field.name]: result }, null, 2)} />}
      <CodeBlock
        label="curl"
        text={curlCommand({ path: '/v1/fetch', body }, window.location.origin, isSignInDisabled(dashboard.session))}
      />
    </section>
  )
}

function ExampleResult({ result, field, units }: { result: FieldResult; field: CatalogField; units: UnitSystem }) {
  if (result.status === 'ok') {
    const { first, other } = displayValueOf(field.name, result, { units, class_labels: field.class_labels })
    return (
      <p class="catalog-example__value">
        {first} {marginTextOf(field.name, result, units)} {other !== null && <span class="soft small">{other}</span>}
      </p>
    )
  }
  if (result.status === 'absent')
    return (
      <p>
        <StatusBadge kind="absent" word="No value:" /> {absenceText(result, field?.null_meaning ?? null)}
      </p>
    )
  return (
    <div class="notice notice--warn">
      <p>{result.error}</p>
    </div>
  )
}
