import type { Catalog } from '../../catalog/catalog.ts'
import type { Dataset } from '../../catalog/records.ts'
import type { AreaPresets } from '../../catalog/meta-documents.ts'
import { extentContains } from '../../geo/boxes.ts'
import { regionNear } from '../../geo/us.ts'
import type { Point, Region } from '../../model/place.ts'
import type { InstalledData } from '../../packs/pack-entry.ts'
import { answerableFieldsOf, type ProviderOptions } from '../sources/providers.ts'

/** Returns the areas of the installed packs with the presets that are complete there. */
export function presetsByArea(catalog: Catalog, installed: readonly InstalledData[]): AreaPresets[] {
  const named = Map.groupBy(
    installed.filter(({ area }) => area !== null),
    ({ area }) => area!,
  )
  const groups = [...named.values(), ...installed.filter(({ area }) => area === null).map((data) => [data])]
  // Many areas, such as the counties of a state, have packs of the same datasets.
  const known = new Map<string, string[]>()
  return [...named]
    .map(([area, own]) => {
      const regions = new Set(samplePoints(own[0]!).map(regionNear))
      const covered = coveredDatasets(own, groups)
      const key = [...regions, ...covered].join()
      const presets = known.get(key) ?? localAnswersIn(catalog, regions, covered).presets
      known.set(key, presets)
      return { area, presets }
    })
    .toSorted((a, b) => (a.area < b.area ? -1 : 1))
}

/** The datasets whose packs cover the area of `own`. */
function coveredDatasets(own: readonly InstalledData[], groups: readonly InstalledData[][]): Set<string> {
  const points = samplePoints(own[0]!)
  const covered = new Set(own.map(({ dataset }) => dataset))
  const wider = groups.filter(([first]) => extentContains(first!.box, own[0]!.box))
  for (const { dataset, covers } of wider.flat()) {
    if (!covered.has(dataset) && points.every(covers)) covered.add(dataset)
  }
  return covered
}

/**
 * How many fields local data answers in regions, and which presets completely: it answers most of their fields, and the
 * others have no data there. `covered`: the datasets of the packs.
 */
export function localAnswersIn(
  catalog: Catalog,
  regions: ReadonlySet<Region>,
  covered: ReadonlySet<string>,
): { fields: number; presets: string[] } {
  const isPresent = ([id, dataset]: [string, Dataset]) => covered.has(id) || isBuiltIn(dataset)
  const here = fieldsOf(catalog, (entry) => isPresent(entry) && !isElsewhere(entry[1], regions))
  const notMissing = fieldsOf(catalog, (entry) => isPresent(entry) || isElsewhere(entry[1], regions))
  const isComplete = (fields: readonly string[]) =>
    fields.every((name) => notMissing.has(name)) && fields.filter((name) => here.has(name)).length * 2 > fields.length
  const complete = [...catalog.presets].filter(([, { fields }]) => isComplete(fields))
  return { fields: here.size, presets: complete.map(([name]) => name) }
}

function isBuiltIn({ serve }: Dataset): boolean {
  return serve.some(({ driver }) => driver === 'embedded' || driver === 'computed')
}

/** Outside its regions, a dataset has no data to install. */
export function isElsewhere({ coverage }: Pick<Dataset, 'coverage'>, regions: ReadonlySet<Region>): boolean {
  return coverage.regions !== 'everywhere' && coverage.regions.every((region) => !regions.has(region))
}

/** The fields that the datasets for which `isAvailable` holds can answer. */
function fieldsOf(catalog: Catalog, isAvailable: (entry: [string, Dataset]) => boolean): Set<string> {
  const available = new Set([...catalog.datasets].filter(isAvailable).map(([id]) => id))
  const registry: ProviderOptions = {
    dataset: (id) => ({
      dataset: catalog.datasets.get(id)!,
      options: available.has(id) ? [{ driver: 'local', vintage: null }] : [],
    }),
  }
  return new Set(answerableFieldsOf({ catalog, registry }))
}

const samplesPerSide = 12

/** Points of a grid that the data covers. */
function samplePoints({ box: { west, east, south, north }, covers }: InstalledData): Point[] {
  const fraction = (i: number) => (i + 0.5) / samplesPerSide
  return Array.from({ length: samplesPerSide ** 2 }, (_, i) => ({
    lat: south + fraction(Math.floor(i / samplesPerSide)) * (north - south),
    lng: west + fraction(i % samplesPerSide) * (east - west),
  })).filter((at) => covers(at))
}
