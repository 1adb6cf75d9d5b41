import { andThen } from '../async/maybe-promise.ts'
import { readInputsOf, withNestedReads } from '../catalog/read-inputs.ts'
import type { Field, ReadSpec } from '../catalog/records.ts'
import type { FieldContext } from '../fetch/fetch.ts'
import type { DatasetHandle, SourceOption } from '../fetch/source-registry.ts'
import { ApiError } from '../model/error.ts'
import type { EmbeddedData } from '../packs/embedded-data.ts'
import { placeAt } from '../place/locate.ts'
import { artifactRowOfError, createRowOfOutcomes } from '../runs/artifact-row.ts'
import type { AnswerRow } from './block-answerer.ts'

/** Whether fields are answered from data in memory and on disk alone. Cells of rasters are read by worker threads. */
export function areAnsweredLocally(
  fields: Field[],
  { catalog, registry }: Pick<FieldContext, 'catalog' | 'registry'>,
): boolean {
  const isLocal = ({ remote, driver }: SourceOption, { dataset }: DatasetHandle) =>
    remote === null && (dataset.shape !== 'raster' || driver === 'embedded')
  const isReadLocally = (read: ReadSpec): boolean => {
    const handle = registry.dataset(read.dataset)
    return (
      handle.options.every((option) => isLocal(option, handle)) &&
      readInputsOf(read).every((input) => typeof input !== 'string' || isFieldLocal(input)) &&
      withNestedReads(read).every((nested) => nested === read || isReadLocally(nested))
    )
  }
  const isFieldLocal = (name: string) =>
    name === 'lat' || name === 'lng' || isReadLocally(catalog.fields.get(name)!.read)
  return fields.every(({ read }) => isReadLocally(read))
}

/** Whether each field prefers local data. Where it does not reach, a field may still need another server. */
export function haveLocalSources(
  fields: readonly Field[],
  { catalog, registry }: Pick<FieldContext, 'catalog' | 'registry'>,
): boolean {
  const isReadLocally = (read: ReadSpec): boolean => {
    const [preferred] = registry.dataset(read.dataset).options
    if (!preferred) return (read.fallback ?? []).every(isReadLocally)
    const isLocal = (input: string | ReadSpec) =>
      typeof input === 'string' ? isFieldLocal(input) : isReadLocally(input)
    return preferred.remote === null && readInputsOf(read).every(isLocal)
  }
  const isFieldLocal = (name: string) =>
    name === 'lat' || name === 'lng' || isReadLocally(catalog.fields.get(name)!.read)
  return fields.every(({ read }) => isReadLocally(read))
}

type Deps = Pick<FieldContext, 'plans' | 'log' | 'now'> & { embedded: Pick<EmbeddedData, 'layer'> }

/**
 * Creates a function that answers fields at coordinates from the data in memory and on disk, without an account, a
 * queue or a database.
 */
export function createLocalAnswers({ embedded, plans, ...context }: Deps, names: string[]): AnswerRow {
  const rowOfOutcomes = createRowOfOutcomes(names)
  const plan = plans.select({ fields: names }, 'none')
  const counties = () => embedded.layer('counties')
  const budget = { signal: new AbortController().signal }
  return ({ index, input }) => {
    const failed = (error: unknown) => artifactRowOfError(index, apiErrorOf(error, index), input, names)
    try {
      if (!('lat' in input)) throw new Error('Only coordinates are answered here.')
      const place = placeAt(counties, input)
      const row = andThen(plan.answer(place, budget, context), (outcomes) =>
        rowOfOutcomes({ index, lat: place.lat, lng: place.lng }, outcomes),
      )
      return row instanceof Promise ? row.catch(failed) : row
    } catch (error) {
      return failed(error)
    }
  }

  function apiErrorOf(error: unknown, index: number): ApiError {
    if (error instanceof ApiError) return error
    context.log.error('run_location_error', { index, error })
    return new ApiError('internal_error', 'An internal error occurred at this location.')
  }
}
