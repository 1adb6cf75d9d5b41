import type { Budget, Feature, FeatureQuery, Grid, RasterQuery } from '../../model/source.ts'
import { andThen, type MaybePromise } from '../../async/maybe-promise.ts'
import type { DatasetHandle, SourceOption, SourceRegistry } from './source-registry.ts'

/** A query that was sent for one field, and its answer. */
export type RecordedQuery = { dataset: string } & (
  { shape: 'features'; query: FeatureQuery; features: Feature[] } | { shape: 'raster'; query: RasterQuery; grid: Grid }
)

/** How many cells a local raster is read around the point, so that there is a patch to draw. */
const patchReach_cells = 3
/** Counted features are drawn only up to this number. */
const countedFeaturesMax = 100

/**
 * Returns a registry whose sources also return geometry, and record their queries. It has no source that bills its
 * calls, and no dataset whose terms do not allow its shapes. Documents are not recorded, because they have no shapes.
 */
export function recordQueries(registry: SourceRegistry): Recording {
  const recording = { recorded: [], withheld: new Set<string>() }
  return { ...recording, registry: { dataset, datasets: () => [...registry.datasets()].map(({ id }) => dataset(id)) } }

  function dataset(id: string): DatasetHandle {
    const handle = registry.dataset(id)
    const { withholds_geometry: isWithheld = false, shape } = handle.dataset
    const options = handle.options.filter(({ remote }) => !isWithheld && !remote?.metered)
    if (options.length < handle.options.length) recording.withheld.add(id)
    return {
      ...handle,
      options:
        shape === 'document' ? options : options.map((option) => recordingOption(option, handle, recording.recorded)),
    }
  }
}

/** `withheld`: the datasets with a source that was left out. */
type Recording = { registry: SourceRegistry; recorded: RecordedQuery[]; withheld: ReadonlySet<string> }

function recordingOption(option: SourceOption, handle: DatasetHandle, recorded: RecordedQuery[]): SourceOption {
  const send = option.source as (query: object, budget: Budget) => MaybePromise<unknown>
  const source =
    handle.dataset.shape === 'features'
      ? (query: FeatureQuery, budget: Budget) =>
          andThen(send(withGeometry(query, option), budget), (features) => {
            recorded.push({ dataset: handle.id, shape: 'features', query, features: features as Feature[] })
            return features
          })
      : (query: RasterQuery, budget: Budget) =>
          andThen(send(withPatch(query, option), budget), (grid) => {
            recorded.push({ dataset: handle.id, shape: 'raster', query, grid: grid as Grid })
            return grid
          })
  return { ...option, source, queryHistory: null }
}

/** A remote source counts without sending the features, and stays so. */
function withGeometry({ count_only, ...query }: FeatureQuery, { remote }: SourceOption): FeatureQuery {
  if (!count_only) return { ...query, with_geometry: true }
  return remote ? { ...query, count_only } : { ...query, limit: countedFeaturesMax, with_geometry: true }
}

function withPatch(query: RasterQuery, { remote }: SourceOption): RasterQuery {
  return remote ? query : { ...query, radius_cells: Math.max(query.radius_cells, patchReach_cells) }
}
