import { describe, expect, test } from 'bun:test'
import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { openAddressPackFolder } from '../../src/packs/addresses/address-pack-folder.ts'
import { openEmbeddedData } from '../../src/packs/embedded/embedded-data.ts'
import { createAddressReader } from '../../src/place/address-reader.ts'
import { createLocalGeocoder } from '../../src/place/local-geocoder.ts'
import { buildPointPack, newAddressFolder, type PointText } from '../packs/build-address-packs.ts'
import { embeddedFile } from '../support/test-service.ts'

const reader = createAddressReader(openEmbeddedData(embeddedFile))

/** Rows of a pack, each at its own place: number, street, town, state and ZIP code. */
const rows: [number: string, street: string, city: string, region: string, postcode: string][] = [
  ['350', '5TH AVE', 'NEW YORK', 'NY', '10118'],
  ['1821', 'SW 8 ST', 'MIAMI', 'FL', '33135'],
  ['118', 'TWENTY FIRST AVE', 'TAMPA', 'FL', '33602'],
  ['122', 'PARKVIEW AVE', 'TAMPA', 'FL', '33602'],
  ['113', 'W DR M L KING JR BLVD', 'TAMPA', 'FL', '33602'],
  ['105', 'STATE ROAD 60', 'TAMPA', 'FL', '33602'],
  ['62', 'N FM 620', 'AUSTIN', 'TX', '78732'],
  ['16', 'E COUNTY ROAD Y', 'GORDON', 'WI', '54838'],
  ['22', 'WEST AVE', 'LANCASTER', 'CA', '93534'],
  ['24', 'W AVENUE K', 'LANCASTER', 'CA', '93534'],
  ['12', 'NW LOOP 410', 'SAN ANTONIO', 'TX', '78216'],
  ['0246', 'SW CALIFORNIA ST', 'PORTLAND', 'OR', '97219'],
  ['310', 'SW CALIFORNIA ST', 'PORTLAND', 'OR', '97219'],
  ['61-08', 'ALDERTON ST', 'REGO PARK', 'NY', '11374'],
  ['4208-L', 'RICKEYS WAY', 'PALO ALTO', 'CA', '94306'],
  ['500', 'B PATRICIA AVE', 'DUNEDIN', 'FL', '34698'],
  ['955', 'E 3RD ST #4', 'POWELL', 'WY', '82435'],
  ['900', 'BROADWAY CIR', 'SAN DIEGO', 'CA', '92101'],
  ['901', 'BROADWAY', 'SAN DIEGO', 'CA', '92101'],
  ['929', 'EL CAMINO REAL E', 'SUNNYVALE', 'CA', '94087'],
  ['7227', 'NW 88 ST', 'TAMARAC', 'FL', '33321'],
  ['101', 'N MAIN ST', 'AUBURNDALE', 'FL', '33823'],
  ['101', 'N MAIN ST', 'WILDWOOD', 'FL', '34785'],
  ['200', 'CLUBHOUSE DR', 'NAPLES', 'FL', '34105'],
  ['1900', 'UNIVERSITY AVE', 'PALO ALTO', 'CA', '94303'],
  ['2305', 'MINTON RD', 'WEST MELBOURNE', 'FL', '32904'],
  ['5502', 'CORTEZ RD W', 'BRADENTON', 'FL', '34210'],
  ['3013', 'YAMATO RD', 'BOCA RATON', 'FL', '33434'],
  ['13', 'N WELLS ST', 'CHICAGO', 'IL', '60606'],
  ['605', 'W COVE CANAL RD', 'ANNABELLA', 'UT', '84711'],
  ['32', 'N DEAN ST', 'ENGLEWOOD', 'NJ', '07631'],
  ['70', 'US HWY 17', 'TAMPA', 'FL', '33602'],
  ['71', 'HARBOR VIEW AVE', 'TAMPA', 'FL', '33602'],
]

async function createPackGeocoder() {
  const folder = newAddressFolder()
  const points = rows.map(([number, street, city, region, postcode], i): PointText => {
    const { lat, lng } = centerOf(region)
    return { number, street, city, region, postcode, lat: lat + i / 100, lng }
  })
  await buildPointPack(folder, points, 'addresses.sqlite', reader.gazetteer.placeOfZip)
  const packs = openAddressPackFolder(folder)
  const geocode = createLocalGeocoder({ reader, packs, isOnlyGeocoder: true })
  return { folder, outcomeOf: (text: string) => geocode(text)!.outcome }
}

