import type { YieldToEventLoop } from '../async/incremental-task.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { CountyCoverage } from '../catalog/meta-documents.ts'
import { localAnswersIn } from '../fetch/catalog/area-presets.ts'
import { boxesOfPolygons, boxesTouch, type QueryBox } from '../geo/boxes.ts'
import { regionOf } from '../geo/us.ts'
import type { Region } from '../model/place.ts'
import type { EmbeddedData } from '../packs/embedded/embedded-data.ts'
import type { MemoryLayer } from '../packs/embedded/memory-layer.ts'
import type { InstalledData } from '../packs/pack-entry.ts'
import { samplePointsOf } from './sample-points.ts'

/** The data from which the coverage of counties is computed. */
type CoverageData = { catalog: Catalog; installed: readonly InstalledData[]; embedded: Pick<EmbeddedData, 'layer'> }

/**
 * Computes what local data answers in each county. A pack counts where it covers sample points of the county, inside
 * and at its border. Yields to the event loop between counties.
 */
export async function computeCountyCoverage(
  { catalog, installed, embedded }: CoverageData,
  yieldToEventLoop: YieldToEventLoop,
): Promise<CountyCoverage[]> {
  const layer = embedded.layer('counties')
  const packs = [...Map.groupBy(installed, ({ dataset }) => dataset)]
  const answersOf = memoizeAnswers(catalog)
  const groups = new Map<string, CountyCoverage>()
  for (let row = 0; row < layer.features; row++) {
    await yieldToEventLoop()
    const region = regionOf(textAt(layer, row, 'STUSPS'))
    const covered = packs.length === 0 ? [] : coveringDatasets(layer, row, packs)
    const answers = answersOf(region, covered)
    const key = JSON.stringify(answers)
    const group = groups.get(key) ?? { ...answers, counties: [] }
    group.counties.push(textAt(layer, row, 'GEOID'))
    groups.set(key, group)
  }
  return [...groups.values()]
    .map((group) => ({ ...group, counties: group.counties.toSorted() }))
    .toSorted((a, b) => b.fields - a.fields)
}

/** Most counties have packs of the same datasets. */
function memoizeAnswers(catalog: Catalog) {
  const known = new Map<string, ReturnType<typeof localAnswersIn>>()
  return (region: Region, covered: readonly string[]) => {
    const key = `${region} ${covered.join()}`
    const answers = known.get(key) ?? localAnswersIn(catalog, new Set([region]), new Set(covered))
    known.set(key, answers)
    return answers
  }
}

const pointsInside = 8
const pointsAtBorder = 4

/** The datasets with packs that cover all sample points of a county. */
function coveringDatasets(
  layer: MemoryLayer,
  row: number,
  packs: readonly (readonly [dataset: string, parts: readonly InstalledData[]])[],
): string[] {
  const { polygons } = layer.geometryAt(row)
  const boxes = boxesOfPolygons(polygons)
  const near = packs.flatMap(([dataset, parts]) => {
    const touching = parts.filter(({ box }) => boxes.some((it) => boxesTouch(it, queryBoxOf(box))))
    return touching.length === 0 ? [] : [{ dataset, parts: touching }]
  })
  if (near.length === 0) return []
  const geoid = textAt(layer, row, 'GEOID')
  const points = samplePointsOf({ id: geoid, name: geoid, polygons }, pointsInside, pointsAtBorder)
  return near
    .filter(({ parts }) => points.every((at) => parts.some(({ covers }) => covers(at))))
    .map(({ dataset }) => dataset)
}

function queryBoxOf({ west, south, east, north }: InstalledData['box']): QueryBox {
  return { w: west, s: south, e: east, n: north }
}

function textAt(layer: MemoryLayer, row: number, name: string): string {
  return String(layer.valueAt(row, name) ?? '')
}
