import { allOf, andThen } from '../../async/maybe-promise.ts'
import { metersPerDegree } from '../../geo/ecef.ts'
import { UpstreamError } from '../../model/error.ts'
import type { AreaQuery, AreaSource, RasterPiece, CellQuery } from '../../model/area.ts'
import type { Point } from '../../model/place.ts'
import type { AnySource, Budget, DocumentQuery, Feature, FeatureQuery, RasterQuery, Shape } from '../../model/source.ts'
import type { FeatureLayer, PackDataset, RasterFile } from '../../packs/pack.ts'
import { defineDriver, type DriverDeps } from '../driver.ts'
import { readDocument } from './pack-document.ts'
import { packSettings, type PackSettings } from './pack-expectation.ts'
import { ringOfExtent } from '../../packs/pack-manifest.ts'

/** A pack file: a GeoPackage or a GeoTIFF. */
export const packDriver = defineDriver({
  shapes: ['features', 'raster', 'document'],
  config: packSettings,
  open(settings, shape, { packs }, dataset) {
    if (!packs) return null
    const datasets = datasetsByLevelOf(settings, packs, dataset.id)
    const [first] = datasets.values()
    if (!first) return null
    return {
      source: sourceOf(settings, shape, datasets, first),
      vintage: first.vintage,
      ...(first.vintageAt && { vintageAt: (place) => first.vintageAt!(place) }),
      covers: (place) => first.covers(place),
      isOfAreas: [...datasets.values()].every(isOfAreas),
      ...(shape === 'features' && {
        boxes: () => [...first.layers.values()],
        inFiles: {
          covers: (at) => first.covers(at),
          containingRows: (at, level) => containingRowsOf(layersOf(settings, first, level), at),
        },
      }),
      ...(shape !== 'raster' && first.layers.size > 0 && { area: areaSourceOf(settings, first) }),
      ...(shape === 'raster' && { rasterPieces: (query) => rasterPiecesOf(settings, datasets, query) }),
    }
  },
})

/** Whether all files of a pack were made for an area: they state how far beyond it they are complete. */
function isOfAreas(packDataset: PackDataset): boolean {
  return (packDataset.files ?? [packDataset]).every(({ margin_m }) => margin_m !== null)
}

/** The opened dataset of each level (0 if the dataset has no levels). */
type DatasetsByLevel = ReadonlyMap<number, PackDataset>
const maxLevel = 20

/** The available levels. A dataset with one file per level uses all files that exist. */
function datasetsByLevelOf(
  { file }: PackSettings,
  packs: NonNullable<DriverDeps['packs']>,
  dataset: string,
): DatasetsByLevel {
  const levels = file.includes('{level}') ? Array.from({ length: maxLevel + 1 }, (_, level) => level) : [0]
  return new Map(
    levels.flatMap((level): [number, PackDataset][] => {
      const opened = packs.dataset(file.replaceAll('{level}', String(level)), dataset)
      return opened ? [[level, opened]] : []
    }),
  )
}

function sourceOf(settings: PackSettings, shape: Shape, datasets: DatasetsByLevel, first: PackDataset): AnySource {
  if (shape === 'features') return (query: FeatureQuery) => findFeatures(settings, first, query)
  if (shape === 'raster') return (query: RasterQuery, budget: Budget) => readWindow(settings, datasets, query, budget)
  return async (query: DocumentQuery, budget: Budget) => readDocument(settings, first, query, budget)
}

/**
 * The features of one layer, or of all layers together, nearest first.
 * @throws {UpstreamError} if the radius reaches places for which the pack states that it has no data.
 */
function findFeatures(settings: PackSettings, packDataset: PackDataset, query: FeatureQuery): Feature[] {
  const { at, radius_m, limit = Infinity } = query
  const { margin_m } = radius_m === 0 ? packDataset : packDataset.at(at)
  const found = findInLayers(settings, packDataset, query)
  if (margin_m === null || radius_m <= margin_m) return found
  // All features up to the margin are known, so enough of them answer the query.
  if (found.length >= limit && found[limit - 1]!.distance_m <= margin_m) return found
  if (pointsOnCircle(at, radius_m - margin_m).every((place) => packDataset.covers(place))) return found
  throw beyondAreaError(radius_m, settings.file)
}

function findInLayers(settings: PackSettings, packDataset: PackDataset, query: FeatureQuery): Feature[] {
  const { layers } = packDataset
  if (layers.size === 1 && !settings.layer?.includes('{level}')) return layers.values().next().value!.query(query)
  const ofQuery = layersOf(settings, packDataset, query.level)
  if (ofQuery.length === 1) return ofQuery[0]!.query(query)
  return ofQuery
    .flatMap((layer) => layer.query(query))
    .toSorted((a, b) => a.distance_m - b.distance_m)
    .slice(0, query.limit ?? Infinity)
}

