import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FeatureHarvester, HarvestDeps, Harvester } from '../../../src/drivers/harvest.ts'
import { ogcFeaturesDriver } from '../../../src/drivers/features/ogc-features.ts'
import { restFeaturesDriver } from '../../../src/drivers/rest/rest-features.ts'
import { geojsonFileDriver } from '../../../src/drivers/features/geojson-file.ts'
import { openFolderJournal } from '../../../src/build-packs/harvest/journal.ts'
import { createPoliteClient } from '../../../src/build-packs/harvest/polite-client.ts'
import { openHttpClient } from '../../../src/net/http-client.ts'
import { jsonAnswer, type ReceivedRequest, type SimulatedService } from '../../upstreams/service.ts'
import { openUpstreams } from '../../upstreams/upstreams.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const root = temporaryFolder()

const host = 'lists.example.gov'
const box = { w: -106, s: 39, e: -105, n: 40 }
const total = 60
/** Records on a diagonal through the box. */
const records = Array.from({ length: total }, (_, i) => ({
  id: i,
  lat: 39.001 + (i * 0.998) / total,
  lng: -105.999 + (i * 0.998) / total,
}))
type Row = (typeof records)[number]
type Lie = (rows: Row[], request: { n: number; page: number; isTop: boolean }) => Row[]

/** The rows in the box of a request. */
function rowsIn({ query }: ReceivedRequest): { rows: Row[]; isTop: boolean } {
  const [w, s, e, n] = query.get('bbox')!.split(',').map(Number) as [number, number, number, number]
  const rows = records.filter(({ lat, lng }) => lng >= w && lng <= e && lat >= s && lat <= n)
  return { rows, isTop: e - w === 1 }
}

/** A list of at most `cap` records. `counts`: states how many there are. `lie` changes the records that it returns. */
function listService({ cap = Infinity, counts = false, lie = (rows) => rows }: ServiceOptions = {}): SimulatedService {
  let n = 0
  return {
    host,
    answer(request) {
      const { rows, isTop } = rowsIn(request)
      const shown = lie(rows, { n: ++n, page: 0, isTop }).slice(0, cap)
      return jsonAnswer({ records: shown, ...(counts && { total: rows.length }) })
    },
  }
}
type ServiceOptions = { cap?: number; counts?: boolean; lie?: Lie }

/** A collection of OGC API Features with pages of 20. `count` changes the stated number of features. */
function collectionService({
  lie = (rows) => rows,
  count = (matched) => matched,
  hasIds = true,
}: {
  lie?: Lie
  count?: (matched: number, page: number) => number | undefined
  hasIds?: boolean
} = {}): SimulatedService {
  let n = 0
  return {
    host,
    answer(request) {
      const { rows, isTop } = rowsIn(request)
      const page = Number(request.query.get('page') ?? 0)
      const next = `https://${host}/items?bbox=${request.query.get('bbox')}&page=${page + 1}`
      const shown = lie(rows.slice(20 * page, 20 * (page + 1)), { n: ++n, page, isTop })
      return jsonAnswer({
        type: 'FeatureCollection',
        features: shown.map(({ id, lat, lng }) => ({
          type: 'Feature',
          ...(hasIds && { id }),
          geometry: { type: 'Point', coordinates: [lng, lat] },
          properties: { id },
        })),
        numberMatched: count(rows.length, page),
        links: rows.length > 20 * (page + 1) ? [{ rel: 'next', href: next }] : [],
      })
    },
  }
}

const info = { attributes: undefined, levels: [], editions: [0], apiKey: null, keyField: null, counties: [] }
const listHarvester =
  (settings: { cap?: number; total?: string } = {}) =>
  (deps: HarvestDeps) =>
    restFeaturesDriver.harvest!(
      {
        endpoint: `https://${host}/records?bbox={w},{s},{e},{n}`,
        json_path: '$.records[*]',
        lat: 'lat',
        lon: 'lng',
        ...settings,
      },
      deps,
      { id: 'made_up', ...info },
    )
const collectionHarvester = (deps: HarvestDeps) =>
  ogcFeaturesDriver.harvest!({ endpoint: `https://${host}/items?bbox={w},{s},{e},{n}` }, deps, {
    id: 'made_up',
    ...info,
  })

