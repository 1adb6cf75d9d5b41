import { UpstreamError } from '../model/error.ts'
import type { Point } from '../model/place.ts'
import type { AnySource, Budget, Feature, FeatureQuery, Properties, RasterQuery, Shape } from '../model/source.ts'
import type { PackDataset } from '../packs/pack.ts'
import type { PackFolder } from '../packs/pack-folder.ts'
import { defineDriver } from './driver.ts'
import { geographiesAt } from './pack-geographies.ts'
import { packSettings, type PackSettings } from './pack-expectation.ts'
import { soilAt } from './pack-ssurgo.ts'

/** A file of the packs folder: a GeoPackage or a GeoTIFF. */
export const packDriver = defineDriver({
  shapes: ['features', 'raster', 'document'],
  config: packSettings,
  open(settings, shape, { packs }, dataset) {
    if (!packs) return null
    const offers = offersOf(settings, packs, dataset.id)
    const [first] = offers.values()
    if (!first) return null
    return {
      source: sourceOf(settings, shape, offers, first),
      vintage: first.vintage,
      covers: (place) => first.covers(place),
    }
  },
})

/** The offer of each level (0 for a dataset that has none). */
type Offers = ReadonlyMap<number, PackDataset>
const maxLevel = 20

/** A file for each level is one offer each, of which all that the folder has are taken; else there is one. */
function offersOf({ file }: PackSettings, packs: PackFolder, dataset: string): Offers {
  const levels = file.includes('{level}') ? Array.from({ length: maxLevel + 1 }, (_, level) => level) : [0]
  return new Map(
    levels.flatMap((level): [number, PackDataset][] => {
      const offer = packs.dataset(file.replaceAll('{level}', String(level)), dataset)
      return offer ? [[level, offer]] : []
    }),
  )
}

function sourceOf(settings: PackSettings, shape: Shape, offers: Offers, first: PackDataset): AnySource {
  if (shape === 'features') return async (query: FeatureQuery) => findFeatures(settings, first, query)
  if (shape === 'raster') return (query: RasterQuery, budget: Budget) => readWindow(settings, offers, query, budget)
  return async ({ at, key }: { at: Point; key?: string }, budget: Budget) =>
    readDocument(settings, first, { at, key: key ?? null }, budget)
}

/** Of one layer as it gives them; of several, those of all together, nearest first. */
function findFeatures({ layer = '' }: PackSettings, { layers }: PackDataset, query: FeatureQuery): Feature[] {
  if (layer.includes('{level}')) {
    const ofLevel = query.level === undefined ? undefined : layers.get(layer.replaceAll('{level}', String(query.level)))
    if (!ofLevel)
      throw new UpstreamError(
        'unsupported_request',
        `The pack has a layer for each level, and the level ${query.level ?? '(none)'} was asked.`,
      )
    return ofLevel.query(query)
  }
  const [only] = layers.values()
  if (layers.size === 1) return only!.query(query)
  return [...layers.values()]
    .flatMap((layer) => layer.query(query))
    .toSorted((a, b) => a.distance_m - b.distance_m)
    .slice(0, query.limit ?? Infinity)
}

function readWindow(
  { file, band }: PackSettings,
  offers: Offers,
  { at, radius_cells, radius_m, edition = 0, level }: RasterQuery,
  budget: Budget,
) {
  if (edition !== 0)
    throw new UpstreamError('unsupported_request', 'A pack has one edition of a raster, and another was asked.')
  const raster = offers.get(file.includes('{level}') ? (level ?? 0) : 0)?.raster
  if (!raster)
    throw new UpstreamError(
      'offline_no_data',
      `There is no raster of the level ${level ?? '(none)'} in the packs folder (${file}).`,
    )
  if (radius_m !== undefined && !pointsOnCircle(at, radius_m).every((place) => raster.covers(place))) {
    throw new UpstreamError(
      'unsupported_request',
      `The circle of ${radius_m} m reaches beyond the pack ${file}, which would answer for a part of it only.`,
    )
  }
  return raster.window(
    { at, radius_cells, ...(radius_m !== undefined && { radius_m }) },
    band === undefined ? {} : { band },
    budget,
  )
}

/** Some places on a circle, exactly enough to say whether it leaves a raster. */
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

const metersPerDegree = 111_195
const circlePoints = 16

async function readDocument(
  settings: PackSettings,
  offer: PackDataset,
  { at, key }: { at: Point; key: string | null },
  budget: Budget,
): Promise<unknown> {
  const { layer = '', layers, joins, under = [], columns_under = [] } = settings
  if (offer.raster) return nestAtPath(under, await readCell(settings, offer, at, budget))
  if (joins) return soilAt(offer, layer, at)
  if (layers) return geographiesAt(offer, at)
  const rows =
    offer.tables.size > 0
      ? offer.tables.get(layer)!.rows(requireKey(key))
      : offer.layers
          .get(layer)!
          .query({ at, radius_m: 0 })
          .map(({ properties }) => properties)
  return nestAtPath(
    under,
    rows.map((row: Properties) => nestAtPath(columns_under, row)),
  )
}

async function readCell(
  { band, scale = 1 }: PackSettings,
  { raster }: PackDataset,
  at: Point,
  budget: Budget,
): Promise<number | null> {
  const grid = await raster!.window({ at, radius_cells: 0 }, band === undefined ? {} : { band }, budget)
  const cell = grid.cells[Math.floor(grid.at_y) * grid.width + Math.floor(grid.at_x)] ?? null
  return cell === null ? null : cell * scale
}

/** A value at the end of a path through objects (names) and lists (numbers) that hold nothing else. */
function nestAtPath(path: readonly (string | number)[], value: unknown): unknown {
  return path.reduceRight<unknown>((inner, step) => {
    if (typeof step === 'string') return { [step]: inner }
    return Array.from({ length: step + 1 }, (_, i) => (i === step ? inner : null))
  }, value)
}

function requireKey(key: string | null): string {
  if (key === null)
    throw new UpstreamError('unsupported_request', 'A table is asked by a key, and this question has none.')
  return key
}
