import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AddressMatch, AddressComponents, ParsedAddress } from '../src/address/address.ts'
import { stateCodes } from '../src/address/abbreviations.ts'
import { isSameNumber, numberWords, unitKeyOf } from '../src/address/house-number.ts'
import { parseStreet } from '../src/address/street.ts'
import { streetKeyOf } from '../src/address/street-key.ts'
import { normalizeWords, tokenizeAddress } from '../src/address/tokenizer.ts'
import { townKeyOf } from '../src/address/town.ts'
import { distanceBetween_m } from '../src/geo/ecef.ts'
import { openAddressPackFolder, type AddressPackFolder } from '../src/packs/addresses/address-pack-folder.ts'
import { openEmbeddedData } from '../src/packs/embedded/embedded-data.ts'
import { buildAddresses } from '../src/build-packs/addresses/build-addresses.ts'
import { createAddressReader } from '../src/place/address-reader.ts'
import { parseGeocodable } from '../src/place/geocode.ts'
import type { GeocodeOutcome } from '../src/place/geocode-outcome.ts'
import { createLocalGeocoder, type LocalGeocoder } from '../src/place/local-geocoder.ts'
import { chooseReading } from '../src/place/match-scoring.ts'

/**
 * Measures how many addresses of a folder are right: `npm run addresses -- <folder>`, with `--all` also the wrong ones.
 * The folder has `failing.jsonl`, and the CSV files of address points in `packs/` and `inputs/`.
 */
type Case = {
  kind: string
  input: string
  expected: string | (Record<string, string> & { lat?: number; lng?: number })
  got: { address?: string }
  severity: string
  how: string
}

type PackGeocoder = { packs: AddressPackFolder; geocode: LocalGeocoder }

