import type { Catalog } from '../catalog/catalog.ts'
import { readInputsOf } from '../catalog/read-spec.ts'
import type { Field, ReadSpec } from '../catalog/records.ts'
import type { DatasetHandle, SourceOption, SourceRegistry } from './sources/source-registry.ts'

/** A catalog, and the sources of its datasets on this server. */
type FieldSources = { catalog: Pick<Catalog, 'fields'>; registry: SourceRegistry }

/** Whether fields are answered from data in memory and on disk alone. Cells of rasters are read by worker threads. */
export function areAnsweredLocally(fields: readonly Field[], { catalog, registry }: FieldSources): boolean {
  const isLocal = ({ remote, driver }: SourceOption, { dataset }: DatasetHandle) =>
    remote === null && (dataset.shape !== 'raster' || driver === 'embedded')
  const isReadLocally = (read: ReadSpec): boolean => {
    const handle = registry.dataset(read.dataset)
    return (
      handle.options.every((option) => isLocal(option, handle)) &&
      [...readsOfInputs(read, catalog), ...(read.fallback ?? [])].every(isReadLocally)
    )
  }
  return fields.every(({ read }) => isReadLocally(read))
}

/** Whether each field prefers local data. Where it does not reach, a field may still need another server. */
export function haveLocalSources(fields: readonly Field[], { catalog, registry }: FieldSources): boolean {
  const isReadLocally = (read: ReadSpec): boolean => {
    const [preferred] = registry.dataset(read.dataset).options
    if (!preferred) return (read.fallback ?? []).every(isReadLocally)
    return preferred.remote === null && readsOfInputs(read, catalog).every(isReadLocally)
  }
  return fields.every(({ read }) => isReadLocally(read))
}

/** The reads of the inputs: own ones, and those of other fields. The coordinate needs none. */
function readsOfInputs(read: ReadSpec, catalog: FieldSources['catalog']): ReadSpec[] {
  return readInputsOf(read)
    .filter((input) => input !== 'lat' && input !== 'lng')
    .map((input) => (typeof input === 'string' ? catalog.fields.get(input)!.read : input))
}
