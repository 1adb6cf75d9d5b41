import {
  createConformanceCheck,
  withoutReferences,
  type OpenApi,
  type OpenApiOperation,
} from '../../test/http/conformance.ts'
import { randomOf } from '../bench/random.ts'
import { atLeast, atMost, type Finding } from './finding.ts'
import { generateBody, generateText, oneOf } from './generate-bodies.ts'
import { startService, type ServiceProcess } from './service-process.ts'

const lanes = 8
/** Maximum duration of a request. */
const slow_ms = 2_000
const ids = ['run_01ARZ3NDEKTSV4RRFFQ69G5FAV', 'run_', '..%2f..', '%00', 'x', 'tok_1', '__proto__', 'csv', 'geojson']

/**
 * Sends requests generated from the OpenAPI document, most of them damaged, and checks that no answer breaks its
 * contract.
 */
export async function soakInterface(cases = 20_000, seed = Math.floor(Math.random() * 1e9)): Promise<Finding[]> {
  console.error(`${cases} requests generated from the OpenAPI document, seed ${seed}`)
  const it = await startService({ FIELDSTONE_OFFLINE: '1' })
  try {
    const answer = await fetch(new URL('/v1/openapi.json', it.url))
    const document = withoutReferences((await answer.json()) as OpenApi)
    const { violations, faults, slow, seen, well } = await send(it, document, cases, randomOf(seed))
    for (const line of violations.slice(0, 20)) console.error(line)
    return [
      atLeast(
        'P40',
        'operations requested',
        seen.size,
        Object.values(document.paths).flatMap((path) => Object.keys(path)).length,
      ),
      // If validation rejected every request, nothing behind it would be tested.
      atLeast('P40', 'share of requests answered with success', well / cases, 0.1),
      atMost(
        'P40',
        `answers, of ${cases}, that break the OpenAPI document or show a source path`,
        violations.length,
        0,
      ),
      atMost('P40', 'answers with a bug (5xx, internal_error)', faults, 0),
      atMost('P40', `requests that took more than ${slow_ms} ms`, slow, 0),
    ]
  } finally {
    await it.stop()
  }
}

async function send({ url }: ServiceProcess, document: OpenApi, cases: number, random: () => number) {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  const conforms = createConformanceCheck(document)
  const found = { violations: [] as string[], faults: 0, slow: 0, well: 0, seen: new Set<string>() }
  let next = 0
  const lane = async () => {
    while (next < cases) {
      const { path, method, operation } = operations[next++ % operations.length]!
      found.seen.add(`${method} ${path}`)
      await one(path, method, operation)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return found

  async function one(path: string, method: string, { requestBody }: OpenApiOperation): Promise<void> {
    const target = path.replace(/\{\w+\}/g, () => oneOf(ids, random))
    const media = Object.entries(requestBody?.content ?? {})
    const [type = 'application/json', { schema } = { schema: {} }] = media.length === 0 ? [] : oneOf(media, random)
    const text =
      method === 'GET' || method === 'DELETE' ? undefined : generateText(generateBody(schema, random), random)
    const begun = performance.now()
    const response = await fetch(new URL(target + queryOf(random), url), {
      method,
      headers: { 'content-type': type },
      ...(text !== undefined && { body: text }),
      signal: AbortSignal.timeout(30_000),
      redirect: 'manual',
      decompress: false,
    })
    const copy = await response.clone().text()
    if (performance.now() - begun > slow_ms) found.slow++
    if (response.ok) found.well++
    if (
      (response.status >= 500 &&
        !/"(geocode_unavailable|geocoder_not_configured|ask_unavailable|fetch_busy)"/.test(copy)) ||
      copy.includes('"error":"internal_error')
    )
      found.faults++
    await conforms(method, target, response).catch((error: unknown) =>
      found.violations.push(`${String(error)}\n  sent: ${text?.slice(0, 500)}`),
    )
  }
}

function queryOf(random: () => number): string {
  return random() < 0.8
    ? ''
    : `?${oneOf(['limit', 'cursor', 'kind', 'fields', 'preset', 'x', '%00'], random)}=${oneOf(['1', '-1', '1e9', '%', '%ff', 'county', 'fetch_batch', '__proto__'], random)}`
}
