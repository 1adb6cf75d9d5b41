import type { QueryBox } from '../../geo/boxes.ts'
import type { Budget } from '../../model/source.ts'
import { readJsonBody } from '../../net/content.ts'
import { statusError } from '../../net/upstream-errors.ts'
import type { HttpClient, Reply } from '../../net/http-client.ts'
import { defineDriver, t } from '../driver.ts'
import { matchedNumberOf, parseGeoJsonFeatures } from './geojson-features.ts'
import { createListHarvester } from '../rest/list-harvest.ts'
import { mapProperties } from '../imageserver/map-properties.ts'
import { readNewestLastModified } from '../rest/reply-dates.ts'
import { openWholeList } from './whole-list.ts'
import { endpointHostOf } from '../rest/rest-request.ts'

const fileMax_bytes = 20 * 1024 * 1024
const weeksBack = 2

/** A GeoJSON file in degrees that is downloaded completely and kept in memory. */
export const geojsonFileDriver = defineDriver({
  shapes: ['features'],
  config: t.Object({
    /** The URL. `{YYYYMMDD}` becomes the newest Tuesday for which a file exists. */
    asset: t.String({ pattern: '^https?://' }),
    /** Attribute names to the paths of their members. */
    attribute_map: t.Optional(t.Record(t.String(), t.String())),
    refresh_seconds: t.Optional(t.Integer()),
    note: t.Optional(t.String()),
  }),
  open({ asset, attribute_map, refresh_seconds }, _shape, { net, now, parse }) {
    if (net === null) return null
    const host = endpointHostOf(asset)
    return openWholeList({ host, refresh_seconds, now }, async (budget) => {
      const { bytes, headers } = await fetchNewestFile(asset, net, now(), budget)
      const contentType = headers.get('content-type') ?? ''
      return parse('features', { bytes, contentType, host, attributes: attribute_map }, budget)
    })
  },
  harvest({ asset, attribute_map }, { net, now }) {
    const host = endpointHostOf(asset)
    const requestList = async (_box: QueryBox, budget: Budget) => {
      const document = await readJsonBody(await fetchNewestFile(asset, net, now(), budget), host)
      const features = parseGeoJsonFeatures(document, host, (properties) => mapProperties(properties, attribute_map))
      return { features, isTruncated: false, total: matchedNumberOf(document) }
    }
    return {
      ...createListHarvester(host, requestList, { isWhole: true }),
      lastEdit: (_boxes, budget) =>
        readNewestLastModified(net, [(client) => fetchNewestFile(asset, client, now(), budget)]),
    }
  },
})

/** Fetches the file; of a weekly file the newest, at most two weeks old. */
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

/** The latest Tuesday and those before it, as YYYYMMDD. */
function recentTuesdays(now: Date): string[] {
  const sinceTuesday = (now.getUTCDay() + 5) % 7
  return Array.from({ length: weeksBack + 1 }, (_, week) => {
    const date = new Date(now)
    date.setUTCDate(date.getUTCDate() - sinceTuesday - 7 * week)
    return date.toISOString().slice(0, 10).replaceAll('-', '')
  })
}
