import type { Budget } from '../model/source.ts'
import type { HttpClient } from '../net/http-client.ts'
import type { Raster } from '../raster/raster.ts'
import type { Rasters } from '../raster/rasters.ts'
import { createSharedWork } from '../async/shared-work.ts'
import { openHttpReader, type HttpReader } from './http-reader.ts'

const openMax = 64
const heldMax_bytes = 128 * 1_048_576

/** Opens the raster files of a dataset, and keeps those that were used last open. Null for a file that is not there and may be missing. */
export function openHttpRasters(net: HttpClient, rasters: Rasters, { mayMiss, crs }: { mayMiss: boolean; crs: string | undefined }): (url: string, budget: Budget) => Promise<Raster | null> {
  const opened = new Map<string, { reader: HttpReader; raster: Raster }>()
  const underWay = createSharedWork<Raster | null>()

  return async (url, budget) => {
    const known = opened.get(url)
    if (!known) return await underWay(url, budget, () => open(url, budget))
    opened.delete(url)
    opened.set(url, known)
    makeRoom()
    return known.raster
  }

  async function open(url: string, budget: Budget): Promise<Raster | null> {
    const reader = await openHttpReader(net, url, { mayMiss, onChange: () => opened.delete(url) }, budget)
    if (!reader) return null
    if (crs !== undefined) reader.crs = crs
    const raster = await rasters.open(reader, budget)
    opened.set(url, { reader, raster })
    makeRoom()
    return raster
  }

  function makeRoom(): void {
    let held_bytes = [...opened.values()].reduce((sum, { reader }) => sum + reader.held_bytes, 0)
    for (const [url, { reader }] of opened) {
      if (opened.size <= 1 || (opened.size <= openMax && held_bytes <= heldMax_bytes)) return
      opened.delete(url)
      held_bytes -= reader.held_bytes
    }
  }
}
