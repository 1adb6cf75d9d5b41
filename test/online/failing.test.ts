import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { ReadSpec } from '../../src/catalog/records.ts'
import { readInputsOf } from '../../src/catalog/read-inputs.ts'
import type { FetchAnswer, FieldResult } from '../../src/fetch/fetch-answer.ts'
import { openHouse, type House } from '../house.ts'
import { openOnlineHouse, testKeys, type OnlineHouse } from '../upstreams/online-house.ts'
import { places } from '../upstreams/places.ts'
import { fromNetwork } from './ways.ts'

let house: OnlineHouse
beforeEach(() => {
  house = openOnlineHouse()
})
afterEach(() => house.close())

/** Second tries wait a while, one after the other. */
const patient_ms = 30_000

/** Answered without the network here: by the embedded data, where the network would only have been better. */
const answeredAllTheSame = ['cbsa_code']

test(
  'when every host is down every field from the network fails for now, none is absent or has a value, and a house opened after it answers again',
  async () => {
    house.upstreams.fault({}, { status: 503 })
    const { fields, partial_failures } = await everything(house)
    const down = [...fromNetwork(house.app)].filter((name) => isAsked(name))
    expect(down.length).toBeGreaterThan(280)
    expect(down.filter((name) => fields[name]!.status !== 'failed').toSorted()).toEqual(answeredAllTheSame)
    const failed = down.filter((name) => fields[name]!.status === 'failed')
    expect(
      failed
        .filter((name) => !says(fields[name]!, ['upstream_5xx', 'source_suspended', 'fetch_busy'], true))
        .map((name) => `${name}: ${JSON.stringify(fields[name])}`),
    ).toEqual([])
    expect(failed.filter((name) => fields[name]!.value !== null || 'cache' in fields[name]!)).toEqual([])
    expect(failed.filter((name) => !partial_failures.has(name))).toEqual([])
    expect(house.logged.filter((line) => line.includes('field_error'))).toEqual([])

    house.upstreams.heal()
    const later = openHouse({
      FIELDSTONE_OFFLINE: '0',
      FIELDSTONE_MIRROR: house.upstreams.url,
      FIELDSTONE_OVERPASS: 'https://overpass-api.de/api/interpreter',
      ...testKeys,
    })
    const after = await everything(later)
    later.close()
    expect(down.filter((name) => after.fields[name]!.status === 'failed')).toEqual([])
  },
  patient_ms,
)

test(
  'an error of ArcGIS inside an answer of 200 is a refusal for good, not an absence',
  async () => {
    const hosts = new Set(
      [...house.app.catalog.datasets.values()].flatMap(({ serve }) =>
        serve.flatMap((way) =>
          way.driver === 'arcgis' || way.driver === 'imageserver' ? [new URL(way.endpoint).host] : [],
        ),
      ),
    )
    for (const host of hosts)
      house.upstreams.fault({ host, path: /\/(query|identify|getSamples|exportImage|compute\w+)\/?$/i }, 'arcgis_400')
    const { fields, partial_failures } = await everything(house)
    const own = [...fromNetwork(house.app)].filter(
      (name) => isAsked(name) && asksOnlyArcgis(house.app.catalog.fields.get(name)!.read),
    )
    expect(own.length).toBeGreaterThan(150)
    expect(
      own
        .filter((name) => !says(fields[name]!, ['upstream_rejected'], false))
        .map((name) => `${name}: ${JSON.stringify(fields[name])}`),
    ).toEqual([])
    expect(own.filter((name) => !partial_failures.has(name))).toEqual([])
  },
  patient_ms,
)

async function everything(
  from: House,
): Promise<{ fields: Record<string, FieldResult>; partial_failures: Set<string> }> {
  const names = [...from.app.catalog.fields.keys()]
  const fields: Record<string, FieldResult> = {}
  const partial_failures = new Set<string>()
  for (let first = 0; first < names.length; first += 50) {
    const answer = (await (
      await from.post('/v1/fetch', { ...places.boulder, fields: names.slice(first, first + 50) })
    ).json()) as FetchAnswer
    Object.assign(fields, answer.fields)
    for (const { field } of answer.partial_failures) partial_failures.add(field)
  }
  return { fields, partial_failures }
}

/** Whether a field puts a question at Boulder at all: the sea is too far away for some. */
function isAsked(name: string): boolean {
  return name !== 'sea_level_rise_inundation_ft'
}

/** Whether every way of a field, and of what it is worked out from, is an ArcGIS service. */
function asksOnlyArcgis(read: ReadSpec): boolean {
  const { options } = house.app.registry.dataset(read.dataset)
  const inputs = readInputsOf(read).flatMap((it) =>
    typeof it === 'string' ? (house.app.catalog.fields.get(it)?.read ?? []) : it,
  )
  return (
    options.length > 0 &&
    [...inputs, ...(read.fallback ?? [])].every(asksOnlyArcgis) &&
    options.every(({ driver }) => driver === 'arcgis' || driver === 'imageserver')
  )
}

function says(result: FieldResult, codes: string[], retryable: boolean): boolean {
  return (
    result.status === 'failed' &&
    result.retryable === retryable &&
    codes.includes(result.error.slice(0, result.error.indexOf(':')))
  )
}
