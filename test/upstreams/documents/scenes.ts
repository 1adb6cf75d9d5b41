import type { Point } from '../../../src/model/place.ts'
import { isRecord } from '../../../src/model/record.ts'
import type { ReceivedRequest } from '../service.ts'
import type { PlaceName } from '../test-places.ts'
import { testPlaceAt } from './place-at.ts'

// Synthetic: a scene of each place every five days, every third of them clouded over; greenness grows from one value to
// another in 2023.

/** One pass of the satellite over a place, and what it saw at the place: reflectances, and the class of the scene. */
export type TestScene = {
  id: string
  date: Date
  tile: string
  cloud: number
  baseline: string
  red: number
  nir: number
  scl: number
}

/**
 * The greenness (NDVI) of each place before 2023 and since. Anchorage is always clouded; no scene is there for the rest
 * of the world.
 */
export const greenness: Record<PlaceName, [before: number, since: number]> = {
  boulder: [0.4, 0.5],
  miami_beach: [0.3, 0.2],
  new_orleans: [0.35, 0.35],
  kansas: [0.6, 0.7],
  manhattan: [0.1, 0.1],
  paradise: [0.7, 0.3],
  anchorage: [0.5, 0.5],
  san_juan: [0.45, 0.4],
}

/** The scenes a STAC search asks for, newest first; `null` when the question is not one a STAC server takes. */
export function simulateSceneSearch(
  request: ReceivedRequest,
  collection: string,
): { scenes: TestScene[]; at: Point } | null {
  const body = bodyOf(request)
  if (!body || !Array.isArray(body.collections) || body.collections.join() !== collection) return null
  const at = pointOf(body.intersects)
  const [from, to] = String(body.datetime)
    .split('/')
    .map((one) => Date.parse(one))
  const query = isRecord(body.query) ? body.query['eo:cloud_cover'] : undefined
  const clearest = isRecord(query) ? Number(query.lt ?? query.lte) : 101
  if (!at || !(from! <= to!) || Number.isNaN(clearest)) return null
  const found = scenesAt(testPlaceAt(at)).filter(
    (one) => one.date.getTime() >= from! && one.date.getTime() <= to! && one.cloud < clearest,
  )
  return { scenes: found.slice(0, Number(body.limit ?? 10)), at }
}

/** The scenes of a place, newest first, back to 2017. */
export function scenesAt(name: PlaceName | null): TestScene[] {
  if (!name) return []
  const newest = Math.floor(Date.now() / pass_ms)
  const oldest = Math.ceil(Date.UTC(2017, 0, 1) / pass_ms)
  return Array.from({ length: newest - oldest + 1 }, (_one, nth) => sceneOf(name, newest - nth))
}

const pass_ms = 5 * 86_400_000
const tiles: Record<PlaceName, string> = {
  boulder: '13TDE',
  miami_beach: '17RNJ',
  new_orleans: '15RYP',
  kansas: '14SPJ',
  manhattan: '18TWL',
  paradise: '10SFJ',
  anchorage: '06VUN',
  san_juan: '19QHA',
}

function sceneOf(name: PlaceName, pass: number): TestScene {
  const date = new Date(pass * pass_ms + 64_759_000)
  const clouded = pass % 3 === 0 || name === 'anchorage'
  const green = greenness[name][date.getUTCFullYear() < 2023 ? 0 : 1]
  const day = date.toISOString().slice(0, 10).replaceAll('-', '')
  const baseline = date < new Date('2022-01-25') ? '02.12' : '05.11'
  return {
    id: `S2B_MSIL2A_${day}T175919_N${baseline.replace('.', '')}_R041_T${tiles[name]}_${day}T235959`,
    date,
    tile: tiles[name],
    cloud: clouded ? 55 : 4.2,
    baseline,
    red: clouded ? 0.6 : 0.2 * (1 - green),
    nir: clouded ? 0.6 : 0.2 * (1 + green),
    scl: clouded ? 9 : 4,
  }
}

function bodyOf({ method, body, headers }: ReceivedRequest): Record<string, unknown> | null {
  if (method !== 'POST' || !headers.get('content-type')?.startsWith('application/json')) return null
  try {
    const requested: unknown = JSON.parse(body)
    return isRecord(requested) ? requested : null
  } catch {
    return null
  }
}

function pointOf(shape: unknown): Point | null {
  if (!isRecord(shape) || shape.type !== 'Point' || !Array.isArray(shape.coordinates)) return null
  const [lng, lat] = shape.coordinates as unknown[]
  return typeof lng === 'number' && typeof lat === 'number' ? { lat, lng } : null
}
