import type { Catalog } from '../catalog/catalog.ts'
import { readInputsOf, withNestedReads } from '../catalog/read-spec.ts'
import type { Dataset, Field } from '../catalog/records.ts'
import { UpstreamError } from '../model/error.ts'
import type { EmbeddedData } from '../packs/embedded-data.ts'
import { openRasters } from '../raster/rasters.ts'
import type { CatalogSnapshot } from './catalog-state.ts'
import { FetchPlans } from './fetch-plan.ts'
import { createRegistryBuilder, type DatasetHandle, type SourceRegistry } from './source-registry.ts'

/**
 * Fields with all that they read, as records that can be sent to another thread. `embedded` names the datasets that
 * only embedded layers and functions serve on this server.
 */
export type CatalogPart = { fields: Field[]; datasets: [id: string, dataset: Dataset][]; embedded: string[] }

/** Returns the part of the catalog that these fields need. */
export function catalogPartOf(names: readonly string[], { catalog, registry }: CatalogSnapshot): CatalogPart {
  const fields = new Map<string, Field>()
  const datasets = new Map<string, Dataset>()
  const pending = [...names]
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const field = catalog.fields.get(name)
    if (!field || fields.has(name)) continue
    fields.set(name, field)
    for (const read of withNestedReads(field.read)) {
      datasets.set(read.dataset, catalog.datasets.get(read.dataset)!)
      pending.push(...readInputsOf(read).filter((input) => typeof input === 'string'))
    }
  }
  const embedded = [...datasets.keys()].filter((id) => isEmbedded(registry.dataset(id)))
  return { fields: [...fields.values()], datasets: [...datasets], embedded }
}

/** Whether embedded data serves each of the fields. A fallback may still need another source. */
export function isServedByEmbedded(names: readonly string[], { fields, embedded }: CatalogPart): boolean {
  const served = new Set(embedded)
  return names.every((name) => served.has(fields.find((field) => field.name === name)!.read.dataset))
}

function isEmbedded({ options }: DatasetHandle): boolean {
  return options.length > 0 && options.every(({ driver }) => driver === 'embedded' || driver === 'computed')
}

/** The plans of a part of the catalog, which reads embedded data only. */
export type EmbeddedPlans = {
  plans: FetchPlans
  catalog: Catalog
  registry: SourceRegistry
  /** Returns the result of `work`; null if a field needed a dataset that is not embedded. */
  withoutOtherData<T>(work: () => T): T | null
}

/** Opens the plans of a part of the catalog. */
export function openEmbeddedPlans(part: CatalogPart, embedded: EmbeddedData, now: () => Date): EmbeddedPlans {
  const catalog = { ...emptyCatalog, fields: new Map(part.fields.map((it) => [it.name, it])) }
  const served = new Set(part.embedded)
  const servedDatasets = new Map(part.datasets.filter(([id]) => served.has(id)))
  const servedRegistry = createEmbeddedRegistryBuilder(embedded, now)({ ...catalog, datasets: servedDatasets })
  const others = new Map(part.datasets.filter(([id]) => !served.has(id)).map(([id, it]) => [id, handleOfOther(id, it)]))
  let isOtherNeeded = false
  const registry: SourceRegistry = {
    dataset: (id) => others.get(id) ?? servedRegistry.dataset(id),
    datasets: () => [...servedRegistry.datasets(), ...others.values()],
  }
  return {
    catalog,
    registry,
    plans: new FetchPlans(catalog, registry),
    withoutOtherData(work) {
      isOtherNeeded = false
      const result = work()
      return isOtherNeeded ? null : result
    },
  }

  /**
   * A dataset that is not here. Every read of it is recorded, because a fallback could replace an error.
   */
  function handleOfOther(id: string, dataset: Dataset): DatasetHandle {
    const unavailableError = () => {
      isOtherNeeded = true
      return new UpstreamError('unsupported_request', `${dataset.title} (${id}) is not available in this thread.`)
    }
    return { id, dataset, options: [], hasAllOptions: false, unavailableError }
  }
}

function createEmbeddedRegistryBuilder(embedded: EmbeddedData, now: () => Date) {
  const notHere = () => {
    throw new Error('Only embedded data is read here.')
  }
  const deps = {
    embedded,
    packs: null,
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
}
