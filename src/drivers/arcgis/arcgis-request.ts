import { unexpectedResponse } from '../driver-errors.ts'
import { isRecord } from '../../model/record.ts'
import type { Budget } from '../../model/source.ts'
import { formCall } from '../../net/call.ts'
import type { Call, HttpClient } from '../../net/http-client.ts'
import { throwStructuredError } from '../rest/structured-error.ts'

/** The query parameters of the ArcGIS REST interface. */
export type ArcgisParameters = Record<string, string>

/**
 * Sends a request to an ArcGIS server and returns its JSON. Long requests, and those with a quote, are sent as a form:
 * some publishers refuse a quote in a URL with 403. Throws errors that ArcGIS returns with status 200.
 */
export async function requestArcgis(
  net: HttpClient,
  url: string,
  parameters: ArcgisParameters,
  budget: Budget,
): Promise<Record<string, unknown>> {
  const response = await net.fetchJson(createCall(url, { ...parameters, f: 'json' }), budget)
  throwStructuredError(response, arcgisNameOf(url))
  if (!isRecord(response)) throw unexpectedResponse(arcgisNameOf(url), 'a JSON object', response)
  return response
}

/** The host and layer of a URL, for error messages. */
export function arcgisNameOf(url: string): string {
  const { host, pathname } = new URL(url)
  return `${host} (${decodeURIComponent(pathname)
    .replace(/^.*\/services\//i, '')
    .replace(/\/query$/, '')})`
}

const maxUrlLength = 1800

/** A parsed reply takes ten times this memory. */
const replyMax_bytes = 12 * 1024 * 1024

function createCall(url: string, parameters: ArcgisParameters): Call {
  const query = new URLSearchParams(parameters).toString()
  const options = { deduplicate: true, cap_bytes: replyMax_bytes }
  if (url.length + 1 + query.length <= maxUrlLength && !/%2[27]|'/.test(query))
    return { url: `${url}?${query}`, hedge: true, ...options }
  return { ...formCall(url, parameters), ...options }
}
