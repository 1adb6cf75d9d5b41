import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  harvestDataset,
  harvestHashOf,
  type HarvestDatasetDeps,
} from '../../../src/build-packs/harvest/harvest-dataset.ts'
import { UpstreamError } from '../../../src/model/error.ts'
import type { Budget } from '../../../src/model/source.ts'
import type { Call, HttpClient } from '../../../src/net/http-client.ts'
import { buildPack } from '../../../src/build-packs/build-pack.ts'
import { FileError } from '../../../src/files/file-error.ts'
import { lockFolder } from '../../../src/store/sqlite/folder-lock.ts'
import { datasetOf } from '../../support/catalog-contents.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const root = temporaryFolder()

const features = 2_500
const layerUrl = 'https://layers.example/rest/services/Made_Up/FeatureServer/0'
const dataset = datasetOf({
  serve: [
    { driver: 'pack', file: 'made_up.gpkg' },
    { driver: 'arcgis', endpoint: layerUrl },
  ],
})
const use = { dataset: 'made_up', fields: [], editions: [0], attributes: [], reach_m: 0 }
const area = {
  name: 'A box',
  id: 'box',
  polygons: [
    [
      [
        [-105, 40],
        [-104, 40],
        [-104, 41],
        [-105, 41],
        [-105, 40],
      ],
    ],
  ] as never,
}

/** What a page answers instead of its features. The first page is number 0. */
type Page = (page: number, ids: number[], budget: Budget) => unknown

/** A client of a layer with three pages of points. Records the pages that are requested. */
function layerClient(answerPage: Page = (_page, ids) => featureSetOf(ids)): { net: HttpClient; pages: number[] } {
  const pages: number[] = []
  const fetchJson = async ({ url, body }: Call, budget: Budget): Promise<unknown> => {
    const query = new URLSearchParams([...new URL(url).searchParams, ...new URLSearchParams(body)])
    if (query.get('returnCountOnly') === 'true') return { count: features }
    if (query.get('returnIdsOnly') === 'true') return { objectIdFieldName: 'OBJECTID', objectIds: idsFrom(0, features) }
    const ids = query.get('objectIds')?.split(',').map(Number)
    if (!ids) return { fields, objectIdField: 'OBJECTID', geometryType: 'esriGeometryPoint', maxRecordCount: 1_000 }
    const page = Math.floor(ids[0]! / 1_000)
    pages.push(page)
    return await answerPage(page, ids, budget)
  }
  return { net: { fetchJson } as HttpClient, pages }
}

const fields = [{ name: 'OBJECTID', type: 'esriFieldTypeOID' }]
const idsFrom = (first: number, count: number) => Array.from({ length: count }, (_, i) => first + i)
function featureSetOf(ids: number[]) {
  const rows = ids.map((id) => ({ attributes: { OBJECTID: id }, geometry: { x: -104.5, y: 40 + id / features } }))
  return {
    objectIdFieldName: 'OBJECTID',
    geometryType: 'esriGeometryPoint',
    spatialReference: { wkid: 4326 },
    fields,
    features: rows,
  }
}

/** Copies the layer. Resolves with the message of the error, or with null. */
async function copy(net: HttpClient, name: string, changes: Partial<HarvestDatasetDeps> = {}): Promise<string | null> {
  const workFolder = join(root, name)
  mkdirSync(workFolder, { recursive: true })
  const deps: HarvestDatasetDeps = {
    net,
    now: () => new Date(),
    counties: { near: () => [] },
    keys: new Map(),
    targetOf: () => ({
      layer: 'made_up',
      expected: { dataset: 'made_up', attributes: [], layers: [null], needsPolygons: false, tables: [] },
    }),
    workFolder,
    build: (job) => buildPack(job, () => {}),
    onFeatures() {},
    ...changes,
  }
  const copied = harvestDataset({ use, dataset, area }, async () => {}, deps, new AbortController().signal)
  return copied.then(
    () => null,
    (error: Error) => error.message,
  )
}
const foldersIn = (name: string) => readdirSync(join(root, name))

test('a copy is another one if a field of the catalog reads another attribute', () => {
  const request = { use, dataset: { ...dataset, attributes: ['NAME'] }, area }
  const hashWith = (attributes: string[]) => harvestHashOf({ ...request, use: { ...use, attributes } })
  expect(hashWith(['NAME'])).toBe(hashWith([]))
  expect(hashWith(['ACRES'])).not.toBe(hashWith([]))
})

test('a copy of a layer asks for each page once, and leaves nothing in its work folder', async () => {
  const { net, pages } = layerClient()
  expect([await copy(net, 'whole'), pages, foldersIn('whole')]).toEqual([null, [0, 1, 2], []])
})

test('a copy continues after a full disk', async () => {
  const isFull = () => Promise.reject(new FileError('The disk is full.', { retryable: true }))
  expect(await copy(layerClient().net, 'full', { build: isFull })).toBe('The disk is full.')
  const { net, pages } = layerClient()
  expect([await copy(net, 'full'), pages, foldersIn('full')]).toEqual([null, [], []])
})

test('a copy continues after a host has refused a request, or has answered it with another page', async () => {
  for (const code of ['upstream_rejected', 'bad_response'] as const) {
    const progress = { saved: 0 }
    const refusing = layerClient(async (page, ids) => {
      if (page < 2) return featureSetOf(ids)
      while (progress.saved < 2) await Bun.sleep(1)
      throw new UpstreamError(code, 'No.')
    })
    expect(await copy(refusing.net, code, { onFeatures: () => progress.saved++ })).toBe('No.')
    const { net, pages } = layerClient()
    expect([await copy(net, code), pages]).toEqual([null, [2]])
  }
})

test('a copy begins again after answers that contradict each other', async () => {
  const lying = layerClient((_page, ids) => featureSetOf(ids.map((id) => id + features)))
  expect(await copy(lying.net, 'lying')).toContain('returned other features')
  expect(foldersIn('lying')).toEqual([])
})

test('a copy that fails ends its other request and begins no other', async () => {
  let ended: AbortSignal | null = null
  const { promise: isUnderWay, resolve: begin } = Promise.withResolvers<void>()
  const { net, pages } = layerClient(async (page, ids, { signal }) => {
    if (page === 0) {
      await isUnderWay
      return featureSetOf(ids.map((id) => id + features))
    }
    ended = signal
    begin()
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('ended'))))
  })
  expect(await copy(net, 'failing')).toContain('returned other features')
  expect([pages, (ended as AbortSignal | null)?.aborted]).toEqual([[0, 1], true])
})

test('a copy removes others that were not continued for a week, unless a process uses them', async () => {
  const olderThanAWeek = new Date(Date.now() - 8 * 86_400_000)
  for (const [name, time] of [
    ['old', olderThanAWeek],
    ['used', olderThanAWeek],
    ['new', new Date()],
  ] as const) {
    const journal = join(root, 'expired', name, 'journal')
    mkdirSync(journal, { recursive: true })
    writeFileSync(join(journal, 'started.json'), '""')
    utimesSync(join(journal, 'started.json'), time, time)
  }
  const unlock = lockFolder(join(root, 'expired', 'used'))
  expect(await copy(layerClient().net, 'expired')).toBeNull()
  unlock()
  expect(foldersIn('expired').toSorted()).toEqual(['new', 'used'])
  expect(existsSync(join(root, 'expired', 'old'))).toBe(false)
})
