import { UpstreamError } from '../model/error.ts'
import { isRecord } from '../model/record.ts'
import type { Budget } from '../model/source.ts'
import type { Call, HttpClient } from '../net/http-client.ts'
import { refuseError } from './structured-error.ts'

/** What is asked of an ArcGIS server, by the names of its REST interface. */
export type Parameters = Record<string, string>

/** The answer of an ArcGIS server in JSON; a long question goes as a form. Throws for the errors that it answers with status 200. */
export async function askArcgis(net: HttpClient, url: string, parameters: Parameters, budget: Budget): Promise<Record<string, unknown>> {
  const answer = await net.fetchJson(callOf(url, new URLSearchParams({ ...parameters, f: 'json' }).toString()), budget)
  refuseError(answer, nameOf(url))
  if (!isRecord(answer)) throw new UpstreamError('bad_response', `${nameOf(url)} answered with JSON that is no object.`)
  return answer
}

/** The host and the layer of an address, for a message. */
export function nameOf(url: string): string {
  const { host, pathname } = new URL(url)
  return `${host} (${decodeURIComponent(pathname).replace(/^.*\/services\//i, '').replace(/\/query$/, '')})`
}

const longestAddress = 1800

function callOf(url: string, form: string): Call {
  if (url.length + 1 + form.length <= longestAddress) return { url: `${url}?${form}`, hedge: true, deduplicate: true }
  return { url, method: 'POST', body: form, deduplicate: true, headers: { 'content-type': 'application/x-www-form-urlencoded' } }
}
