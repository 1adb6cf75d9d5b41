import { UpstreamError } from '../model/error.ts'
import { isRecord } from '../model/record.ts'
import type { Budget } from '../model/source.ts'
import type { Call, HttpClient } from '../net/http-client.ts'
import { throwStructuredError } from './structured-error.ts'

/** What is asked of an ArcGIS server, by the names of its REST interface. */
export type ArcgisParameters = Record<string, string>

/** The answer of an ArcGIS server in JSON; a long question goes as a form. Throws for the errors that it answers with status 200. */
export async function requestArcgis(
  net: HttpClient,
  url: string,
  parameters: ArcgisParameters,
  budget: Budget,
): Promise<Record<string, unknown>> {
  const response = await net.fetchJson(
    createCall(url, new URLSearchParams({ ...parameters, f: 'json' }).toString()),
    budget,
  )
  throwStructuredError(response, arcgisNameOf(url))
  if (!isRecord(response))
    throw new UpstreamError('bad_response', `${arcgisNameOf(url)} answered with JSON that is no object.`)
  return response
}

/** The host and the layer of an address, for a message. */
export function arcgisNameOf(url: string): string {
  const { host, pathname } = new URL(url)
  return `${host} (${decodeURIComponent(pathname)
    .replace(/^.*\/services\//i, '')
    .replace(/\/query$/, '')})`
}

const maxUrlLength = 1800

function createCall(url: string, formBody: string): Call {
  if (url.length + 1 + formBody.length <= maxUrlLength)
    return { url: `${url}?${formBody}`, hedge: true, deduplicate: true }
  return {
    url,
    method: 'POST',
    body: formBody,
    deduplicate: true,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  }
}