const centers: Record<string, { lat: number; lng: number }> = {
  CA: { lat: 36.5, lng: -119.5 },
  FL: { lat: 28, lng: -81.8 },
  IL: { lat: 40, lng: -89 },
  NJ: { lat: 40.2, lng: -74.6 },
  NY: { lat: 42.5, lng: -75 },
  OR: { lat: 44, lng: -120 },
  TX: { lat: 31, lng: -99 },
  UT: { lat: 39, lng: -111 },
  WI: { lat: 44, lng: -90 },
  WY: { lat: 43, lng: -107.5 },
}
function centerOf(region: string) {
  return centers[region]!
}

const { folder, outcomeOf } = await createPackGeocoder()

describe('a street is found in all of its usual spellings', () => {
  test.each([
    ['350 5 Avenue, New York, NY 10118', '350 5th Ave'],
    ['350 Fifth Ave, New York, NY 10118', '350 5th Ave'],
    ['1821 SW 8th Street, Miami, FL 33135', '1821 SW 8 St'],
    ['118 21st Ave, Tampa, FL 33602', '118 Twenty First Ave'],
    ['122 Park View Avenue, Tampa, FL 33602', '122 Parkview Ave'],
    ['113 W Martin Luther King Blvd, Tampa, FL 33602', '113 W Dr M L King Jr Blvd'],
    ['105 FL-60, Tampa, FL 33602', '105 State Road 60'],
    ['62 N Ranch Road 620, Austin, TX 78732', '62 N FM 620'],
    ['62 N Farm to Market Rd 620, Austin, TX 78732', '62 N FM 620'],
    ['16 East County Road Y, Gordon, WI 54838', '16 E County Road Y'],
    ['24 W Avenue K, Lancaster, CA 93534', '24 W Avenue K'],
    ['12 NW Loop 410, San Antonio, TX 78216', '12 NW Loop 410'],
    ['13 N. Wells, Chicago, IL 60606', '13 N Wells St'],
  ])('%s', (text, start) => {
    expect(outcomeOf(text)).toMatchObject({ normalized_address: expect.stringMatching(new RegExp(`^${start},`, 'i')) })
  })
})

describe('a house number is text', () => {
  test.each([
    ['0246 SW California St, Portland, OR 97219', '0246 SW California St'],
    ['61-08 Alderton St, Rego Park, NY 11374', '61-08 Alderton St'],
    ['61-8 Alderton St, Rego Park, NY 11374', '61-08 Alderton St'],
    ['4208 L Rickeys Way, Palo Alto, CA 94306', '4208-L Rickeys Way'],
    ['500 B Patricia Ave, Dunedin, FL 34698', '500B Patricia Ave'],
  ])('%s', (text, start) => {
    expect(outcomeOf(text)).toMatchObject({ normalized_address: expect.stringMatching(new RegExp(`^${start},`)) })
  })

  test('246 is not 0246', () => {
    expect(outcomeOf('246 SW California St, Portland, OR 97219')).toMatchObject({ rejected: 'address_too_coarse' })
  })
})

describe('another place is refused, with the match as a candidate', () => {
  test.each([
    ['929 El Camino Real W, Sunnyvale, CA 94087', 'address_not_found', ['929 El Camino Real E, Sunnyvale, CA 94087']],
    ['7227 NW 88 Ave, Tamarac, FL 33321', 'address_not_found', ['7227 NW 88 St, Tamarac, FL 33321']],
    ['900 Broadway, San Diego, CA 92101', 'address_not_found', ['900 Broadway Cir, San Diego, CA 92101']],
    ['901 Broadway Cir, San Diego, CA 92101', 'address_not_found', ['901 Broadway, San Diego, CA 92101']],
    ['70 US 17 Bypass, Tampa, FL 33602', 'address_not_found', ['70 US Highway 17, Tampa, FL 33602']],
    [
      '101 N Main St, Auburndale, FL 34785',
      'address_ambiguous',
      ['101 N Main St, Auburndale, FL 33823', '101 N Main St, Wildwood, FL 34785'],
    ],
    ['200 Clubhouse Dr, Viera, FL 34105', 'wrong_locality', ['200 Clubhouse Dr, Naples, FL 34105']],
    ['1900 University Ave, East Palo Alto, CA 94303', 'wrong_locality', ['1900 University Ave, Palo Alto, CA 94303']],
  ])('%s', (text, rejected, addresses) => {
    const outcome = outcomeOf(text)
    const candidates = 'candidates' in outcome ? (outcome.candidates ?? []) : []
    expect(outcome).toMatchObject({ rejected })
    expect(candidates.map(({ resolved_address }) => resolved_address).toSorted()).toEqual(addresses)
  })

  test('a letter behind a road word names the road and is no unit', () => {
    expect(outcomeOf('22 W Avenue J, Lancaster, CA 93534')).toHaveProperty('rejected')
  })
})

