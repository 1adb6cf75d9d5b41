import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import rrad from 'rrad/addresses-us-all.json'
import { buildAddresses } from '../../src/build-packs/addresses/build-addresses.ts'
import { openAddressPackFolder } from '../../src/packs/addresses/address-pack-folder.ts'
import { openEmbeddedData } from '../../src/packs/embedded/embedded-data.ts'
import { createEmbeddedGazetteer } from '../../src/place/embedded-gazetteer.ts'
import { createAddressParser } from '../../src/address/parse-address.ts'
import { randomOf } from './random.ts'
import { reportFigure, quantile } from './report.ts'

const points = 100_000
/** A real address of the package, whose parts the points of the pack combine. */
export type PackedAddress = { number: string; street: string; city: string; state: string; zip: string }

const requested = 20_000
const perSecond = 5_000
const middle_ms = 1

/**
 * Measures local geocoding, from text to match, on a pack of 100,000 addresses: the real streets and towns of rrad,
 * each street in many towns.
 */
export async function benchAddresses(seed: number): Promise<void> {
  const random = randomOf(seed)
  const folder = mkdtempSync(join(tmpdir(), 'fieldstone-bench-'))
  const { made, gazetteer } = await writeAddressPack(folder, random)
  const packs = openAddressPackFolder(folder)
  const parse = createAddressParser(gazetteer)
  const find = (text: string) => packs.find(parse(text), { signal: new AbortController().signal }).length > 0
  const texts = Array.from({ length: requested }, () => textOf(made[Math.floor(random() * made.length)]!))
  measured('with ZIP code', texts, find)
  measured(
    'lower case, without commas',
    texts.map((text) => text.toLowerCase().replaceAll(',', '')),
    find,
  )
  measured(
    'without ZIP code',
    texts.map((text) => text.replace(/ \d{5}$/, '')),
    find,
  )
  measured(
    'a number that is not there',
    texts.map((text) => text.replace(/^\d+/, '99998')),
    find,
  )
  measured('a letter missing from the name', texts.map(misspell), find)
  packs.close()
  rmSync(folder, { recursive: true })
}

/** Writes an address pack of random points into a folder. */
export async function writeAddressPack(folder: string, random: () => number) {
  const embedded = openEmbeddedData(join(import.meta.dir, '..', '..', 'dist', 'embedded.bin'))
  const gazetteer = createEmbeddedGazetteer(embedded)
  const made = makeAddresses(random)
  const csv = join(folder, 'addresses.csv')
  writeFileSync(
    csv,
    `LON,LAT,NUMBER,STREET,UNIT,CITY,DISTRICT,REGION,POSTCODE,ID,HASH\n${made.map((it) => `${it.lng},${it.lat},${it.number},"${it.street}",,"${it.city}",,${it.state},${it.zip},,`).join('\n')}`,
  )
  const begin = performance.now()
  const built = await buildAddresses([csv], join(folder, 'addresses.sqlite'), { lookupZip: gazetteer.placeOfZip })
  console.log(
    `built ${built.points} points on ${built.streets} streets in ${((performance.now() - begin) / 1000).toFixed(1)} s, ${(built.bytes / 1e6).toFixed(1)} MB`,
  )
  return { made, gazetteer }
}

/** Returns the text of an address. */
export function textOf({ number, street, city, state, zip }: PackedAddress): string {
  return `${number} ${street}, ${city}, ${state} ${zip}`
}

/** Removes a letter from the name of the street. */
export function misspell(text: string): string {
  return text.replace(/^(\d+ \w\w\w)\w/, '$1')
}

function makeAddresses(random: () => number): (PackedAddress & { lat: number; lng: number })[] {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
  const real = rrad.addresses.filter(({ address1, city }) => /^\d+ [A-Z]/.test(address1) && city !== undefined)
  return Array.from({ length: points }, () => {
    const [
      { address1 },
      {
        city,
        state,
        postalCode,
        coordinates: { lat, lng },
      },
    ] = [pick(real), pick(real)]
    return {
      number: String(1 + Math.floor(random() * 9_999)),
      street: address1.replace(/^\d+ /, ''),
      city: city!,
      state,
      zip: postalCode,
      lat: lat + 0.02 * (random() - 0.5),
      lng: lng + 0.02 * (random() - 0.5),
    }
  })
}

function measured(name: string, questions: string[], find: (text: string) => boolean): void {
  for (const text of questions.slice(0, 2_000)) find(text)
  const times: number[] = []
  const begin = performance.now()
  for (const text of questions) {
    const from = performance.now()
    find(text)
    times.push(performance.now() - from)
  }
  const rate = (1000 * questions.length) / (performance.now() - begin)
  reportFigure(`local geocodes, ${name}: a second, on one core`, rate.toFixed(0), rate >= perSecond, String(perSecond))
  reportFigure(
    `local geocodes, ${name}: p50 (p99 ${quantile(times, 0.99).toFixed(3)} ms)`,
    `${quantile(times, 0.5).toFixed(3)} ms`,
    quantile(times, 0.5) <= middle_ms,
    `${middle_ms} ms`,
  )
}
