import { expect, test } from 'bun:test'
import { createQueryHistory, coalesceRadii } from '../../src/fetch/sources/coalesce-radii.ts'
import { UpstreamError } from '../../src/model/error.ts'
import type { AnySource, FeatureQuery, Sources } from '../../src/model/source.ts'
import { rejectionMessage } from '../operators/fakes.ts'
import { fetchBudget } from './fake-context.ts'

const at = { lat: 40, lng: -105 }
const fresh_ms = 1000
let time_ms = 0
const now = () => new Date(time_ms)

/** Sends consecutive requests to a source of one feature at 40 m, and records the queries that reach the source. */
function openSource(outlines = {}, answer = () => [{ properties: { kind: 'a' }, distance_m: 40 }]) {
  const queries: FeatureQuery[] = []
  const source = (async (query: FeatureQuery) => {
    queries.push(query)
    return answer()
  }) as unknown as AnySource
  const history = createQueryHistory(fresh_ms, now)
  return {
    queries,
    request: (query: FeatureQuery) =>
      (coalesceRadii(source, outlines, history) as unknown as Sources['features'])(query, fetchBudget),
  }
}

test('a later narrower request repeats the query of an earlier one and gets its own part', async () => {
  const { queries, request } = openSource()
  const [far, near, ofKind] = [
    await request({ at, radius_m: 500 }),
    await request({ at, radius_m: 30 }),
    await request({ at, radius_m: 100, where: "kind = 'b'" }),
  ]
  expect([far.length, near.length, ofKind.length]).toEqual([1, 0, 0])
  expect(queries.map(({ radius_m, where }) => [radius_m, where])).toEqual([
    [500, undefined],
    [500, undefined],
    [500, undefined],
  ])
})

test('a request for more, another place or another level sends its own query', async () => {
  const { queries, request } = openSource()
  const questions = [
    { at, radius_m: 100, where: "kind = 'a'" },
    { at, radius_m: 100 },
    { at, radius_m: 500 },
    { at: { lat: 41, lng: -105 }, radius_m: 100 },
    { at, radius_m: 100, level: 2 },
  ]
  for (const question of questions) await request(question)
  expect(queries).toEqual(questions)
})

test('expired and failed queries are not repeated', async () => {
  let isBroken = true
  const { queries, request } = openSource({}, () => {
    if (isBroken) throw new UpstreamError('timeout', 'Late.')
    return []
  })
  await rejectionMessage(request({ at, radius_m: 500 }))
  isBroken = false
  await request({ at, radius_m: 100 })
  time_ms += fresh_ms
  await request({ at, radius_m: 30 })
  expect(queries.map(({ radius_m }) => radius_m)).toEqual([500, 100, 30])
})

test('a point query does not repeat an earlier query for simplified outlines', async () => {
  const { queries, request } = openSource({ simplified: true })
  await request({ at, radius_m: 500 })
  await request({ at, radius_m: 0 })
  await request({ at, radius_m: 30 })
  expect(queries.map(({ radius_m }) => radius_m)).toEqual([500, 0, 500])
})

test('the least recently queried places are removed', async () => {
  const { queries, request } = openSource()
  for (let lat = 20; lat < 90; lat++) await request({ at: { lat, lng: -105 }, radius_m: 500 })
  await request({ at: { lat: 89, lng: -105 }, radius_m: 30 })
  await request({ at: { lat: 20, lng: -105 }, radius_m: 30 })
  expect(queries.slice(-2).map(({ radius_m }) => radius_m)).toEqual([500, 30])
})
