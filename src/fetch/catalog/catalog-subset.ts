import type { Catalog } from '../../catalog/catalog.ts'
import { readInputsOf, withNestedReads } from '../../catalog/read-spec.ts'
import { fieldsPerRequestMax, type Dataset, type Field, type ReadSpec } from '../../catalog/records.ts'
import type { DriverName } from '../../drivers/drivers.ts'
import { UpstreamError } from '../../model/error.ts'
import type { Point } from '../../model/place.ts'
import type { EmbeddedData } from '../../packs/embedded/embedded-data.ts'
import type { PackFolder } from '../../packs/pack-folder.ts'
import { openRasters } from '../../raster/rasters.ts'
import type { CatalogSnapshot } from './catalog-state.ts'
import { type FetchPlan, FetchPlans } from '../fetch-plan.ts'
import { SchemaChanges } from '../sources/schema-changes.ts'
import {
  createRegistryBuilder,
  type DatasetHandle,
  type SourceOption,
  type SourceRegistry,
} from '../sources/source-registry.ts'

/** Fields with all that they read, as records that can be sent to another thread. */
export type CatalogSubset = { fields: Field[]; datasets: SubsetDataset[] }

/** A dataset, the drivers of its options on this server, in order, and whether these are all options of the catalog. */
type SubsetDataset = { id: string; dataset: Dataset; drivers: DriverName[]; hasAllOptions: boolean }

/** Returns the subset of the catalog that these fields need. */
export function catalogSubsetOf(names: readonly string[], { catalog, registry }: CatalogSnapshot): CatalogSubset {
  const fields = new Map<string, Field>()
  const datasets = new Map<string, SubsetDataset>()
  const pending = [...names]
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const field = catalog.fields.get(name)
    if (!field || fields.has(name)) continue
    fields.set(name, field)
    for (const read of withNestedReads(field.read)) {
      const { id, dataset, options, hasAllOptions } = registry.dataset(read.dataset)
      datasets.set(id, { id, dataset, drivers: options.map(({ driver }) => driver), hasAllOptions })
      pending.push(...readInputsOf(read).filter((input) => typeof input === 'string'))
    }
  }
  return { fields: [...fields.values()], datasets: [...datasets.values()] }
}

/**
 * Whether each of the fields and of its inputs prefers embedded layers, functions or vector packs. Where they do not
 * reach, and for a fallback, a field may still need another source.
 */
export function isServedLocally(names: readonly string[], { fields, datasets }: CatalogSubset): boolean {
  const readOf = new Map(fields.map(({ name, read }) => [name, read]))
  const local = new Set(datasets.flatMap((it) => (it.drivers[0] && isLocal(it.drivers[0], it) ? it.id : [])))
  const isLocalRead = (read: ReadSpec): boolean => local.has(read.dataset) && readInputsOf(read).every(isLocalInput)
  const isLocalInput = (input: string | ReadSpec) =>
    typeof input === 'string' ? !readOf.has(input) || isLocalRead(readOf.get(input)!) : isLocalRead(input)
  return names.every((name) => isLocalRead(readOf.get(name)!))
}

/** Returns the datasets that vector packs serve. */
export function packDatasetsOf({ datasets }: CatalogSubset): ReadonlySet<string> {
  const served = datasets.filter((it) => it.drivers.some((driver) => driver === 'pack' && isLocal(driver, it)))
  return new Set(served.map(({ id }) => id))
}

/** Whether each thread can read the data of an option by itself, without waiting. */
function isLocal(driver: DriverName, { dataset: { shape } }: Pick<SubsetDataset, 'dataset'>): boolean {
  return driver === 'embedded' || driver === 'computed' || (driver === 'pack' && shape === 'features')
}

/** The data that every thread can read by itself. */
type LocalData = { embedded: EmbeddedData; packs: Pick<PackFolder, 'dataset'> }

/** The plan of fields, which reads local data only. */
export type LocalPlan = {
  plan: FetchPlan
  /** Returns the result of `work`, and the keys of the coordinates where a field needed a source that is not local. */
  withoutOtherData<T>(work: () => T): { result: T; needing: ReadonlySet<string> }
}

/** Returns the key of a coordinate. */
export function coordinateKey({ lat, lng }: Point): string {
  return `${lat} ${lng}`
}

/** Opens the plan of the fields of a subset of the catalog. */
export function openLocalPlan(fields: string[], subset: CatalogSubset, data: LocalData, now: () => Date): LocalPlan {
  const catalog = { ...emptyCatalog, fields: new Map(subset.fields.map((it) => [it.name, it])) }
  const localDatasets = subset.datasets.map(({ id, dataset }): [string, Dataset] => {
    return [id, { ...dataset, serve: dataset.serve.filter(({ driver }) => isLocal(driver, { dataset })) }]
  })
  const localRegistry = createLocalRegistryBuilder(data, now)({ ...catalog, datasets: new Map(localDatasets) })
  let needing = new Set<string>()
  const handles = new Map(subset.datasets.map((it) => [it.id, handleOf(it, localRegistry.dataset(it.id).options)]))
  const registry: SourceRegistry = { dataset: (id) => handles.get(id)!, datasets: () => handles.values() }
  return {
    plan: new FetchPlans(catalog, registry).select({ fields }, 'none'),
    withoutOtherData(work) {
      needing = new Set()
      return { result: work(), needing }
    },
  }

  /** The options of the dataset on this server, in order. Those that are not local only record that they are needed. */
  function handleOf({ id, dataset, drivers, hasAllOptions }: SubsetDataset, opened: SourceOption[]): DatasetHandle {
    const isOpened = (driver: DriverName) => isLocal(driver, { dataset })
    const local = (drivers.filter(isOpened).length === opened.length ? opened : []).values()
    const options = drivers.map((driver) => (isOpened(driver) && local.next().value) || otherOption(driver))
    const unavailableError = (at?: Point) => {
      if (at) needing.add(coordinateKey(at))
      return new UpstreamError('unsupported_request', `${dataset.title} (${id}) is not available in this thread.`)
    }
    return { id, dataset, options, hasAllOptions, unavailableError }
  }

  /**
   * An option whose data is not here. Each read of it is recorded, because a fallback or a further option could hide it.
   */
  function otherOption(driver: DriverName): SourceOption {
    const covers = (place: Point) => {
      needing.add(coordinateKey(place))
      return false
    }
    const source = () => Promise.reject(new Error('This data is not read here.'))
    return {
      driver,
      source,
      covers,
      vintage: null,
      remote: null,
      queryHistory: null,
      schemaChanges: new SchemaChanges(now),
    }
  }
}

function createLocalRegistryBuilder({ embedded, packs }: LocalData, now: () => Date) {
  const notHere = () => {
    throw new Error('Only local data is read here.')
  }
  const deps = {
    embedded,
    // Another thread reports what packs lack.
    packs: { dataset: packs.dataset.bind(packs), statesOf: () => [], statesVersion: 0 },
    net: null,
    rasters: openRasters({ startWorker: notHere }),
    parse: notHere,
    folder: '',
    runHourly: notHere,
    overpass: null,
    now,
  }
  return createRegistryBuilder(deps, { offline: true, keys: new Map() }, (source) => source)
}

const emptyCatalog: Catalog = {
  version: '',
  released: '',
  fields: new Map(),
  datasets: new Map(),
  presets: new Map(),
  synonyms: new Map(),
  looseSynonyms: new Set(),
  relatedFields: new Map(),
  presetsOf: () => [],
  fieldEvidence: new Map(),
  canaries: new Map(),
  fieldsPerRequestMax,
}