const near_m = 100
const reader = createAddressReader(openEmbeddedData(join(import.meta.dir, '..', 'dist', 'embedded.bin')))
const [folder, ...flags] = process.argv.slice(2)
if (folder === undefined) throw new Error('No folder given. Usage: `npm run addresses -- <folder> [--all]`.')
const cases = readFileSync(join(folder, 'failing.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Case)
const work = mkdtempSync(join(tmpdir(), 'fieldstone-addresses-'))
const geocoders = new Map<string, PackGeocoder>()
const counts = new Map<string, { right: number; of: number }>()
const wrong: string[] = []
let [right, measured, silent] = [0, 0, 0]
for (const it of cases) {
  const result = await resultOf(it)
  if (result === null) continue
  const kind = counts.get(it.kind) ?? { right: 0, of: 0 }
  counts.set(it.kind, kind)
  kind.of++
  measured++
  if (result.isRight) kind.right++
  if (result.isRight) right++
  else wrong.push(`${it.kind}: ${JSON.stringify(it.input)} is ${JSON.stringify(result.found)}`)
  if (it.severity === 'silent_wrong' && !result.isRight && 'lat' in (result.found as object)) silent++
}
rmSync(work, { recursive: true })
if (flags.includes('--all')) for (const line of wrong) console.log(line)
for (const [kind, count] of counts) if (count.right < count.of) console.log(`${count.right} of ${count.of}: ${kind}`)
console.log(`${right} of ${measured} measured are right, of ${cases.length}. Silently wrong: ${silent}.`)

/** Whether a case is right, and what was found; null if it cannot be measured here, as the folder lacks its place. */
async function resultOf(it: Case): Promise<{ isRight: boolean; found: unknown } | null> {
  if (it.how === 'parse') {
    const found = reader.scoring.parse(it.input)
    return { isRight: hasParts(found, it.expected as Record<string, string>), found }
  }
  if (it.how === 'classify') {
    const { kind } = reader.classify(it.input)
    return { isRight: typeof it.expected === 'string' && it.expected.startsWith(kind), found: kind }
  }
  if (it.how === 'geocode:census') {
    const found = censusOutcomeOf(it)
    return { isRight: isExpected(found, it), found }
  }
  if (!it.how.startsWith('geocode:')) return null
  const { packs, geocode } = await geocoderOf(it.how.slice('geocode:'.length))
  if (typeof it.expected !== 'string' && !packs.covers(reader.scoring.parse(it.input))) return null
  const found = geocode(it.input)!.outcome
  return { isRight: isExpected(found, it), found }
}

function isExpected(found: GeocodeOutcome, { expected }: Case): boolean {
  const isRejected = 'rejected' in found
  if (typeof expected !== 'string') {
    return !isRejected && distanceBetween_m(found, { lat: Number(expected.lat), lng: Number(expected.lng) }) < near_m
  }
  if (expected.startsWith('refused: address_ambiguous')) return isRejected && found.rejected === 'address_ambiguous'
  if (expected.startsWith('refused')) return isRejected
  if (isRejected) return false
  if (expected.startsWith('score 1')) return found.accuracy === 1 && found.warnings.length === 0
  const text = /^(\d[^(]*)/.exec(expected)?.[1]
  if (text === undefined) return true
  if (!text.includes(' ')) return isSameNumber(text, found.components.number ?? '')
  const parts = reader.scoring.parse(
    `${text.includes(',') ? text : `${text}, ${found.components.city}`}, ${found.components.state}`,
  )
  return isSameNumber(parts.number ?? '', found.components.number ?? '') && isSameStreet(parts, found.components)
}

/** The outcome of the match that the Census geocoder would give: the one that the case names, or the input itself. */
function censusOutcomeOf({ input, expected, got }: Case): GeocodeOutcome {
  const named = typeof expected === 'string' ? /Census match (\d.+)/.exec(expected)?.[1] : undefined
  const earlier = got.address !== undefined && /^\d/.test(got.address) ? got.address : undefined
  const locality = input.split(', ').slice(1)
  const text = named === undefined ? (earlier ?? input) : [named, ...locality].join(', ')
  const { text: _, crossing: __, ...components } = reader.scoring.parse(text)
  const at = pointOf(components)
  const match: AddressMatch = {
    ...at,
    accuracy_type: 'range_interpolation',
    score: null,
    normalized_address: text,
    components,
  }
  const query = parseGeocodable(input, reader)
  if ('rejected' in query) return query
  return chooseReading(query, () => [match], { name: 'census', scoresParts: false }, reader.scoring)
}

/** A point of the ZIP code, or of the town. */
function pointOf({ city, state, zip }: AddressComponents): { lat: number; lng: number } {
  const [place] = reader.placesNamed(zip ?? `${city}, ${state}`)
  return place ?? { lat: 0, lng: 0 }
}

async function geocoderOf(pack: string): Promise<PackGeocoder> {
  const known = geocoders.get(pack)
  if (known) return known
  const files =
    pack === 'main'
      ? readdirSync(join(folder!, 'packs')).map((name) => join(folder!, 'packs', name))
      : [join(folder!, 'inputs', `${pack}.csv`)]
  const target = mkdtempSync(join(work, `${pack}-`))
  if (!files.every((file) => existsSync(file))) throw new Error(`The folder has no points for the pack ${pack}.`)
  await buildAddresses(files, join(target, 'addresses.sqlite'), { lookupZip: reader.gazetteer.placeOfZip })
  const packs = openAddressPackFolder(target)
  const geocoder = { packs, geocode: createLocalGeocoder({ reader, packs, isOnlyGeocoder: true }) }
  geocoders.set(pack, geocoder)
  return geocoder
}

function hasParts(found: ParsedAddress, expected: Record<string, string>): boolean {
  const { number, street_line, crossing_line, unit, city, state, zip } = expected
  const town = (name: string) => townKeyOf(normalizeWords(name))
  return (
    (number === undefined || isSameNumber(numberOf(number), found.number ?? '')) &&
    (street_line === undefined || isSameStreet(streetOf(street_line), found)) &&
    (crossing_line === undefined || isSameStreet(streetOf(crossing_line), found.crossing ?? {})) &&
    (unit === undefined || unitOf(unit) === unitOf(found.unit ?? '')) &&
    (city === undefined || town(city) === town(found.city ?? '')) &&
    (state === undefined || (stateCodes.get(normalizeWords(state).join(' ')) ?? state) === found.state) &&
    (zip === undefined || isSameZip(zip, found.zip ?? ''))
  )
}

/** `One` is 1, and `# 2` is 2. */
function numberOf(text: string): string {
  const number = text.replace(/^# /, '').replace(/[.,#-]+$/, '')
  const spelled = numberWords.indexOf(number.toUpperCase()) + 1
  return spelled > 0 ? String(spelled) : number
}

/** `Highway No. 130` is `Highway 130`. */
function streetOf(line: string): AddressComponents {
  return parseStreet(tokenizeAddress(line.replace(/ No\. | #/i, ' ')))
}

function isSameStreet(a: AddressComponents, b: AddressComponents): boolean {
  return JSON.stringify(streetKeyOf(a)) === JSON.stringify(streetKeyOf(b))
}

/** A unit without its designator, also one that is written as one word with its number, and without a building. */
function unitOf(text: string): string {
  const divided = text
    .replace(/\bNo\.? /i, '# ')
    .replace(/^(apt|bay|bldg|fl|lot|lt|ph|rm|ste|suite|unit)\.?-?(?=\d)/i, '$1 ')
  const key = unitKeyOf(divided).replace(/^(?:ST|INTERIM|NORTH TOWER|ATRIUM|UNIT) ?/, '')
  return key.replace(/^(?:UNIT|SUITE|STE) ?/, '')
}

/** A ZIP code that lost a digit may be left out, or have it again. */
function isSameZip(expected: string, found: string): boolean {
  const [a, b] = [expected.replace(/\D/g, ''), found.replace(/\D/g, '')]
  return a === b || (a.length < 5 && (b === '' || a.padStart(5, '0') === b))
}
