import type { UnitSystem } from '../../ask/answer/display-units.ts'
import type { CatalogField } from '../../catalog/catalog-document.ts'
import type { FetchAnswer, FieldResult } from '../../fetch/fetch-answer.ts'
import { useAction } from '../use-request.ts'
import type { PageProps } from '../dashboard.ts'
import { curlCommand } from '../explore/api-calls.ts'
import { absenceText } from '../explore/explain.ts'
import { Button } from '../components/buttons.tsx'
import { CodeBlock, StatusBadge } from '../components/text.tsx'
import { ErrorNotice } from '../components/notices.tsx'
import { displayValueOf, marginTextOf } from '../value-text.ts'
import { isSignInDisabled } from '../session.ts'

/** The example uses the first of these places that the field covers. */
const examplePlaces = [
  { region: 'conus', name: 'Denver', lat: 39.7392, lng: -104.9903 },
  { region: 'ak', name: 'Anchorage', lat: 61.2181, lng: -149.9003 },
  { region: 'hi', name: 'Honolulu', lat: 21.3069, lng: -157.8583 },
  { region: 'pr', name: 'San Juan', lat: 18.4655, lng: -66.1057 },
]

/** An example request for one field, which the user can send. */
export function FieldExample({ dashboard, field }: PageProps & { field: CatalogField }) {
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
