import type { Point } from '../../model/place.ts'
import { fetchBodyOf, selectionOf, type ExploreQuery } from './explore-query.ts'

type ApiCall = { path: string; body: Record<string, unknown> }

/** Returns the API request that fetches the shown fields. */
export function apiCallOf(places: readonly Point[], query: Pick<ExploreQuery, 'preset' | 'fields'>): ApiCall {
  if (places.length === 1) return { path: '/v1/fetch', body: fetchBodyOf(places[0]!, query) }
  return {
    path: '/v1/fetch/batch',
    body: { locations: places.map(({ lat, lng }) => ({ lat, lng })), ...selectionOf(query) },
  }
}

/** Returns the request as a shell command. `needsNoToken` leaves the Authorization header out. */
export function curlCommand({ path, body }: ApiCall, origin: string, needsNoToken: boolean): string {
  const token = needsNoToken ? [] : ['-H "Authorization: Bearer $FIELDSTONE_TOKEN"']
  return [
    `curl -s ${origin}${path}`,
    ...token,
    "-H 'Content-Type: application/json'",
    `-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`,
  ].join(' \\\n  ')
}

/** Returns the request as TypeScript, which is also valid JavaScript. */
export function typescriptSnippet({ path, body }: ApiCall, origin: string, needsNoToken: boolean): string {
  const headers = needsNoToken
    ? "{ 'Content-Type': 'application/json' }"
    : "{ Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }"
  const result = path.endsWith('/batch') ? 'results' : 'fields'
  const token = needsNoToken ? '' : "const token = 'fst_pat_…' // your API token\n"
  return `${token}const response = await fetch('${origin}${path}', {
  method: 'POST',
  headers: ${headers},
  body: JSON.stringify(${JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')}),
})
const { ${result} } = await response.json()`
}