let folders = 0
/** Copies a list. Resolves with the ids of its records, or with the message of the error. */
async function copy(
  service: SimulatedService,
  openHarvester: (deps: HarvestDeps) => Harvester | null,
  boxes = [box],
): Promise<{ ids: number[]; requests: number; error: string | null }> {
  const folder = join(root, String(++folders))
  const upstreams = openUpstreams({ services: [service] })
  const now = () => new Date('2026-11-22T12:00:00Z')
  const client = openHttpClient({
    mirror: upstreams.url,
    userAgent: 'test',
    catalogHosts: new Set([host]),
    now,
    random: Math.random,
  })
  const net = createPoliteClient(client, { wait: () => Promise.resolve(), onReply() {} })
  try {
    const journal = openFolderJournal(folder, { now, onPage() {} })
    const harvester = openHarvester({ net, now }) as FeatureHarvester
    const [layer] = await harvester.copy(boxes, journal, { signal: new AbortController().signal })
    const to = join(folder, 'all.geojsonl')
    await journal.joinPages(layer!.pages, to, { unique: layer!.hasRepeats })
    const lines = readFileSync(to, 'utf8').split('\n').filter(Boolean)
    const ids = lines.map((line) => (JSON.parse(line) as { properties: { id: number } }).properties.id)
    return { ids: ids.toSorted((a, b) => a - b), requests: upstreams.calls.length, error: null }
  } catch (error) {
    return { ids: [], requests: upstreams.calls.length, error: (error as Error).message }
  } finally {
    client.close()
    upstreams.close()
  }
}
const allIds = records.map(({ id }) => id)

describe('A list of records is copied', () => {
  test('box by box, and checked by its quarters', async () => {
    expect(await copy(listService(), listHarvester())).toEqual({ ids: allIds, requests: 5, error: null })
  })

  test('in quarters where it is truncated, by its limit or by the number that it states', async () => {
    expect((await copy(listService({ cap: 25 }), listHarvester({ cap: 25 }))).ids).toEqual(allIds)
    expect((await copy(listService({ cap: 25, counts: true }), listHarvester({ total: '$.total' }))).ids).toEqual(
      allIds,
    )
  })

  test('in quarters of each of many boxes', async () => {
    const strips = Array.from({ length: 12 }, (_, i) => ({ w: -106 + i / 12, s: 39, e: -106 + (i + 1) / 12, n: 40 }))
    const { ids, error } = await copy(listService({ cap: 4 }), listHarvester({ cap: 4 }), strips)
    expect([ids, error]).toEqual([allIds, null])
  })

  test('page by page, if it is a collection of OGC API Features', async () => {
    expect(await copy(collectionService(), collectionHarvester)).toEqual({ ids: allIds, requests: 3, error: null })
    const silent = await copy(collectionService({ count: () => undefined }), collectionHarvester)
    expect([silent.ids, silent.error]).toEqual([allIds, null])
  })
})

