import type { YieldToEventLoop } from '../async/yield-to-event-loop.ts'
import type { Field } from '../catalog/records.ts'
import type { DatasetHandle } from '../fetch/source-registry.ts'
import { UpstreamError } from '../model/error.ts'
import type { Budget } from '../model/source.ts'
import type { QueryArea } from './area-geometry.ts'
import type { AreaEvaluation } from './area-values.ts'
import type { AreaCoverage } from './coverage.ts'
import { lineOutcome } from './line-samples.ts'
import { rasterOutcome, type RasterRead } from './raster-outcome.ts'

type Deps = {
  area: QueryArea
  coverage: AreaCoverage
  budget: Budget
  now: Date
  yieldToEventLoop: YieldToEventLoop
}

/** Reads the cells of the first option that has any, or samples them along lines. */
export async function evaluateRaster(
  field: Field,
  handle: DatasetHandle,
  { area, coverage, budget, now, yieldToEventLoop }: Deps,
): Promise<AreaEvaluation> {
  const read = field.read as RasterRead
  const { regions } = handle.dataset.coverage
  for (const option of handle.options) {
    const cells = option.cellsAt?.({ at: area.point }) ?? null
    if (!cells) continue
    const origin = { handle, option }
    if (area.kind === 'line') {
      const { covers } = await coverage.lineCoverage(regions, null)
      const query = { at: area.point, key: null, inputs: {}, now }
      return { outcome: await lineOutcome(field, { read, option, query, budget }, area, covers), origin }
    }
    const rings = await coverage.ringsWithin(area, regions, null)
    const covered = { area, within: area.overlay.toPaths(rings), within_m2: area.overlay.area_m2(rings) }
    return { outcome: await rasterOutcome(field, { read, cells }, covered, { budget, yieldToEventLoop }), origin }
  }
  throw noOptionError(handle)
}

/** No option can answer about an area: either none is available, or only services that are asked about points. */
export function noOptionError({ id, dataset, options, unavailableError }: DatasetHandle): UpstreamError {
  if (options.length === 0) return unavailableError()
  return new UpstreamError(
    'unsupported_request',
    `${dataset.title} (${id}) is available on this server only for points.${dataset.serve.some(({ driver }) => driver === 'pack') ? ' To get a value for an area, install its pack. See /guide/packs-and-offline#download-a-pack.' : ''}`,
  )
}
