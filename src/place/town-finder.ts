import { stateCodes } from '../address/abbreviations.ts'
import { fullWordOf } from '../address/street-key.ts'
import type { Point } from '../model/place.ts'
import type { EmbeddedData } from '../packs/embedded/embedded-data.ts'

/** A town with the code of its state. */
type Town = { name: string; state: string; at: Point; population: number }

/** Returns the town of a name, in a state if it is given; the largest if there are several. */
export type TownFinder = (name: string, state: string | null) => Town | null

/** Creates a finder of the embedded towns. */
export function createTownFinder({ pointsNamed }: Pick<EmbeddedData, 'pointsNamed'>): TownFinder {
  return (name, state) => {
    const towns = pointsNamed('places', spellingsOfTown(name)).map(({ at, properties }): Town => ({
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

/**
 * The spellings of a town: `St Louis` is `St. Louis` and `Saint Louis`; `Cocoa Bch` is `Cocoa Beach`; `New York` is `New
 * York City`. A town may be known only by its parts, such as `Viera East`.
 */
export function spellingsOfTown(name: string): string[] {
  const [first = '', ...others] = name.split(' ')
  const rest = others.map((word) => fullWordOf(word.toUpperCase()))
  const firstWords = abbreviations.find((words) => words.includes(first.toUpperCase().replace('.', ''))) ?? [first]
  const spellings = [name, ...firstWords.map((word) => [word, ...rest].join(' '))]
  return [...new Set([...spellings, `${name} City`, ...parts.map((part) => `${name} ${part}`)])]
}

const abbreviations = [
  ['ST', 'ST.', 'SAINT'],
  ['FT', 'FT.', 'FORT'],
  ['MT', 'MT.', 'MOUNT'],
]
const parts = ['North', 'South', 'East', 'West']
