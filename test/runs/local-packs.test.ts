import { afterAll, expect, test } from 'bun:test'
import { copyFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { randomOf } from '../../scripts/bench/random.ts'
import { catalogSubsetOf, isServedLocally, packDatasetsOf } from '../../src/fetch/catalog/catalog-subset.ts'
import { LocalLocations } from '../../src/runs/local-locations.ts'
import type { StoredRun } from '../../src/store/runs/runs.ts'
import { packArea, writeGoldenPacks } from '../fetch/golden-packs.ts'
import { withoutTimes } from '../support/without-times.ts'
import { embeddedFile, openTestService, type TestService } from '../support/test-service.ts'

const golden = writeGoldenPacks()
const opened: TestService[] = []
afterAll(async () => {
  await Promise.all(opened.map((it) => it.close()))
  golden.remove()
})

async function openService(env: Record<string, string> = {}): Promise<TestService> {
  const service = openTestService({ FIELDSTONE_PACKS: golden.folder, ...env })
  opened.push(service)
  await service.app.packs.waitUntilChecked()
  return service
}

/** The fields that need packs, and that packs and embedded data serve, so that a run worker answers them. */
function servedFieldsOf({ app }: TestService): string[] {
  const isServed = (name: string) => {
    const subset = catalogSubsetOf([name], app.snapshot())
    return packDatasetsOf(subset).size > 0 && isServedLocally([name], subset)
  }
  return [...app.catalog.fields.keys()].filter(isServed).slice(0, 50)
}

/** Sends the fields to a worker, as the service does, and returns a function that answers locations there. */
function openLocal({ app }: TestService, fields: string[]) {
  const local = new LocalLocations(embeddedFile, () => new Date(0))
  const subset = catalogSubsetOf(fields, app.snapshot())
  const packs = app.packs.liveFiles(packDatasetsOf(subset))!
  local.add(structuredClone({ names: fields, subset, packs }))
  const answersAt = (places: object[]) => {
    const locations = places.map((input, idx) => {
      return { idx, input: JSON.stringify(input), original_index: null, attempts: 0 }
    })
    return local.answer({ run: { account_id: 'a' } as StoredRun, fields, locations })
  }
  return { local, answersAt }
}

type Fetched = { fields: Record<string, { status: string; value: unknown }>; fetched_at: string }

async function fetchAt(service: TestService, at: object, fields: string[]): Promise<Fetched> {
  return (await service.post('/v1/fetch', { ...at, fields })).json() as Promise<Fetched>
}

const seed = 20_261_124
const random = randomOf(seed)
const placesIn = (degrees: number, count: number) =>
  Array.from({ length: count }, () => ({
    lat: packArea.south + degrees * random(),
    lng: packArea.west + degrees * random(),
  }))

test(`a worker answers fields of packs as a fetch does, and leaves failures to the main thread (seed ${seed})`, async () => {
  const service = await openService()
  const fields = servedFieldsOf(service)
  expect(fields.length).toBeGreaterThan(20)
  const { answersAt } = openLocal(service, fields)
  const places = [...placesIn(0.9, 300), ...placesIn(1.1, 100)]
  const answers = answersAt(places)
  let answered = 0
  for (const [i, at] of places.entries()) {
    const fetched = await fetchAt(service, at, fields)
    const hasFailed = Object.values(fetched.fields).some(({ status }) => status === 'failed')
    const answer = answers[i] && (JSON.parse(answers[i].entry) as object)
    expect(withoutTimes(answer)).toEqual(hasFailed ? null : withoutTimes({ index: i, ok: true, ...fetched }))
    if (answer) answered++
  }
  expect(answered).toBeGreaterThan(200)
  expect(answered).toBeLessThan(400)
})

test('where a pack ends, a service of a publisher may answer instead, so the worker leaves the place to the main thread', async () => {
  const service = await openService({ FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: 'http://127.0.0.1:1' })
  const fields = ['fema_flood_zone', 'county']
  const { answersAt } = openLocal(service, fields)
  const inside = { lat: packArea.south + 0.5, lng: packArea.west + 0.5 }
  const outside = { lat: packArea.south + 2, lng: packArea.west + 2 }
  const [first, second, third] = answersAt([inside, outside, inside])
  expect(second).toBeNull()
  const { fields: answered } = JSON.parse(first!.entry) as Fetched
  expect(withoutTimes(answered)).toEqual(withoutTimes((await fetchAt(service, inside, fields)).fields))
  expect(third!.entry).toBe(first!.entry.replace('"index":0', '"index":2'))
})

test('a worker answers no more from a pack that was replaced or removed, until the service has checked it', async () => {
  const service = await openService()
  const fields = ['fema_flood_zone', 'county']
  const place = { lat: packArea.south + 0.5, lng: packArea.west + 0.5 }
  const [path, copy] = ['fema_nfhl.gpkg', 'copy-of-fema_nfhl'].map((name) => join(golden.folder, name)) as [
    string,
    string,
  ]
  const first = openLocal(service, fields)
  const [before] = first.answersAt([place])
  expect(before).not.toBeNull()
  copyFileSync(path, copy)
  renameSync(copy, path)
  expect([first.answersAt([place]), first.local.has(fields)]).toEqual([[null], false])
  expect(openLocal(service, fields).local.has(fields)).toBe(false)
  await service.app.packs.waitUntilChecked()
  const second = openLocal(service, fields)
  expect(second.answersAt([place])).toEqual([before!])
  rmSync(path)
  expect([second.answersAt([place]), second.local.has(fields)]).toEqual([[null], false])
})

test('a run with fields of packs has the entries of single fetches', async () => {
  const service = await openService()
  const fields = ['intersects_wetland', 'nwi_code', 'fema_flood_zone', 'county', 'geohash']
  const locations = [...placesIn(0.9, 500), ...placesIn(3, 100)]
  const submitted = await service.post('/v1/runs', { kind: 'fetch_batch', request: { locations, fields } })
  const { run_id } = (await submitted.json()) as { run_id: string }
  await (await service.send(`/v1/runs/${run_id}/events`)).text()
  const page = (await (await service.send(`/v1/runs/${run_id}/results?limit=500`)).json()) as { items: Fetched[] }
  for (const i of [0, 1, 203, 204, 250, 333, 499]) {
    const fetched = await fetchAt(service, locations[i]!, fields)
    expect(withoutTimes(page.items[i])).toEqual(withoutTimes({ index: i, ok: true, ...fetched }))
  }
})
