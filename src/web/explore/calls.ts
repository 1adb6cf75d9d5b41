import type { Point } from '../map/point.ts'
import { bodyOf, selectionOf, type Wanted } from './wanted.ts'

type Call = { path: string; body: Record<string, unknown> }

/** What was asked, as a program would ask it. */
export function callOf(places: readonly Point[], wanted: Pick<Wanted, 'preset' | 'fields'>): Call {
  if (places.length === 1) return { path: '/v1/fetch', body: bodyOf(places[0]!, wanted) }
  return {
    path: '/v1/fetch/batch',
    body: { locations: places.map(({ lat, lng }) => ({ lat, lng })), ...selectionOf(wanted) },
  }
}

/** For a shell. `isOpen`: this server asks for no token. */
export function curlOf({ path, body }: Call, origin: string, isOpen: boolean): string {
  const token = isOpen ? [] : ['-H "Authorization: Bearer $FIELDSTONE_TOKEN"']
  return [
    `curl -s ${origin}${path}`,
    ...token,
    "-H 'Content-Type: application/json'",
    `-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`,
  ].join(' \\\n  ')
}

/** For TypeScript and JavaScript. */
export function typescriptOf({ path, body }: Call, origin: string, isOpen: boolean): string {
  const headers = isOpen
    ? "{ 'Content-Type': 'application/json' }"
    : "{ Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }"
  const result = path.endsWith('/batch') ? 'results' : 'fields'
  const token = isOpen ? '' : "const token = 'fst_pat_…' // one of yours\n"
  return `${token}const response = await fetch('${origin}${path}', {
  method: 'POST',
  headers: ${headers},
  body: JSON.stringify(${JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')}),
})
const { ${result} } = await response.json()`
}
