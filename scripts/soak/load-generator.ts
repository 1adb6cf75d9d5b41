import { join } from 'node:path'

/** The parameters of a load generator. `first` is the number of its first location, so that no two use the same. */
export type LoadOptions = {
  url: string
  path: string
  asking: keyof typeof requestBodies
  per_s: number
  seconds: number
  seed: number
  token: string
  first: number
}

/** The results. `good` counts locations answered without a failed field. */
export type LoadResult = {
  offered: number
  good: number
  refused: number
  other: number
  good_ms: number[]
  refused_ms: number[]
  statuses: Record<number, number>
}

/** Request bodies, by the number of the location. */
export const requestBodies = {
  /** Two fields from two hosts. */
  sources: (i: number) => ({ ...placeOf(i), fields: ['in_opportunity_zone', 'pm25_current_ug_m3'] }),
  /** Embedded fields at 25 locations. */
  embedded: (i: number) => ({
    locations: Array.from({ length: 25 }, (_none, n) => placeOf(25 * i + n)),
    preset: 'place_context',
  }),
  hanging: (i: number) => ({ ...placeOf(i), fields: ['fema_flood_zone'] }),
}

/** Counts the good locations of an answer. */
export function countGoodLocations(body: string): number {
  if (!body.startsWith('{"fetched_at"')) return body.includes('"partial_failures":[]') ? 1 : 0
  return body.split('"partial_failures":[]').length - 1
}

/** Runs a load generator in its own process. */
export async function runLoadGenerator(order: LoadOptions): Promise<LoadResult> {
  const child = Bun.spawn(
    [process.execPath, '--no-env-file', join(import.meta.dir, 'generator.ts'), JSON.stringify(order)],
    { stdout: 'pipe', stderr: 'inherit' },
  )
  return JSON.parse(await new Response(child.stdout).text()) as LoadResult
}

/** Returns locations in Kansas, some metres apart. */
function placeOf(i: number): { lat: number; lng: number } {
  return { lat: 38.2 + 0.0003 * (i % 2_000), lng: -98.2 + 0.0003 * Math.floor(i / 2_000) }
}