describe('A list that lies is caught:', () => {
  const twice = 'for its quarters. It truncates its lists without saying so, or its data has changed meanwhile.'

  test('it truncates without saying so', async () => {
    expect((await copy(listService({ cap: 25 }), listHarvester())).error).toBe(
      `${host} returned 25 records for a box, but 50 ${twice} No pack was built. Run the same command again.`,
    )
  })

  test('it states another number of records than it returns', async () => {
    const drops = listService({ counts: true, lie: (rows) => rows.filter(({ id }) => id !== 17) })
    expect((await copy(drops, listHarvester({ total: '$.total' }))).error).toContain('the list of every box')
    const doubles = listService({ counts: true, lie: (rows) => [...rows, ...rows.slice(0, 1)] })
    expect((await copy(doubles, listHarvester({ total: '$.total' }))).error).toBe(
      `${host} counts 60 records, but returned 61. No pack was built.`,
    )
  })

  test('it states a number that its quarters do not have', async () => {
    const withoutOne = listService({ lie: (rows) => rows.filter(({ id }) => id !== 17) })
    const answer = (request: ReceivedRequest) => {
      const { rows, isTop } = rowsIn(request)
      return isTop
        ? jsonAnswer({ records: rows.slice(1), total: rows.length })
        : (withoutOne.answer(request) as ReturnType<typeof jsonAnswer>)
    }
    expect((await copy({ host, answer }, listHarvester({ total: '$.total' }))).error).toBe(
      `${host} counts 60 records, but returned 59. No pack was built.`,
    )
  })

  test('it returns identical records, so that a missing one would not be noticed', async () => {
    const twins = listService({
      cap: 25,
      counts: true,
      lie: (rows) => rows.map((row) => (row.id === 18 ? records[17]! : row)),
    })
    expect((await copy(twins, listHarvester({ total: '$.total' }))).error).toBe(
      `${host} counts 31 records, but only 30 of those that it returned are different. The others are identical to one of these, so it is not certain that none is missing. No pack was built. A smaller area may have no identical records.`,
    )
  })

  test('it drops a record or a whole list', async () => {
    const drops = listService({ lie: (rows, { isTop }) => (isTop ? rows.filter(({ id }) => id !== 17) : rows) })
    expect((await copy(drops, listHarvester())).error).toContain(`returned 59 records for a box, but 60 ${twice}`)
    const empty = listService({ lie: (rows, { isTop }) => (isTop ? [] : rows) })
    expect((await copy(empty, listHarvester())).error).toContain(`returned 0 records for a box, but 60 ${twice}`)
  })

  test('it returns the same list for every box', async () => {
    const repeats = listService({ cap: 25, lie: () => records })
    expect((await copy(repeats, listHarvester({ cap: 25 }))).error).toBe(
      `${host} returned a record outside of the box that was requested. No pack was built.`,
    )
  })

  test('it changes in the middle', async () => {
    const changes = listService({ lie: (rows, { n }) => (n > 1 ? rows.filter(({ id }) => id !== 30) : rows) })
    expect((await copy(changes, listHarvester())).error).toContain(`returned 60 records for a box, but 59 ${twice}`)
  })
})

describe('A collection of OGC API Features that lies is caught:', () => {
  test('it repeats a page', async () => {
    const repeats = collectionService({ lie: (rows, { page }) => (page === 1 ? records.slice(0, 20) : rows) })
    expect((await copy(repeats, collectionHarvester)).error).toBe(
      `${host} returned 20 features twice. No pack was built. Run the same command again.`,
    )
    const withoutIds = collectionService({
      lie: (rows, { page }) => (page === 1 ? records.slice(0, 20) : rows),
      hasIds: false,
    })
    expect((await copy(withoutIds, collectionHarvester)).error).toBe(
      `${host} returned the same page twice. No pack was built. Run the same command again.`,
    )
    expect((await copy(collectionService({ hasIds: false }), collectionHarvester)).ids).toEqual(allIds)
  })

  test('it drops a page, or a feature', async () => {
    const drops = collectionService({ lie: (rows, { page }) => (page === 1 ? [] : rows) })
    expect((await copy(drops, collectionHarvester)).error).toContain('counts 60 features, but returned an empty list')
    const lie: Lie = (rows, { isTop }) => (isTop ? rows.filter(({ id }) => id !== 17) : rows)
    const silent = collectionService({ count: () => undefined, lie })
    expect((await copy(silent, collectionHarvester)).error).toContain('returned 59 records for a box, but 60')
  })

  test('it counts more or fewer features than it has', async () => {
    for (const wrong of [total + 1, total - 1])
      expect((await copy(collectionService({ count: () => wrong }), collectionHarvester)).error).toContain(
        `counts ${wrong} features in a box, but returned 60`,
      )
  })

  test('it changes between two pages', async () => {
    const changes = collectionService({ count: (matched, page) => matched + page })
    expect((await copy(changes, collectionHarvester)).error).toContain(
      'counted 60 features on the first page and 61 on a later one',
    )
  })
})

test('a GeoJSON file that states more features than it has is not copied', async () => {
  const service: SimulatedService = {
    host,
    answer: () => jsonAnswer({ type: 'FeatureCollection', features: [], numberMatched: 3 }),
  }
  const harvester = (deps: HarvestDeps) =>
    geojsonFileDriver.harvest!({ asset: `https://${host}/all.json` }, deps, { id: 'made_up', ...info })
  expect((await copy(service, harvester)).error).toBe(
    `${host} counts 3 features, but returned an empty list. Try again later.`,
  )
})
