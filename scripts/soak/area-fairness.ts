import { atMost, type Finding } from './finding.ts'
import { addAccount, startService, type ServiceProcess } from './service-process.ts'

/** The requests that one account keeps open. */
const floodRequests = 24
const rounds = 3
/** How many times longer an area may take while another account floods. */
const slowdownMax = 1.25
/** The answers of each round, alone and beside the flood. */
const answers = 5
const [lng, lat] = [-105, 39.74]

/** A star: all of its edges lie side by side. */
function star(vertices: number, size: number): object {
  const ring = Array.from({ length: vertices }, (_, i) => {
    const angle = (2 * Math.PI * i) / vertices
    const radius = i % 2 === 0 ? size : size / 10
    return [lng + radius * Math.cos(angle), lat + 0.8 * radius * Math.sin(angle)]
  })
  return { type: 'Polygon', coordinates: [[...ring, ring[0]]] }
}

const hostileArea = { geometry: star(9_998, 0.3), fields: ['county', 'timezone', 'state'] }
/** The areas of the other account: a circle, a county, a polygon and a corridor for the overlay threads. */
const areas: Record<string, object> = {
  'circle of 500 m': { around: { lat, lng, radius_m: 500 }, fields: ['county'] },
  county: { county_fips: '08031', fields: ['county', 'timezone'] },
  'star of 2,000 positions': { geometry: star(2_000, 0.05), fields: ['county'] },
  'corridor of 100 turns': {
    corridor: {
      line: {
        type: 'LineString',
        coordinates: Array.from({ length: 100 }, (_, i) => [lng + 0.0001 * i, lat + 0.0005 * (i % 2)]),
      },
      width_m: 1_000,
    },
    fields: ['county'],
  },
}

/** Measures how much the areas of one account slow those of another one. */
export async function soakAreaFairness(): Promise<Finding[]> {
  const tokens: string[] = []
  const it = await startService({ FIELDSTONE_OFFLINE: '1', FIELDSTONE_AUTH: 'on' }, (data) =>
    tokens.push(addAccount(data, 'a'), addAccount(data, 'b')),
  )
  try {
    const [a = '', b = ''] = tokens
    const findings: Finding[] = []
    for (const [name, area] of Object.entries(areas)) {
      const took: Record<'alone' | 'beside', number[]> = { alone: [], beside: [] }
      const ask = async (when: 'alone' | 'beside') => {
        for (let i = 0; i < answers; i++) took[when].push(await answer_ms(it, b, area))
      }
      for (let round = 0; round < rounds; round++) {
        await ask('alone')
        await withFlood(it, a, () => ask('beside'))
      }
      const [alone_ms, beside_ms] = [median(took.alone), median(took.beside)]
      const what = `${name}: time while another account floods / alone (${Math.round(alone_ms)} ms)`
      findings.push(atMost('P15', what, beside_ms / alone_ms, slowdownMax))
    }
    return findings
  } finally {
    await it.stop()
  }
}

/** Runs something while an account keeps hostile areas open, from the first answer to one of them on. */
async function withFlood(it: ServiceProcess, token: string, use: () => Promise<unknown>): Promise<void> {
  const ending = new AbortController()
  const { promise: begun, resolve } = Promise.withResolvers<void>()
  const senders = Array.from({ length: floodRequests }, async () => {
    while (!ending.signal.aborted)
      await post(it, token, hostileArea, ending.signal).then(
        () => resolve(),
        () => {},
      )
  })
  await begun
  await use()
  ending.abort()
  await Promise.all(senders)
}

/** Returns how long an answer takes. @throws if it has no value. */
async function answer_ms(it: ServiceProcess, token: string, area: object): Promise<number> {
  const began_ms = performance.now()
  const text = await post(it, token, area)
  if (!text.includes('"status":"ok"')) throw new Error(`The area has no value: ${text.slice(0, 200)}`)
  return performance.now() - began_ms
}

async function post(it: ServiceProcess, token: string, body: object, signal?: AbortSignal): Promise<string> {
  const response = await fetch(new URL('/v1/areas', it.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  })
  return response.text()
}

function median(values: readonly number[]): number {
  return values.toSorted((x, y) => x - y)[values.length >> 1]!
}