/** The rows of one layer, or of each layer after their number. */
function containingRowsOf(layers: readonly FeatureLayer[], at: Point): readonly number[] | null {
  if (layers.length === 1) return layers[0]!.containingRows(at)
  const numbers: number[] = []
  for (const layer of layers) {
    const rows = layer.containingRows(at)
    if (!rows) return null
    numbers.push(rows.length, ...rows)
  }
  return numbers
}

/** The layer of the level, or all layers. */
function layersOf({ layer = '' }: PackSettings, { layers }: PackDataset, level: number | undefined): FeatureLayer[] {
  if (!layer.includes('{level}')) return [...layers.values()]
  const ofLevel = level === undefined ? undefined : layers.get(layer.replaceAll('{level}', String(level)))
  if (ofLevel) return [ofLevel]
  throw new UpstreamError(
    'unsupported_request',
    `The pack has no layer for level ${level ?? '(none)'}. Build the pack with this level.`,
  )
}

/** Reads the same layers as a point query. The features of different layers have different keys. */
function areaSourceOf(settings: PackSettings, packDataset: PackDataset): AreaSource {
  return {
    features(query: AreaQuery) {
      const layers = layersOf(settings, packDataset, query.level)
      if (layers.length === 1) return layers[0]!.featuresIn(query)
      const found = layers.map((layer, i) =>
        andThen(layer.featuresIn(query), (features) => features.map((it) => ({ ...it, key: `${i} ${it.key}` }))),
      )
      return andThen(allOf(found), (ofLayers) => ofLayers.flat())
    },
    coverage: packDataset.coverage,
  }
}

/** The rasters of the files of a pack, of the level of the query. The newest file counts where several have cells. */
function rasterPiecesOf(
  { file, band }: PackSettings,
  datasets: DatasetsByLevel,
  { level = 0 }: CellQuery,
): RasterPiece[] {
  const packDataset = datasets.get(file.includes('{level}') ? level : 0)
  const files = packDataset ? (packDataset.files ?? [packDataset]) : []
  return files.flatMap(({ raster, coverage }) => {
    const cells = raster?.cells?.(band === undefined ? {} : { band })
    return cells
      ? [{ cells, polygons: coverage ?? (files.length === 1 ? null : [[ringOfExtent(raster!.bounds)]]) }]
      : []
  })
}

async function readWindow(
  { file, band }: PackSettings,
  datasets: DatasetsByLevel,
  { at, radius_cells, radius_m, edition = 0, level }: RasterQuery,
  budget: Budget,
) {
  const raster = datasets.get(file.includes('{level}') ? (level ?? 0) : 0)?.at(at).raster
  if (!raster)
    throw new UpstreamError(
      'no_local_data',
      `The packs folder has no raster ${file.replaceAll('{level}', String(level ?? '{level}'))}. Build this pack.`,
    )
  if (radius_m !== undefined && !pointsOnCircle(at, radius_m).every((place) => raster.covers(place)))
    throw beyondAreaError(radius_m, file)
  const { year, ...options } = editionOf(raster, edition, band)
  const query = { at, radius_cells, ...(radius_m !== undefined && { radius_m }) }
  const grid = await raster.window(query, options, budget)
  return year === undefined ? grid : { ...grid, year }
}

/** The band of an edition, and its year if the manifest of the pack states the years of the bands. */
function editionOf(
  { editions = [] }: RasterFile,
  edition: number,
  band: number | undefined,
): { band?: number; year?: number } {
  const [newest] = editions
  if (newest === undefined && edition === 0) return band === undefined ? {} : { band }
  const year = (newest ?? NaN) + edition
  const position = editions.indexOf(year)
  if (position !== -1) return { band: position + 1, year }
  throw new UpstreamError(
    'unsupported_request',
    'The pack lacks the edition of the raster that the field needs. Copy it again with `fieldstone pack fetch`, or add a network source of the dataset.',
  )
}

function beyondAreaError(radius_m: number, file: string): UpstreamError {
  return new UpstreamError(
    'unsupported_request',
    `The search radius of ${radius_m} m extends beyond the area of the pack ${file}. Build the pack for a larger area.`,
  )
}

/** Points on a circle, accurate enough to check whether it leaves the area of a pack. */
function pointsOnCircle({ lat, lng }: Point, radius_m: number): Point[] {
  const radius_degrees = radius_m / metersPerDegree
  return Array.from({ length: circlePoints }, (_, i) => {
    const bearing = (2 * Math.PI * i) / circlePoints
    return {
      lat: lat + radius_degrees * Math.cos(bearing),
      lng: lng + (radius_degrees * Math.sin(bearing)) / Math.cos((lat * Math.PI) / 180),
    }
  })
}

const circlePoints = 16
