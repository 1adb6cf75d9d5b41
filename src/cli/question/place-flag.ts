import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { assetFolder } from '../../http/pages/assets.ts'
import { parseCoordinates } from '../../geo/text/parse-coordinates.ts'
import {
  createPlaceSearch,
  placeLabelOf,
  zipIn,
  type FoundPlace,
  type PlaceKind,
  type PlaceRecord,
} from '../../place/place-search.ts'
import { UsageError } from '../usage-error.ts'

/** A name has at least two letters in a row. A single one is part of a coordinate, such as `39.7N`. */
const letters = /\p{L}{2}/u

/**
 * Replaces the name of a place in --at, such as `Boulder, CO` or `80302`, with its coordinate, and reports which place
 * it is. Other texts stay as they are.
 * @throws {UsageError} if several places have the name.
 */
export async function resolvePlaceFlag(at: string, report: (line: string) => void): Promise<string> {
  const zip = zipIn(at)
  if (zip === null && (!letters.test(at) || parseCoordinates(at))) return at
  const search = createPlaceSearch(
    zip === null
      ? // A point somewhere in a state answers nothing about it.
        { ...(await readAsset<Record<PlaceKind, PlaceRecord[]>>('places')), state: [] }
      : { zip: await readAsset('zips') },
  )
  const place = onlyPlaceOf(search(zip ?? at), at)
  if (!place) return at
  report(`Location: ${placeLabelOf(place)}${place.kind === 'county' ? ', a point inside it' : ''}`)
  return `${place.at.lat},${place.at.lng}`
}

/** Returns the place that a text names: the only exact match of the first kind, or else the only match. */
function onlyPlaceOf(found: FoundPlace[], at: string): FoundPlace | undefined {
  const exact = found.filter(({ isExact }) => isExact)
  if (found[0]?.isMisspelled)
    throw new UsageError(
      `--at ${JSON.stringify(at)} is no known place. Did you mean ${found.map(placeLabelOf).join('; ')}?`,
    )
  const candidates = exact.length > 0 ? exact.filter(({ kind }) => kind === exact[0]!.kind) : found
  if (candidates.length > 1)
    throw new UsageError(
      `--at ${JSON.stringify(at)} can be ${candidates.map(placeLabelOf).join('; ')}. Name one of them, or use \`--at <lat,lng>\`.`,
    )
  return candidates[0]
}

/** Reads a list of the search of the page. */
async function readAsset<T>(list: 'places' | 'zips'): Promise<T> {
  const name = readdirSync(assetFolder).find((it) => it.startsWith(`base-${list}-`) && it.endsWith('.zst'))
  if (name === undefined) throw new Error(`The list of ${list} is not part of this build. Use \`--at <lat,lng>\`.`)
  const bytes = await Bun.file(join(assetFolder, name)).bytes()
  return JSON.parse(new TextDecoder().decode(Bun.zstdDecompressSync(bytes))) as T
}
