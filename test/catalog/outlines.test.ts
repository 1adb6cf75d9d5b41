import { expect, test } from 'bun:test'
import * as contents from '../../catalog/contents.ts'
import { withNestedReads } from '../../src/catalog/read-spec.ts'
import { simulatedLayers } from '../upstreams/layers/layers.ts'

/** Layers whose polygons are small, each with the reason. */
const smallPolygons: Record<string, string> = { fema_usa_structures: 'a footprint has some dozen vertices' }

/** The operators that download outlines, because they search within a radius. */
const searchingOperators = new Set(['nearest_distance', 'nearest_attribute', 'nearest_fraction', 'count', 'aggregate'])

const searchedDatasets = new Set(
  contents.fields.flatMap(({ read }) =>
    withNestedReads(read).flatMap((nested) => (searchingOperators.has(nested.op) ? [nested.dataset] : [])),
  ),
)

function polygonOptionsOf(id: string) {
  return contents.datasets[id]!.serve.flatMap((option) => {
    if (option.driver !== 'arcgis') return []
    const urls = option.layers?.map((layer) => `${option.endpoint}/${layer}`) ?? [option.endpoint]
    return urls.some(isPolygonLayer) ? [option] : []
  })
}

function isPolygonLayer(url: string): boolean {
  const { host, pathname } = new URL(url)
  const path = decodeURIComponent(pathname)
  return simulatedLayers.some(
    (layer) => layer.kind === 'polygon' && `${layer.host}${layer.service}/${layer.id}` === host + path,
  )
}

test('polygons within a radius are requested simplified, because one of them can have a million vertices', () => {
  const searched = [...searchedDatasets].filter((id) => polygonOptionsOf(id).length > 0)
  expect(searched.length).toBeGreaterThan(7)
  const unsimplified = searched.filter((id) =>
    polygonOptionsOf(id).some((option) => option.max_allowable_offset_degrees === undefined),
  )
  expect(unsimplified).toEqual(Object.keys(smallPolygons))
})

test('a distance to simplified polygons says how far it can be off', () => {
  const distances = contents.fields.filter(
    ({ read }) =>
      read.op === 'nearest_distance' &&
      polygonOptionsOf(read.dataset).some((option) => option.max_allowable_offset_degrees),
  )
  expect(distances.length).toBeGreaterThan(5)
  expect(distances.filter(({ derivation }) => !derivation?.includes('simplified')).map(({ name }) => name)).toEqual([])
})
