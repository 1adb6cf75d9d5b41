import { afterAll, expect, test } from 'bun:test'
import { buildTestPack, featuresIn, workFolder } from './build-test-pack.ts'

const { folder, file, remove } = workFolder()
afterAll(remove)

const pointAt = (name: string, lng: number, lat: number) => ({
  type: 'Feature',
  properties: { name },
  geometry: { type: 'Point', coordinates: [lng, lat] },
})
const lineOf = (name: string, ...coordinates: number[][]) => ({
  type: 'Feature',
  properties: { name },
  geometry: { type: 'LineString', coordinates },
})
const collection = (name: string, ...features: unknown[]) =>
  file(`${name}.geojson`, JSON.stringify({ type: 'FeatureCollection', features }))
const namesIn = (path: string) =>
  featuresIn(path)
    .map(({ properties }) => String(properties.name))
    .toSorted()

test('a clipped pack has the features whose box touches the boxes, and nothing without a geometry', async () => {
  const input = collection(
    'places',
    pointAt('inside', 0.5, 0.5),
    pointAt('at the edge', 1, 1),
    pointAt('outside', 1.001, 1),
    lineOf('across', [-1, 0.5], [2, 0.5]),
    { type: 'Feature', properties: { name: 'nowhere' }, geometry: null },
  )
  const { path, features } = await buildTestPack([input], folder, { clip: [{ w: 0, s: 0, e: 1, n: 1 }] })
  expect([features, namesIn(path)]).toEqual([3, ['across', 'at the edge', 'inside']])
})

test('a feature that several files have counts once, and one that a file has twice counts twice', async () => {
  const twice = pointAt('twice', 0.2, 0.2)
  const first = collection('first', pointAt('both', 0.5, 0.5), twice, twice)
  const second = collection('second', pointAt('both', 0.5, 0.5), pointAt('both', 0.6, 0.5))
  const { path, features } = await buildTestPack([first, second], folder, { clip: [{ w: 0, s: 0, e: 1, n: 1 }] })
  expect([features, namesIn(path)]).toEqual([4, ['both', 'both', 'twice', 'twice']])
})

test('a box on one side of the antimeridian has the features that cross it', async () => {
  const input = collection('crossing', lineOf('crossing', [179.5, 52], [180.5, 52]), pointAt('east', -179.8, 52))
  const { path } = await buildTestPack([input], folder, { clip: [{ w: -180, s: 51, e: -179, n: 53 }] })
  expect(namesIn(path)).toEqual(['crossing', 'east'])
})

test('a file that has nothing in the boxes gives a pack without features', async () => {
  const input = collection('far', pointAt('far', 50, 50))
  const clip = [{ w: 0, s: 0, e: 1, n: 1 }]
  expect((await buildTestPack([input], folder, { clip, mayBeEmpty: true })).features).toBe(0)
})
