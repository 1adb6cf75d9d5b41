import { rmSync } from 'node:fs'
import rrad from 'rrad/addresses-us-all.json'
import { randomOf } from '../../scripts/bench/random.ts'
import { openEmbeddedData } from '../../src/packs/embedded/embedded-data.ts'
import { openAddressPackFolder } from '../../src/packs/addresses/address-pack-folder.ts'
import { createAddressReader } from '../../src/place/address-reader.ts'
import { createLocalGeocoder } from '../../src/place/local-geocoder.ts'
import { buildPointPack, buildRangePack, newAddressFolder, type LineText } from '../packs/build-address-packs.ts'
import { embeddedFile } from '../support/test-service.ts'

/** For each way to write addresses: how many are found, and the hash of all outcomes and of all matches in the packs. */
type GoldenGeocodes = Record<string, { found: number; hash: string }>

const seed = 20_261_123
const budget = { signal: new AbortController().signal }

/** Every third address is enough to find a difference. */
const real = rrad.addresses
  .filter((_, i) => i % 3 === 0)
  .filter(({ address1, city }) => /^\d+ /.test(address1) && city !== undefined)
  .map(({ address1, city, state, postalCode, coordinates }) => {
    const [number = ''] = address1.split(' ')
    return { number, street: address1.slice(number.length + 1), city: city!, state, zip: postalCode, ...coordinates }
  })
const streets = ['Aspen St', 'N Birch Ave', 'Birch Ave', '1st Ave', 'County Road 12', 'Saint Marys Rd']

/** The ways to write an address, most of them with a mistake. */
const ways: Record<string, (text: string, random: () => number) => string> = {
  exact: (text) => text,
  'lower case without commas': (text) => text.toLowerCase().replaceAll(',', ''),
  'without a ZIP code': (text) => text.replace(/ \d{5}$/, ''),
  'with another ZIP code': (text) => text.replace(/\d\d$/, '99'),
  'with another number': (text) => text.replace(/^\d+/, '99998'),
  'with a unit': (text) => text.replace(',', ' Apt 4,'),
  'with another street type': (text) => text.replace(/ (?:St|Street|Ave|Avenue|Rd|Road),/, ' Ln,'),
  'a letter missing': (text, random) => withEdit(text, '', random),
  'a letter added': (text, random) => withEdit(text, 'n$&', random),
  'a crossing': (text) => `${text.replace(/^\S+ (.*?),.*$/, '$1')} & Aspen St, Denver, CO 80202`,
}

/** Geocodes all addresses in all ways with two packs: points of real addresses, and ranges of a grid of streets. */
export async function createGoldenGeocodes(): Promise<GoldenGeocodes> {
  const folder = newAddressFolder()
  const reader = createAddressReader(openEmbeddedData(embeddedFile))
  const points = real.map(({ state, zip, ...point }) => ({ ...point, region: state, postcode: zip }))
  await buildPointPack(folder, points, 'addresses.sqlite', reader.gazetteer.placeOfZip)
  await buildRangePack(folder, gridOf(streets))
  const packs = openAddressPackFolder(folder)
  const geocode = createLocalGeocoder({ reader, packs, isOnlyGeocoder: true })
  const texts = [
    ...real.map(({ number, street, city, state, zip }) => `${number} ${street}, ${city}, ${state} ${zip}`),
    ...streets.flatMap((street) => ['1', '50', '98', '250'].map((number) => `${number} ${street}, Denver, CO 80202`)),
  ]
  const golden: GoldenGeocodes = {}
  const random = randomOf(seed)
  for (const [name, write] of Object.entries(ways)) {
    const hasher = new Bun.CryptoHasher('sha256')
    let found = 0
    for (const text of texts.map((it) => write(it, random))) {
      const geocoded = geocode(text)
      if (geocoded && !('rejected' in geocoded.outcome)) found++
      hasher.update(JSON.stringify([text, geocoded, packs.find(reader.scoring.parse(text), budget)]))
    }
    golden[name] = { found, hash: hasher.digest('hex').slice(0, 16) }
  }
  packs.close()
  rmSync(folder, { recursive: true })
  return golden
}

/** Streets from west to east, each a block north of the one before, and one street that they all meet. */
function gridOf(names: string[]): LineText[] {
  const at = (i: number): [number, number] => [-105, 39.7 + i / 500]
  return names.flatMap((name, i): LineText[] => [
    { name, line: [at(i), [-104.99, at(i)[1]]], left: ['1', '99'], right: ['2', '98'] },
    { name: 'Aspen St', line: [at(i), at(i + 1)], left: [String(100 * i + 1), String(100 * i + 99)] },
  ])
}

/** Replaces a random letter behind the number. */
function withEdit(text: string, replacement: string, random: () => number): string {
  const start = text.indexOf(' ') + 1 + Math.floor(random() * 8)
  return text.slice(0, start) + text.slice(start).replace(/[a-z]/, replacement)
}