describe('what stands around the street does not hide it', () => {
  test.each([
    '3013 Yamato Rd STE-106, Boca Raton, FL 33434',
    '3013 Yamato Rd B-8, Boca Raton, FL 33434',
    '3013 Yamato Rd No. 5, Boca Raton, FL 33434',
    '3013 Yamato Rd Second Floor, Boca Raton, FL 33434',
    '3013 #12 Yamato Rd, Boca Raton, FL 33434',
    '3013 Yamato Rd/P.O. Box 327, Boca Raton, FL 33434',
    'PO Box 12, 3013 Yamato Rd, Boca Raton, FL 33434',
    'Sunrise Plaza, 3013 Yamato Rd, Boca Raton, FL 33434',
    'Harbor Cafe 3013 Yamato Rd, Boca Raton, FL 33434',
    '3013 Yamato Rd, Boca Raton, Palm Beach County, FL 33434',
    '3013 Yamato Rd\nBoca Raton, FL 33434',
    '3013 Yamato Rd 33434',
  ])('%s', (text) => {
    expect(outcomeOf(text)).toMatchObject({
      normalized_address: expect.stringContaining('3013 Yamato Rd, Boca Raton, FL 33434'),
    })
  })

  test.each([
    ['2305 Minton Road, West Melbourne, FL 32904', '2305 Minton Rd, West Melbourne, FL 32904'],
    ['5502 Cortez Rd West Bradenton FL 34210', '5502 Cortez Rd W, Bradenton, FL 34210'],
    ['605 W Cove Canal Rd, UT 84711', '605 W Cove Canal Rd, Annabella, UT 84711'],
    ['32 N. Dean St., Englewood, NJ 7631', '32 N Dean St, Englewood, NJ 07631'],
    ['955 E 3rd St, Powell, WY 82435', '955 E 3rd St, Powell, WY 82435'],
    ['955 E 3rd St #4, Powell, WY 82435', '955 E 3rd St #4, Powell, WY 82435'],
  ])('%s', (text, normalized_address) => expect(outcomeOf(text)).toMatchObject({ normalized_address }))

  test('an address that is read in another way says so', () => {
    expect(outcomeOf('5502 Cortez Rd West Bradenton FL 34210')).toMatchObject({
      warnings: [expect.stringContaining('reading_changed: The address was read as 5502 Cortez Rd W, Bradenton')],
    })
  })
})

test('a rare spelling of a word is accepted with a warning', () => {
  expect(outcomeOf('2305 Minton Rd, West Melbourne, FL 32904')).toMatchObject({ warnings: [] })
  const warning = 'spelling_changed: The match is on Harbor View Ave, not Harbr View Ave.'
  expect(outcomeOf('71 Harbr View Ave, Tampa, FL 33602')).toMatchObject({ accuracy: 1, warnings: [warning] })
  expect(outcomeOf('71 Hbr View Ave, Tampa, FL 33602')).toMatchObject({ warnings: [] })
})

test('a pack of the version before is still read, also under names with ordinals', () => {
  const db = new Database(join(folder, 'addresses.sqlite'))
  db.run('ALTER TABLE addr DROP COLUMN number')
  db.run(`UPDATE street SET key = '5TH' WHERE name = '5th'; UPDATE name SET key = '5TH' WHERE key = '5'`)
  db.run('PRAGMA user_version = 1')
  db.close()
  const packs = openAddressPackFolder(folder)
  const geocode = createLocalGeocoder({ reader, packs, isOnlyGeocoder: true })
  expect(geocode('350 5 Avenue, New York, NY 10118')!.outcome).toMatchObject({
    normalized_address: '350 5th Ave, New York, NY 10118',
  })
})
