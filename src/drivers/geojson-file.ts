import { parseGeoJsonGeometry } from '../geo/geometry.ts'
import { UpstreamError } from '../model/error.ts'
import { isRecord } from '../model/record.ts'
import type { Budget, FeatureQuery } from '../model/source.ts'
import { parseJsonBody } from '../net/content.ts'
import { statusError } from '../net/upstream-errors.ts'
import type { HttpClient, Reply } from '../net/http-client.ts'
import { defineDriver, t } from './driver.ts'
import { createFeatureIndex } from './feature-index.ts'
import { mapProperties } from './map-properties.ts'
import type { GeoFeature } from './nearest-features.ts'
import { staleWhileRevalidate } from './stale-while-revalidate.ts'
import { excerptOf } from './reply.ts'
import { endpointHostOf } from './rest-request.ts'

const fileMax_bytes = 64 * 1024 * 1024
const day_s = 86_400
const weeksBack = 2

/** A file of GeoJSON in degrees that is downloaded as a whole, and held. */
export const geojsonFileDriver = defineDriver({
  shapes: ['features'],
  config: t.Object({
    /** `{YYYYMMDD}` is the newest Tuesday of which there is a file. */
    asset: t.String({ pattern: '^https?://' }),
    /** Attributes by the member they are taken from. */
    attribute_map: t.Optional(t.Record(t.String(), t.String())),
    refresh_seconds: t.Optional(t.Integer()),
    note: t.Optional(t.String()),
  }),
  open({ asset, attribute_map, refresh_seconds = day_s }, _shape, { net, now }) {
    if (net === null) return null
    const host = endpointHostOf(asset)
    const loadIndex = staleWhileRevalidate(
      async (budget) =>
        createFeatureIndex(parseFeatures(await fetchNewestFile(asset, net, now(), budget), attribute_map, host)),
      refresh_seconds,
      now,
    )
    const source = async (query: FeatureQuery, budget: Budget) => (await loadIndex(budget))(query)
    return { source, vintage: null, remote: { host, cachesItself: true } }
  },
})

/** The file; of a weekly one the newest that is there, at most two weeks back. */
async function fetchNewestFile(asset: string, net: HttpClient, now: Date, budget: Budget): Promise<Reply> {
  const host = endpointHostOf(asset)
  for (const date of asset.includes('{YYYYMMDD}') ? recentTuesdays(now) : ['']) {
    const reply = await net.send(
      {
        url: asset.replace('{YYYYMMDD}', date),
        cap_bytes: fileMax_bytes,
        ...(date !== '' && { acceptedStatuses: [404] }),
      },
      budget,
    )
    if (reply.status !== 404) return reply
  }
  throw statusError(404, host)
}

/** This week's Tuesday and the ones before it, as YYYYMMDD. */
function recentTuesdays(now: Date): string[] {
  const sinceTuesday = (now.getUTCDay() + 5) % 7
  return Array.from({ length: weeksBack + 1 }, (_, week) => {
    const date = new Date(now)
    date.setUTCDate(date.getUTCDate() - sinceTuesday - 7 * week)
    return date.toISOString().slice(0, 10).replaceAll('-', '')
  })
}

function parseFeatures(reply: Reply, attribute_map: Record<string, string> | undefined, host: string): GeoFeature[] {
  const file = parseJsonBody(reply, host)
  if (!isRecord(file) || !Array.isArray(file.features))
    throw new UpstreamError('bad_response', `${host} gave ${excerptOf(file)}, where a list of features was expected.`)
  return file.features.map((feature: unknown) => {
    if (!isRecord(feature))
      throw new UpstreamError('bad_response', `${host} gave ${excerptOf(feature)}, where a feature was expected.`)
    return {
      geometry: parseGeoJsonGeometry(feature.geometry),
      properties: mapProperties(feature.properties, attribute_map),
    }
  })
}
