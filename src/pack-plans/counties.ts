import { computeOnce } from '../async/compute-once.ts'
import { boxesOfPolygons, boxesTouch, type QueryBox } from '../geo/boxes.ts'
import { stateCodes } from '../address/abbreviations.ts'
import { normalizeWords } from '../address/tokenizer.ts'
import type { Position } from '../model/source.ts'
import { nearestName } from '../model/nearest-name.ts'
import type { EmbeddedData } from '../packs/embedded/embedded-data.ts'

/** One county, or all counties of a state or metropolitan area. `geoids` are their codes. */
export type CountyGroup = { name: string; id: string; geoids: string[]; polygons(): Position[][][] }

/** A county by its code, with the postal code and the name of its state. */
export type NearbyCounty = { geoid: string; state: string; stateName: string }

/** The counties of the United States and its territories. */
export type Counties = {
  /**
   * Finds a county, a state or a metropolitan area by its name or code. Null if there is none.
   * @throws {AreaError} if several counties have the name, or a metropolitan area is unknown.
   */
  find(text: string): CountyGroup | null
  /** The counties whose bounding boxes touch the boxes. */
  near(boxes: readonly QueryBox[]): NearbyCounty[]
  /** A sentence that suggests the counties with this name, or the most similar one, with a leading space. */
  suggestionFor(text: string): string
}

/** Opens the embedded layer of counties. Their polygons are read when they are needed. */
export function openCounties(embedded: Pick<EmbeddedData, 'layer'>): Counties {
  const layer = embedded.layer('counties')
  const counties = Array.from({ length: layer.features }, (_, row): County => {
    const text = (name: string) => String(layer.valueAt(row, name) ?? '')
    return {
      row,
      geoid: text('GEOID'),
      name: text('NAME'),
      fullName: text('NAMELSAD'),
      state: text('STUSPS'),
      stateName: text('STATE_NAME'),
      cbsa: text('CBSAFP'),
    }
  })
  const all = () => counties
  const bySpelling = computeOnce(all, groupBySpelling)
  const boxes = computeOnce(all, () => counties.map(({ row }) => boxesOfPolygons(layer.geometryAt(row).polygons)))
  const groupOf = (name: string, id: string, members: County[]): CountyGroup => ({
    name,
    id,
    geoids: members.map(({ geoid }) => geoid),
    polygons: () => members.flatMap(({ row }) => layer.geometryAt(row).polygons),
  })
  return {
    find(text) {
      const trimmed = text.trim()
      const code = /^(?:(cbsa|county|state):)?(\d{2}|\d{5})$/i.exec(trimmed)
      if (code) return findByCode(code[2]!, code[1]?.toLowerCase() ?? null, text)
      const stateCode = stateCodes.get(normalizeWords(trimmed).join(' '))
      const ofState = counties.filter(({ state }) => state === stateCode)
      if (ofState.length > 0) return groupOf(ofState[0]!.stateName, ofState[0]!.geoid.slice(0, 2), ofState)
      const found = [...new Set((bySpelling().get(keyOf(trimmed)) ?? []).map(({ county }) => county))]
      if (found.length > 1)
        throw new AreaError(
          `${JSON.stringify(text)} can be ${found.map(({ fullName, state, geoid }) => `${fullName}, ${state} (${geoid})`).join(' or ')}. Use one of these names or codes.`,
        )
      return found[0] ? groupOf(labelOf(found[0]), found[0].geoid, found) : null
    },
    near(queried) {
      const isNear = ({ row }: County) => boxes()[row]!.some((box) => queried.some((it) => boxesTouch(box, it)))
      return counties.filter(isNear).map(({ geoid, state, stateName }) => ({ geoid, state, stateName }))
    },
    suggestionFor: (text) => suggestCounty(keyOf(text), counties),
  }

  function findByCode(code: string, kind: string | null, text: string): CountyGroup {
    if (kind === 'cbsa') return findByCbsa(code)
    const members = counties.filter(({ geoid }) => (code.length === 2 ? geoid.slice(0, 2) : geoid) === code)
    if (members.length > 0 && code.length === 2) return groupOf(members[0]!.stateName, code, members)
    if (members.length > 0) return groupOf(labelOf(members[0]!), code, members)
    const isCbsa = counties.some(({ cbsa }) => cbsa === code)
    throw new AreaError(
      `${JSON.stringify(text)} is not the code of a ${code.length === 2 ? 'state' : 'county'}.${isCbsa ? ` For the metropolitan area, use cbsa:${code}.` : ''}`,
    )
  }

  function findByCbsa(code: string): CountyGroup {
    const members = counties.filter(({ cbsa }) => cbsa === code)
    if (members.length > 0) return groupOf(`CBSA ${code} as delineated in 2010`, `cbsa-${code}`, members)
    throw new AreaError(
      `cbsa:${code} is not known. The delineation of 2010 is known here. For a newer metropolitan area, use its counties one by one, or a GeoJSON file.`,
    )
  }
}

const maxSuggestions = 3

function suggestCounty(key: string, counties: readonly County[]): string {
  const ofAnyState = counties.filter(({ name, fullName }) => keyOf(name) === key || keyOf(fullName) === key)
  if (ofAnyState.length > maxSuggestions) return ` Add the state, such as "${labelOf(ofAnyState[0]!)}".`
  if (ofAnyState.length > 0)
    return ` Did you mean ${ofAnyState.map((county) => JSON.stringify(labelOf(county))).join(' or ')}?`
  const nearest = nearestName(key, counties.flatMap(spellingsOf))
  const county = nearest === null ? undefined : counties.find((it) => spellingsOf(it).includes(nearest))
  return county ? ` Did you mean ${JSON.stringify(labelOf(county))}?` : ''
}

type County = {
  row: number
  geoid: string
  name: string
  fullName: string
  state: string
  stateName: string
  cbsa: string
}

function labelOf({ fullName, state }: County): string {
  return `${fullName}, ${state}`
}

function groupBySpelling(counties: readonly County[]) {
  const found = counties.flatMap((county) => spellingsOf(county).map((spelling) => ({ county, spelling })))
  return Map.groupBy(found, ({ spelling }) => spelling)
}

/** The names by which a county is found: with and without `County`, with the code and the name of the state. */
function spellingsOf({ name, fullName, state, stateName }: County): string[] {
  return [...new Set([name, fullName].flatMap((it) => [state, stateName].map((ofState) => keyOf(`${it}, ${ofState}`))))]
}

/** A name without case, accents, punctuation and the short form of Saint. */
function keyOf(text: string): string {
  return normalizeWords(text.replaceAll(/[-,]/g, ' '))
    .map((word) => abbreviations[word] ?? word)
    .join(' ')
}

const abbreviations: Record<string, string> = { ST: 'SAINT', STE: 'SAINTE' }

/** A text does not name an area. The message says which texts do. */
export class AreaError extends Error {}
