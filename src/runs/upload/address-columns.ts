import { normalizeColumnName } from '../../model/coordinate-columns.ts'
import { columnNames } from './column-names.ts'

/** The columns of an address, in order, as indexes. `zip` is -1 if there is none. */
type AddressColumns = { columns: number[]; zip: number }

/**
 * The names of a column with a street address, in order of preference: of the whole address, an address that may have
 * its parts in other columns, a street, and names that can also be of something else. The first group is what the
 * address belongs to.
 */
const addressNames = [
  /^()(?:full|complete)_address$/,
  /^(?:(site|property|location|situs|mailing|physical|facility|premises?)_)?(?:address|addr)$/,
  /^(?:(site|property|situs|mailing|physical|facility)_)?(?:street(?:_address)?|address(?:_line)?_?1)$/,
  /^()(?:location|place)$/,
]
const partNames = {
  city: /^(?:(\w+)_)?(?:city|town|municipality)$/,
  state: /^(?:(\w+)_)?(?:state|st|state_code)$/,
  zip: /^(?:(\w+)_)?(?:(?:zip|postal|post)_?code|zip5?)$/,
}

/**
 * Finds the columns of an address by name; null if there are none. Of several with other values none is chosen: returns
 * a text that says how to choose.
 */
export function addressColumnsOf(
  header: readonly string[],
  sample: readonly string[][],
  chosen: number | null,
): AddressColumns | string | null {
  const names = header.map(normalizeColumnName)
  const found =
    chosen === null ? (addressNames.map((it) => indexesOf(names, it)).find((it) => it.length > 0) ?? []) : [chosen]
  const [first, ...others] = found
  if (first === undefined) return null
  const isSame = (other: number) =>
    sample.length > 0 && sample.every((cells) => cells[other]?.trim() === cells[first]?.trim())
  if (!others.every(isSame))
    return `Several columns can have the address: ${columnNames(found, header)}. Choose one with \`address\``
  const owner = addressNames.map((it) => it.exec(names[first]!)?.[1]).find((it) => it !== undefined) ?? ''
  const partOf = (pattern: RegExp) => {
    const owners = names.map((name) => {
      const match = pattern.exec(name)
      return match ? (match[1] ?? '') : null
    })
    const own = owners.indexOf(owner)
    return own >= 0 ? own : owners.indexOf('')
  }
  const [city, state, zip] = [partOf(partNames.city), partOf(partNames.state), partOf(partNames.zip)]
  return { columns: [first, city, state, zip].filter((it) => it >= 0), zip }
}

function indexesOf(names: readonly string[], pattern: RegExp): number[] {
  return names.flatMap((name, i) => (pattern.test(name) ? [i] : []))
}
