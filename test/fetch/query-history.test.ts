import { expect, test } from 'bun:test'
import { createQueryHistory } from '../../src/fetch/query-history.ts'
import { coalesceRadii } from '../../src/fetch/coalesce-radii.ts'
import { UpstreamError } from '../../src/model/error.ts'
import type { AnySource, FeatureQuery, Sources } from '../../src/model/source.ts'
import { rejectionMessage } from '../operators/fakes.ts'
import { budget } from './fake-context.ts'

const at = { lat: 40, lng: -105 }
const fresh_ms = 1000
let time_ms = 0
const now = () => new Date(time_ms)

/** A source of one feature at 40 m, and what it is asked by requests that come one after the other. */
function requests(outlines = {}, answer = () => [{ properties: { kind: 'a' }, distance_m: 40 }]) {
  const asked: FeatureQuery[] = []
  const source = (async (query: FeatureQuery) => {
    asked.push(query)
    return answer()
  }) as unknown as AnySource
  const before = createQueryHistory(fresh_ms, now)
  return {
    asked,
    request: (query: FeatureQuery) =>
      (coalesceRadii(source, outlines, before) as unknown as Sources['features'])(query, budget),
  }
}

test('a later request for less puts the question of an earlier one, and gets its own part', async () => {
  const { asked, request } = requests()
  const [far, near, ofKind] = [
    await request({ at, radius_m: 500 }),
    await request({ at, radius_m: 30 }),
    await request({ at, radius_m: 100, where: "kind = 'b'" }),
  ]
  expect([far.length, near.length, ofKind.length]).toEqual([1, 0, 0])
  expect(asked.map(({ radius_m, where }) => [radius_m, where])).toEqual([
    [500, undefined],
    [500, undefined],
    [500, undefined],
  ])
})

test('one for more, elsewhere or of another level puts its own', async () => {
  const { asked, request } = requests()
  const questions = [
    { at, radius_m: 100, where: "kind = 'a'" },
    { at, radius_m: 100 },
    { at, radius_m: 500 },
    { at: { lat: 41, lng: -105 }, radius_m: 100 },
    { at, radius_m: 100, level: 2 },
  ]
  for (const question of questions) await request(question)
  expect(asked).toEqual(questions)
})

test('what was asked too long ago, or failed, does not count', async () => {
  let isBroken = true
  const { asked, request } = requests({}, () => {
    if (isBroken) throw new UpstreamError('timeout', 'Late.')
    return []
  })
  await rejectionMessage(request({ at, radius_m: 500 }))
  isBroken = false
  await request({ at, radius_m: 100 })
  time_ms += fresh_ms
  await request({ at, radius_m: 30 })
  expect(asked.map(({ radius_m }) => radius_m)).toEqual([500, 100, 30])
})

test('simplified outlines of an earlier request do not say what holds the point', async () => {
  const { asked, request } = requests({ simplified: true })
  await request({ at, radius_m: 500 })
  await request({ at, radius_m: 0 })
  await request({ at, radius_m: 30 })
  expect(asked.map(({ radius_m }) => radius_m)).toEqual([500, 0, 500])
})

test('the places that were asked about longest ago are forgotten', async () => {
  const { asked, request } = requests()
  for (let lat = 20; lat < 90; lat++) await request({ at: { lat, lng: -105 }, radius_m: 500 })
  await request({ at: { lat: 89, lng: -105 }, radius_m: 30 })
  await request({ at: { lat: 20, lng: -105 }, radius_m: 30 })
  expect(asked.slice(-2).map(({ radius_m }) => radius_m)).toEqual([500, 30])
})
