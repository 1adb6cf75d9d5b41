import type { Budget } from '../../model/source.ts'
import type { HttpClient } from '../../net/http-client.ts'
import type { Raster } from '../../raster/raster.ts'
import type { Rasters } from '../../raster/rasters.ts'
import { createSingleFlight } from '../../async/single-flight.ts'
import type { AbsentReply } from '../rest/absent-reply.ts'
import { createHttpReader, type HttpReader } from './http-reader.ts'

/** A raster and the day on which its file last changed; null if the host does not state it. */
export type RemoteRaster = Raster & { modified: string | null }

const openMax = 64
const cacheMax_bytes = 128 * 1_048_576

/**
 * Opens raster files of a dataset and keeps the most recently used open. Returns null if the
 * host says, as `absent` declares, that there is no such file.
 */
export function createHttpRasterCache(
  net: HttpClient,
  rasters: Rasters,
  { absent, crs }: { absent: AbsentReply | undefined; crs: string | undefined },
): (url: string, budget: Budget) => Promise<RemoteRaster | null> {
  const cache = new Map<string, { reader: HttpReader; raster: RemoteRaster }>()
  const opening = createSingleFlight<RemoteRaster | null>()

  return async (url, budget) => {
    const cached = cache.get(url)
    if (!cached) return await opening.join(url, Infinity, budget, (flightBudget) => openRaster(url, flightBudget))
    cache.delete(url)
    cache.set(url, cached)
    evictOldest()
    return cached.raster
  }

  async function openRaster(url: string, budget: Budget): Promise<RemoteRaster | null> {
    const reader = await createHttpReader(net, url, { absent, onChange: () => cache.delete(url) }, budget)
    if (!reader) return null
    if (crs !== undefined) reader.crs = crs
    const raster = { ...(await rasters.open(reader, budget)), modified: reader.modified }
    cache.set(url, { reader, raster })
    evictOldest()
    return raster
  }

  function evictOldest(): void {
    let cached_bytes = [...cache.values()].reduce((sum, { reader }) => sum + reader.cached_bytes, 0)
    for (const [url, { reader }] of cache) {
      if (cache.size <= 1 || (cache.size <= openMax && cached_bytes <= cacheMax_bytes)) return
      cache.delete(url)
      cached_bytes -= reader.cached_bytes
    }
  }
}
