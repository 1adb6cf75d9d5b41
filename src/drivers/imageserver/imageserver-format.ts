import { UpstreamError, schemaChangedError } from '../../model/error.ts'
import type { HttpClient } from '../../net/http-client.ts'
import { requestImageServer } from './imageserver-request.ts'
import { formatInWords, missingFormatOf, type PixelFormat, type StatedFormat } from '../raster/pixel-format.ts'

const describedFor_ms = 86_400_000
const failedFor_ms = 600_000
const readTimeout_ms = 3_000

/** Throws `schema_changed` if a service no longer states the format. */
export type RequireFormat = (service: string) => Promise<void>

type Description = { stated: Promise<StatedFormat>; expires_ms: number }

/**
 * Creates the check of the format of image services. It reads the description of each service once a day. A description
 * that cannot be read changes nothing.
 */
export function createFormatCheck(expected: PixelFormat | undefined, net: HttpClient, now: () => Date): RequireFormat {
  const descriptions = new Map<string, Description>()
  return async (service) => {
    if (!expected) return
    const stated = await formatOf(service)
    const missing = missingFormatOf(expected, stated)
    if (missing.length > 0) throw schemaChangedError(missing, formatInWords(stated))
  }

  function formatOf(service: string): Promise<StatedFormat> {
    const time_ms = now().getTime()
    const known = descriptions.get(service)
    if (known && time_ms < known.expires_ms) return known.stated
    const description: Description = { stated: Promise.resolve({}), expires_ms: time_ms + describedFor_ms }
    description.stated = describe(net, service).catch((error: unknown) => {
      if (!(error instanceof UpstreamError) && (error as Error).name !== 'TimeoutError') throw error
      description.expires_ms = time_ms + failedFor_ms
      return {}
    })
    descriptions.set(service, description)
    return description.stated
  }
}

async function describe(net: HttpClient, service: string): Promise<StatedFormat> {
  const call = { url: `${service}?f=json` }
  const { pixelType, bandCount } = await requestImageServer(net, call, { signal: AbortSignal.timeout(readTimeout_ms) })
  return {
    ...(typeof pixelType === 'string' && { type: pixelType }),
    ...(typeof bandCount === 'number' && { bands: bandCount }),
  }
}
