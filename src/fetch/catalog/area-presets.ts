import type { Catalog } from '../../catalog/catalog.ts'
import type { Dataset } from '../../catalog/records.ts'
import type { AreaPresets } from '../../catalog/meta-documents.ts'
import { regionNear } from '../../geo/us.ts'
import type { Point, Region } from '../../model/place.ts'
import type { DegreeBox } from '../../packs/layer/box-distance.ts'
import type { InstalledData } from '../../packs/pack-entry.ts'
import { providersByField } from '../sources/providers.ts'

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
      const available = availableDatasets(catalog, own, groups)
      const key = [...available].join()
      const presets = known.get(key) ?? completePresets(catalog, available)
      known.set(key, presets)
      return { area, presets }
    })
    .toSorted((a, b) => (a.area < b.area ? -1 : 1))
}

/** The datasets that need no other data in the area of `own`: they are embedded or computed, or a pack covers it. */
function availableDatasets(
  catalog: Catalog,
  own: readonly InstalledData[],
  groups: readonly InstalledData[][],
): Set<string> {
  const points = samplePoints(own[0]!)
  const regions = new Set(points.map(regionNear))
  const covered = new Set(own.map(({ dataset }) => dataset))
  const wider = groups.filter(([first]) => boxContainsBox(first!.box, own[0]!.box))
  for (const { dataset, covers } of wider.flat()) {
    if (!covered.has(dataset) && points.every(covers)) covered.add(dataset)
  }
  return withoutMissing(catalog, covered, regions)
}

/**
 * How many fields local data answers in a county, and which presets completely. `covered`: the datasets of its packs.
 */
export function localAnswersIn(
  catalog: Catalog,
  region: Region,
  covered: ReadonlySet<string>,
): { fields: number; presets: string[] } {
  const isLocal = ([id, dataset]: [string, Dataset]) =>
    (covered.has(id) || isBuiltIn(dataset)) && !isElsewhere(dataset, new Set([region]))
  const local = new Set([...catalog.datasets].filter(isLocal).map(([id]) => id))
  const providers = providersOf(catalog, local)
  const answered = new Set([...providers].flatMap(([name, it]) => (it.providers.length > 0 ? [name] : [])))
  const complete = completePresets(catalog, withoutMissing(catalog, covered, new Set([region])))
  const isAnswered = (preset: string) => catalog.presets.get(preset)!.fields.some((name) => answered.has(name))
  return { fields: answered.size, presets: complete.filter(isAnswered) }
}

/** The datasets that need no other data in regions: packs have them, they are built in, or they have none there. */
function withoutMissing(catalog: Catalog, covered: ReadonlySet<string>, regions: ReadonlySet<Region>): Set<string> {
  const isAvailable = ([id, dataset]: [string, Dataset]) =>
    covered.has(id) || isBuiltIn(dataset) || isElsewhere(dataset, regions)
  return new Set([...catalog.datasets].filter(isAvailable).map(([id]) => id))
}

function isBuiltIn({ serve }: Dataset): boolean {
  return serve.some(({ driver }) => driver === 'embedded' || driver === 'computed')
}

/** Outside its regions, a dataset has no data to install. */
function isElsewhere({ coverage }: Dataset, regions: ReadonlySet<Region>): boolean {
  return coverage.regions !== 'everywhere' && coverage.regions.every((region) => !regions.has(region))
}

function completePresets(catalog: Catalog, available: ReadonlySet<string>): string[] {
  const providers = providersOf(catalog, available)
  return [...catalog.presets]
    .filter(([, { fields }]) => fields.every((field) => providers.get(field)!.providers.length > 0))
    .map(([name]) => name)
}

function providersOf(catalog: Catalog, available: ReadonlySet<string>): ReturnType<typeof providersByField> {
  return providersByField(catalog, {
    dataset: (id) => ({
      dataset: catalog.datasets.get(id)!,
      options: available.has(id) ? [{ driver: 'local', vintage: null }] : [],
    }),
  })
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

function boxContainsBox(outer: DegreeBox, inner: DegreeBox): boolean {
  return (
    outer.west <= inner.west && outer.east >= inner.east && outer.south <= inner.south && outer.north >= inner.north
  )
}
