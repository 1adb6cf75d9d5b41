import { stateCodes } from '../address/abbreviations.ts'
import type { Point } from '../model/place.ts'
import type { EmbeddedData } from '../packs/embedded-data.ts'

/** A town with the code of its state. */
type Town = { name: string; state: string; at: Point; population: number }

/** Returns the town of a name, in a state if it is given; the largest if there are several. */
export type TownFinder = (name: string, state: string | null) => Town | null

/** Creates a finder of the embedded towns. */
export function createTownFinder({ pointsNamed }: Pick<EmbeddedData, 'pointsNamed'>): TownFinder {
  return (name, state) => {
    const towns = pointsNamed('places', spellingsOf(name)).map(({ at, properties }): Town => ({
      name: String(properties.NAME),
      state: String(properties.COUNTRY === 'US' ? properties.STATE : properties.COUNTRY),
      at,
      population: Number(properties.POPULATION ?? 0),
    }))
    const [largest] = towns
      .filter((town) => (state === null ? usStates.has(town.state) : town.state === state))
      .toSorted((a, b) => b.population - a.population)
    return largest ?? null
  }
}

const usStates = new Set(stateCodes.values())

/** `St Louis` is `St. Louis` and `Saint Louis`; `New York` is `New York City`. */
function spellingsOf(name: string): string[] {
  const abbreviations: [short: string, long: string][] = [
    ['St', 'Saint'],
    ['Ft', 'Fort'],
    ['Mt', 'Mount'],
  ]
  return abbreviations.flatMap(([short, long], i) => {
    const pattern = new RegExp(`^(?:${short}|${long})\\b\\.?`, 'i')
    if (pattern.test(name)) return [short, `${short}.`, long].map((it) => name.replace(pattern, it))
    return i === 0 ? [name, `${name} City`] : []
  })
}
