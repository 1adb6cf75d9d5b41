import { join } from 'node:path'

/** What a generator is told. `first`: the number of its first place, so that no two ask about the same. */
export type Order = {
  url: string
  path: string
  asking: keyof typeof bodies
  per_s: number
  seconds: number
  seed: number
  token: string
  first: number
}

/** What came of it. `good`: locations answered with nothing failed. */
export type Outcome = {
  offered: number
  good: number
  refused: number
  other: number
  good_ms: number[]
  refused_ms: number[]
  statuses: Record<number, number>
}

/** What is asked, by the number of its place. */
export const bodies = {
  /** Two fields of two hosts. */
  sources: (i: number) => ({ ...placeOf(i), fields: ['in_opportunity_zone', 'pm25_current_ug_m3'] }),
  /** What is compiled in, 25 times. */
  embedded: (i: number) => ({
    locations: Array.from({ length: 25 }, (_none, n) => placeOf(25 * i + n)),
    preset: 'place_context',
  }),
  hanging: (i: number) => ({ ...placeOf(i), fields: ['fema_flood_zone'] }),
}

/** How many locations of an answer are good. */
export function goodIn(body: string): number {
  if (!body.startsWith('{"fetched_at"')) return body.includes('"partial_failures":[]') ? 1 : 0
  return body.split('"partial_failures":[]').length - 1
}

/** Loads a service as it is ordered, from a process of its own. */
export async function orderedLoad(order: Order): Promise<Outcome> {
  const child = Bun.spawn(
    [process.execPath, '--no-env-file', join(import.meta.dir, 'generator.ts'), JSON.stringify(order)],
    { stdout: 'pipe', stderr: 'inherit' },
  )
  return JSON.parse(await new Response(child.stdout).text()) as Outcome
}

/** Places of Kansas, some metres apart. */
function placeOf(i: number): { lat: number; lng: number } {
  return { lat: 38.2 + 0.0003 * (i % 2_000), lng: -98.2 + 0.0003 * Math.floor(i / 2_000) }
}
