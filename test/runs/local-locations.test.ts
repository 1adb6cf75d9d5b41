import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { catalogSubsetOf, isServedLocally } from '../../src/fetch/catalog/catalog-subset.ts'
import { LocalLocations } from '../../src/runs/local-locations.ts'
import type { LocationAnswer } from '../../src/runs/report/run-entry.ts'
import type { StoredRun } from '../../src/store/runs/runs.ts'
import { embeddedFile, openTestService, type TestService } from '../support/test-service.ts'
import { withoutTimes } from '../support/without-times.ts'
import { words } from '../support/words.ts'

const names = words`
  county county_fips timezone nearest_place_name nearest_place_distance_m geohash h3_cell_res9
`
const denver = { lat: 39.7392, lng: -104.9903 }
const atSea = { lat: 27.4, lng: -73 }
const paris = { lat: 48.8566, lng: 2.3522 }

let service: TestService
beforeAll(() => void (service = openTestService()))
afterAll(() => service.close())

/** The locations of a new worker, with the fields that the service would send to it. */
function localLocations(fields: string[]): LocalLocations {
  const local = new LocalLocations(embeddedFile, () => new Date(0))
  local.add({ names: fields, subset: structuredClone(partOf(fields)), packs: [] })
  return local
}

function partOf(fields: string[]) {
  return catalogSubsetOf(fields, service.app.snapshot())
}

/** Returns the answers of locations of a run, whose indexes begin with 7. */
function answersOf(local: LocalLocations, inputs: object[], fields = names) {
  const locations = inputs.map((input, i) => ({
    idx: 7 + i,
    input: JSON.stringify(input),
    original_index: null,
    attempts: 0,
  }))
  return local.answer({ run: { account_id: 'a' } as StoredRun, fields, locations })
}

const answerOf = (local: LocalLocations, input: object, fields = names): LocationAnswer | null =>
  answersOf(local, [input], fields)[0] ?? null

function withIndex<A extends { entry: string }>(answer: A, index: number): A {
  return { ...answer, entry: answer.entry.replace('"index":7,', `"index":${index},`) }
}

type Fetched = { fetched_at: string; error?: { error: string } }
type Entry = Fetched & { index: number; ok: boolean }

describe('a location that embedded data answers', () => {
  test.each([
    ['in a city', denver],
    ['at sea', atSea],
  ])('has the same fields as a fetch: %s', async (_where, at) => {
    const answer = answerOf(localLocations(names), at)!
    const fetched = (await (await service.post('/v1/fetch', { ...at, fields: names })).json()) as Fetched
    expect((JSON.parse(answer.entry) as Fetched).fetched_at).toBe('1970-01-01T00:00:00.000+00:00')
    expect(withoutTimes(JSON.parse(answer.entry) as object)).toEqual(withoutTimes({ index: 7, ok: true, ...fetched }))
    expect(answer).toMatchObject({ ok: true, retryable: false, failedFields: 0 })
  })

  test('fails outside the US with the error of a fetch', async () => {
    const answer = answerOf(localLocations(names), paris)!
    const { detail } = (await (await service.post('/v1/fetch', { ...paris, fields: names })).json()) as {
      detail: object
    }
    expect((JSON.parse(answer.entry) as Entry).error).toEqual(detail as { error: string })
  })

  test('has the same entry in a block as by itself', () => {
    const inputs = [denver, paris, atSea, { address: '1 Main St, Denver, CO' }, { lat: -0, lng: -0 }, denver]
    const alone = inputs.map((input) => answerOf(localLocations(names), input))
    const together = answersOf(localLocations(names), inputs)
    expect(together).toEqual(alone.map((answer, i) => answer && withIndex(answer, 7 + i)))
  })

  test('adds to the counts of its account', () => {
    const local = localLocations(names)
    answersOf(local, [denver, denver, paris])
    const [counts, ...others] = local.takeCounts()
    expect(others).toEqual([])
    expect(counts).toMatchObject({ account_id: 'a', ok: 2, failed: 1 })
    expect(counts!.fields.reduce((sum, { fields }) => sum + fields, 0)).toBe(2 * names.length)
    expect(counts!.usages.map(({ answers }) => answers)).toEqual(counts!.usages.map(() => 2))
    expect(local.takeCounts()).toEqual([])
  })
})

describe('the main thread answers a location', () => {
  test('that is an address', () => {
    expect(answerOf(localLocations(names), { address: '1 Main St, Denver, CO' })).toBeNull()
  })

  test('whose fields are not known in the worker, or are no longer', () => {
    const local = localLocations(names)
    expect(answerOf(local, denver, ['county'])).toBeNull()
    local.clear()
    expect([local.has(names), answerOf(local, denver)]).toEqual([false, null])
  })

  test('with a field of another source, and all others after 32 such locations', () => {
    const fields = ['county', 'elevation']
    const local = localLocations(fields)
    for (let i = 0; i < 32; i++) {
      expect(local.has(fields)).toBe(true)
      expect(answerOf(local, denver, fields)).toBeNull()
    }
    expect(local.has(fields)).toBe(false)
    expect(local.takeCounts()).toEqual([])
  })
})

test('the service sends fields to the worker only if local data serves each of them', () => {
  expect(isServedLocally(names, partOf(names))).toBe(true)
  expect(isServedLocally(['county', 'elevation'], partOf(['county', 'elevation']))).toBe(false)
})

test('a run that its worker answers has the entries, the metrics and the usage of single fetches', async () => {
  const at = (i: number) => ({ lat: 30 + (i % 97) / 6, lng: -120 + (i % 89) / 2.2 })
  const locations = Array.from({ length: 700 }, (_, i) => (i % 100 === 42 ? { address: 'Nowhere' } : at(i)))
  const { run_id } = (await (
    await service.post('/v1/runs', { kind: 'fetch_batch', request: { locations, fields: names } })
  ).json()) as { run_id: string }
  await (await service.send(`/v1/runs/${run_id}/events`)).text()
  const entries: Entry[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page = (await (await service.send(`/v1/runs/${run_id}/results?limit=500${cursor}`)).json()) as {
      items: Entry[]
      next_cursor: string | null
    }
    entries.push(...page.items)
    cursor = page.next_cursor === null ? null : `&cursor=${page.next_cursor}`
  }
  expect(entries.map(({ index }) => index)).toEqual(locations.map((_, i) => i))
  for (const i of [0, 199, 200, 350, 699]) {
    const fetched = (await (await service.post('/v1/fetch', { ...at(i), fields: names })).json()) as Fetched
    expect(withoutTimes(entries[i]!)).toEqual(withoutTimes({ index: i, ok: true, ...fetched }))
  }
  expect(entries.filter(({ ok }) => !ok)).toHaveLength(7)
  const metrics = await (await service.send('/metrics')).text()
  expect(metrics).toContain('fieldstone_run_locations_total{outcome="ok"} 693\n')
  expect(metrics).toContain('fieldstone_run_locations_total{outcome="failed"} 7\n')
  const today = new Date().toISOString().slice(0, 10)
  const rows = await service.app.access.usage.rowsBetween('owner', today, today)
  const computed = rows.filter(({ endpoint, source }) => endpoint === '/v1/runs' && source === '')
  expect(computed).toMatchObject([{ fields: 693 * names.length }])
})
