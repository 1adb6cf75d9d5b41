import { useState } from 'preact/hooks'
import type { CatalogField } from '../../catalog/catalog-document.ts'
import type { FetchAnswer, FieldResult } from '../../fetch/fetch-answer.ts'
import { asked, type Asked } from '../asked.ts'
import type { PageProps } from '../dashboard.ts'
import { curlOf } from '../explore/calls.ts'
import { whyAbsent } from '../explore/explain.ts'
import { Code } from '../parts/code.tsx'
import { Fault } from '../parts/fault.tsx'
import { Link } from '../parts/link.tsx'
import { Status } from '../parts/status.tsx'
import { valueAlone } from '../parts/value.ts'
import { isOpen } from '../session.ts'

/** The first of these that a field covers is where it is shown. */
const places = [
  { region: 'conus', name: 'Denver', lat: 39.7392, lng: -104.9903 },
  { region: 'ak', name: 'Anchorage', lat: 61.2181, lng: -149.9003 },
  { region: 'hi', name: 'Honolulu', lat: 21.3069, lng: -157.8583 },
  { region: 'pr', name: 'San Juan', lat: 18.4655, lng: -66.1057 },
]

/** One field asked at one place: the call, and the answer when it is wanted. */
export function Example({ dashboard, field }: PageProps & { field: CatalogField }) {
  const { name, lat, lng } = places.find(({ region }) => field.coverage.regions.includes(region)) ?? places[0]!
  const [answer, setAnswer] = useState<Asked<FetchAnswer> | null>(null)
  const body = { lat, lng, fields: [field.name] }
  const ask = async () => {
    setAnswer({ state: 'waiting' })
    setAnswer(await asked(() => dashboard.api.post<FetchAnswer>('/v1/fetch', body)))
  }
  const result = answer?.state === 'here' ? answer.value.fields[field.name] : undefined
  return (
    <section class="stack catalog-example" aria-label="Example">
      <h2>An example</h2>
      <div class="row">
        <button
          type="button"
          class="button button--main"
          onClick={() => void ask()}
          disabled={answer?.state === 'waiting'}
        >
          Ask it in {name}
        </button>
        <Link class="button" to={`/?at=${lat},${lng}&fields=${field.name}`} dashboard={dashboard}>
          On the map
        </Link>
      </div>
      <div aria-live="polite">
        {answer?.state === 'waiting' && <Status kind="busy" word="Asking …" />}
        {answer?.state === 'failed' && <Fault fault={answer.fault} again={() => void ask()} />}
        {result && <Answer result={result} field={field} />}
      </div>
      {result && <Code label="The answer" text={JSON.stringify({ [field.name]: result }, null, 2)} />}
      <Code
        label="curl"
        text={curlOf({ path: '/v1/fetch', body }, window.location.origin, isOpen(dashboard.session))}
      />
    </section>
  )
}

function Answer({ result, field }: { result: FieldResult; field: CatalogField }) {
  if (result.status === 'ok') return <p class="catalog-example__value">{valueAlone(result)}</p>
  if (result.status === 'absent')
    return (
      <p>
        <Status kind="absent" word="absent:" /> {whyAbsent(result, field)}
      </p>
    )
  return (
    <div class="notice notice--warn">
      <p>{result.error}</p>
    </div>
  )
}
