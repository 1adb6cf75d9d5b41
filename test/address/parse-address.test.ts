import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import rrad from 'rrad/addresses-us-all.json'
import { normalizeWords } from '../../src/address/tokenizer.ts'
import { townKeyOf } from '../../src/address/town.ts'
import { createAddressParser } from '../../src/address/parse-address.ts'
import { realGazetteer } from '../support/real-gazetteer.ts'

const parse = createAddressParser(realGazetteer())
const partsOf = (text: string) => {
  const { text: _, ...parts } = parse(text)
  return parts
}

describe('numbers', () => {
  const cases: [text: string, number: string | undefined, street: string][] = [
    ['123 Main St, Denver, CO', '123', 'Main'],
    ['123A Main St, Denver, CO', '123A', 'Main'],
    ['123 1/2 Main St, Denver, CO', '123 1/2', 'Main'],
    ['123½ Main St, Denver, CO', '123 1/2', 'Main'],
    ['123-1/2 Main St, Denver, CO', '123 1/2', 'Main'],
    ['12-34 31st Ave, Long Island City, NY 11106', '12-34', '31st'],
    ['94-1012 Waipahu St, Waipahu, HI 96797', '94-1012', 'Waipahu'],
    ['12-B Main St, Denver, CO', '12-B', 'Main'],
    ['N6W23001 Bluemound Rd, Waukesha, WI', 'N6W23001', 'Bluemound'],
    ['W156 N8327 Pilgrim Rd, Menomonee Falls, WI', 'W156N8327', 'Pilgrim'],
    ['B-12 Calle 5, San Juan, PR 00926', 'B-12', '5'],
    ['8202 4 Winds Drive, Lyndon, KY', '8202', '4 Winds'],
    ['One Microsoft Way, Redmond, WA', '1', 'Microsoft'],
    ['Quarry Trust One Busch Place, Denver, CO', '1', 'Busch'],
    ['Old One Mile Rd, Denver, CO', undefined, 'Old One Mile'],
    ['12 B- West Grant, Denver, CO', '12B', 'Grant'],
    ['12 C Harbor Blvd, Denver, CO', '12C', 'Harbor'],
    ['12 C St Charles Pl, Denver, CO', '12C', 'St Charles'],
    ['12 F St NW, Denver, CO', '12', 'F'],
    ['39.5 Main St, Denver, CO', undefined, '39.5 Main'],
    ['7th Street, Denver, CO', undefined, '7th'],
    ['Main Street, Denver, CO', undefined, 'Main'],
  ]
  test.each(cases)('%s', (text, number, street) => {
    const found = partsOf(text)
    expect([found.number, found.street]).toEqual([number, street])
  })
})

describe('streets', () => {
  const cases: [text: string, street: Record<string, string>][] = [
    ['100 N Main St', { predirectional: 'N', street: 'Main', suffix: 'St' }],
    ['100 Northwest Main Street', { predirectional: 'NW', street: 'Main', suffix: 'St' }],
    ['100 N. W. Main St.', { predirectional: 'NW', street: 'Main', suffix: 'St' }],
    ['100 N E Street', { predirectional: 'N', street: 'E', suffix: 'St' }],
    ['100 North Street', { street: 'North', suffix: 'St' }],
    ['100 18th Avenue South', { street: '18th', suffix: 'Ave', postdirectional: 'S' }],
    ['100 Pennsylvania Ave N W', { street: 'Pennsylvania', suffix: 'Ave', postdirectional: 'NW' }],
    ['100 7th Street Road', { street: '7th Street', suffix: 'Rd' }],
    ['100 Avenue B', { pretype: 'Avenue', street: 'B' }],
    ['100 Avenue E', { pretype: 'Avenue', street: 'E' }],
    ['100 Avenue of the Americas', { street: 'Avenue of the Americas' }],
    ['100 County Road 500 E', { pretype: 'County Road', street: '500', postdirectional: 'E' }],
    ['100 CR 500', { pretype: 'County Road', street: '500' }],
    ['100 US Hwy 12 E', { pretype: 'US Highway', street: '12', postdirectional: 'E' }],
    ['100 PR-118', { pretype: 'State Route', street: '118' }],
    ['100 SR-17-92', { pretype: 'State Route', street: '17-92' }],
    ['100 Old Highway 1A', { street: 'Old Highway 1A' }],
    ['100 Washington Road J', { street: 'Washington', suffix: 'Rd', unit: 'J' }],
    ['100 U.S. 12', { pretype: 'US Highway', street: '12' }],
    ['100 N State Route 9', { predirectional: 'N', pretype: 'State Route', street: '9' }],
    ['100 VT Route 100', { pretype: 'State Route', street: '100' }],
    ['100 I-70', { pretype: 'Interstate', street: '70' }],
    ['100 Highway A1A', { pretype: 'Highway', street: 'A1A' }],
    ['100 Calle Luna', { pretype: 'Calle', street: 'Luna' }],
    ['100 Broadway', { street: 'Broadway' }],
    ['100 Calle A, Urb Las Gladiolas', { pretype: 'Calle', street: 'A' }],
    ['Urb Las Gladiolas, 100 Calle A', { pretype: 'Calle', street: 'A' }],
    ['100 Main St, Downtown', { street: 'Main', suffix: 'St' }],
    ['100 Main St, NE', { street: 'Main', suffix: 'St', postdirectional: 'NE' }],
    ["100 Chrissy's Court", { street: "Chrissy's", suffix: 'Ct' }],
    ['100 WB&A Road', { street: 'WB&A', suffix: 'Rd' }],
    ['100 CAÑON DR', { street: 'Cañon', suffix: 'Dr' }],
    ['100 Main Ave Luxe Logan Square', { street: 'Main', suffix: 'Ave' }],
    ['100 Main Rd NE Tower Place', { street: 'Main', suffix: 'Rd', postdirectional: 'NE' }],
    ['100 Main St. 1 Financial Place', { street: 'Main', suffix: 'St' }],
    ['100 Old Road In The Park', { street: 'Old Road In The', suffix: 'Park' }],
    ['100 Harbor Hgwy', { street: 'Harbor', suffix: 'Hwy' }],
    ['100 Main Stree', { street: 'Main', suffix: 'St' }],
    ['100 Main St, West Hall', { street: 'Main', suffix: 'St' }],
    ['100 Main St, West', { street: 'Main', suffix: 'St', postdirectional: 'W' }],
    ['100 US 17 Business', { pretype: 'US Highway', street: '17 Business' }],
    ['100 US 15-501 N', { pretype: 'US Highway', street: '15-501', postdirectional: 'N' }],
    ['100 Route 60 East Quarry Industrial Park', { pretype: 'Route', street: '60', postdirectional: 'E' }],
    ['100 US Highway 301 Blvd W', { pretype: 'US Highway', street: '301', suffix: 'Blvd', postdirectional: 'W' }],
    ['100 W Bay to Bay Blvd', { predirectional: 'W', street: 'Bay to Bay', suffix: 'Blvd' }],
    ['100 Highway 98 Frontage Road', { pretype: 'Highway', street: '98 Frontage', suffix: 'Rd' }],
  ]
  test.each(cases)('%s', (street, expected) => {
    const { number, city, state, ...found } = partsOf(`${street}, Denver, CO`)
    expect({ number, city, state, found } as unknown).toEqual({
      number: '100',
      city: 'Denver',
      state: 'CO',
      found: expected,
    })
  })
})

describe('units', () => {
  const cases: [text: string, unit: string | undefined][] = [
    ['100 Main St Apt 4', 'Apt 4'],
    ['100 Main St, Apartment 4B', 'Apt 4B'],
    ['100 Main St #3', '#3'],
    ['100 Main St # 3', '#3'],
    ['100 Main St, #APT 9', 'Apt 9'],
    ['100 Main St ##3', '#3'],
    ['100 Main St Ste. A', 'Ste A'],
    ['100 Main St Bldg 2 Apt 4', 'Bldg 2 Apt 4'],
    ['100 Main St 2nd Floor', '2nd Fl'],
    ['100 Main St Rear', 'Rear'],
    ['100 55th Avenue B', 'B'],
    ['100 Main St 12', '12'],
    ['100 Main St, R C', 'R C'],
    ['100 5th Street N E 301', '301'],
    ['100 Main St, B-17, Ste 200', 'B-17 Ste 200'],
    ['100 Broadway, Downtown, Ste 3', 'Ste 3'],
    ['Apt 4, 100 Main St', 'Apt 4'],
    ['Harbor Tower, 10th Floor, 100 Main St', '10th Fl'],
    ['Harbor Tower 10th Floor 100 Main St', '10th Fl'],
    ['14th Floor Quarry Tower 100 Main St', '14th Fl'],
    ['30 Quarry Plaza, Suite 700, 100 Main St', 'Ste 700'],
    ['#4 100 Main St', '#4'],
    ['Quarry Building, 100 Main St', undefined],
    ['100 Main St Ste 900 S Bldg', 'Ste 900'],
    ['100 Main St, 14th Flr, L & C Twr', '14th Fl'],
    ['100 Main St Ste 17-18E Suite E17-18', 'Ste 17-18E'],
    ['100 Main St mailbox 2825', 'Pmb 2825'],
    ['100 Main St Mezzaine', 'Mezz'],
    ['100 W Shoreline 1 W', '1 W'],
    ['100 Main Ave, NE 41 SW', '41 SW'],
    ['100 Quarry Rd 22 E', '22 E'],
    ['100 State Highway 268 Rear', 'Rear'],
    ['100 Highway 290 A16', 'A16'],
    ['100 Quarry Hwy, # 30B', '#30B'],
    ['100 Highway 12 W', undefined],
    ['100 N RM 1608', undefined],
    ['100 W FL-12', undefined],
    ['100 18th Avenue S', undefined],
    ['100 Old Highway 98', undefined],
    ['100 Key Street', undefined],
    ['100 Lower Mill Road', undefined],
  ]
  test.each(cases)('%s', (text, unit) => {
    const found = partsOf(`${text}, Denver, CO 80202`)
    expect([found.number, found.unit, found.city]).toEqual(['100', unit, 'Denver'])
  })
})

describe('town, state and ZIP code', () => {
  const cases: [text: string, city: string | undefined, state: string | undefined, zip: string | undefined][] = [
    ['6007 applegate lane louisville ky 40219', 'Louisville', 'KY', '40219'],
    ['8704 bayberry place plantation ky 40242', 'Plantation', 'KY', '40242'],
    ['8 kettle ct 06040', undefined, undefined, '06040'],
    ['8 smith rd ct 06040', undefined, 'CT', '06040'],
    ['81 W Avenue J, 96797', undefined, undefined, '96797'],
    ['6861 County Road Y, NY 10118', undefined, 'NY', '10118'],
    ['7 Oak St Second Floor, HI 96797', undefined, 'HI', '96797'],
    ['7 Oak St, Quarry Tower, 80302', undefined, undefined, '80302'],
    ['7 Oak St Mezzanine Menomonee Falls WI', 'Menomonee Falls', 'WI', undefined],
    ['150 carter street manchester ct 06040', 'Manchester', 'CT', '06040'],
    ['6 lake street saint albans city vt 05478', 'Saint Albans City', 'VT', '05478'],
    ['6 Lake St, St. Albans, VT', 'St Albans', 'VT', undefined],
    ['20 lake forest drive south burlington vt', 'South Burlington', 'VT', undefined],
    ['803 18th avenue south nashville tn 37203', 'Nashville', 'TN', '37203'],
    ['388 east main street vt 05753', undefined, 'VT', '05753'],
    ['123 main st little rock arkansas', 'Little Rock', 'AR', undefined],
    ['123 main st north little rock ar 72114', 'North Little Rock', 'AR', '72114'],
    ['350 5th ave new york', 'New York', undefined, undefined],
    ['350 5th ave, new york, new york 10118', 'New York', 'NY', '10118'],
    ['1600 Pennsylvania Ave NW, Washington, D.C. 20500-0003', 'Washington', 'DC', '20500-0003'],
    ['1600 pennsylvania ave nw washington dc 20500 0003', 'Washington', 'DC', '20500-0003'],
    ['123 Main St, Seattle, Washington', 'Seattle', 'WA', undefined],
    ['123 Main St, Charleston, West Virginia, USA', 'Charleston', 'WV', undefined],
    ['123 Main St, Denver 80202 CO', 'Denver', 'CO', '80202'],
    ['1200 County Road 500 E Champaign IL', 'Champaign', 'IL', undefined],
    ['123 Main St NE', undefined, undefined, undefined],
    ['123 Main St, Omaha NE', 'Omaha', 'NE', undefined],
    ['123 Main St, Kansas City, KS', 'Kansas City', 'KS', undefined],
    ['123 Main St, Indiana, PA', 'Indiana', 'PA', undefined],
    ['721 vermont 5a westmore vt 05860', 'Westmore', 'VT', '05860'],
    ['100 Highway 12345', undefined, undefined, undefined],
    ['Empire State Building, 350 5th Ave, New York, NY', 'New York', 'NY', undefined],
    ['5 Main Walk Floor 5 Bay Harbor Island FL 33154', 'Bay Harbor Island', 'FL', '33154'],
    ['1421 39th Street Pl, Marion, IA 5230', 'Marion', 'IA', undefined],
    ['1 Quarry Way MSC 24 S San Fran CA 94080', 'S San Fran', 'CA', '94080'],
    ['12 Quarry Turn Huntingdon Vy PA 19006', 'Huntingdon Vy', 'PA', '19006'],
    ['12 Quarry Walk 3R Portland ME 041 01', 'Portland', 'ME', '04101'],
    ['12 State Road 7 Suite 28 Records Division Miramar FL 33023', 'Miramar', 'FL', '33023'],
    ['12 US 17 Business Surfside Beach SC 29575', 'Surfside Beach', 'SC', '29575'],
    ['12 Quarry Drive Second Floor Nashville', 'Nashville', undefined, undefined],
    ['Quarry Center 12 S. Wabash', undefined, undefined, undefined],
  ]
  test.each(cases)('%s', (text, city, state, zip) => {
    const found = partsOf(text)
    expect([found.city, found.state, found.zip]).toEqual([city, state, zip])
  })
})

describe('intersections', () => {
  const cases = [
    '5th Ave & W 42nd St, New York, NY',
    '5th Ave and W 42nd St New York NY',
    '5TH AVE AT W 42ND ST, NEW YORK NY',
    '5th Ave @ W 42nd St, New York, NY',
    'Corner of 5th Ave and W 42nd St, New York, NY',
    '5th Ave / W 42nd St, New York, NY',
  ]
  test.each(cases)('%s', (text) => {
    expect(partsOf(text)).toEqual({
      street: '5th',
      suffix: 'Ave',
      crossing: { predirectional: 'W', street: '42nd', suffix: 'St' },
      city: 'New York',
      state: 'NY',
    })
  })

  test.each([
    ['Saint  Mary', ['SAINT', 'MARY']],
    [' main ', ['MAIN']],
    ['', []],
    ['7th Ave. N.', ['7TH', 'AVE', 'N']],
    ["Saint Mary's", ['SAINT', 'MARYS']],
    ['Doña Ana', ['DONA', 'ANA']],
    ['Main&Elm', ['MAIN', '&', 'ELM']],
  ])('the normalized words of %j are %j', (name, words) => expect(normalizeWords(name)).toEqual(words))

  test('a number before a suffix can be the name of a street: 1 St & 2 Ave', () => {
    expect(partsOf('1 St & 2 Ave, New York, NY')).toMatchObject({
      street: '1',
      suffix: 'St',
      crossing: { street: '2', suffix: 'Ave' },
    })
  })

  test('a street with a number is not an intersection, even if its name contains "and"', () => {
    expect(partsOf('100 Bread and Cheese Hollow Rd, Northport, NY')).toEqual({
      number: '100',
      street: 'Bread and Cheese Hollow',
      suffix: 'Rd',
      city: 'Northport',
      state: 'NY',
    })
  })
})

describe('the 3,220 real addresses of rrad', () => {
  for (const separator of [', ', ' '])
    for (const form of ['as they are', 'in capitals', 'in lower case'] as const) {
      test(`${form}, ${separator === ' ' ? 'without' : 'with'} commas: number, ZIP and state of at least 99.5 %, town of at least 98 %`, () => {
        const right = { number: 0, zip: 0, state: 0, city: 0 }
        for (const { address1, address2, city, state, postalCode } of rrad.addresses as {
          address1: string
          address2: string
          city?: string
          state: string
          postalCode: string
        }[]) {
          const text = [address1, address2, city, `${state} ${postalCode}`].filter((part) => part).join(separator)
          const found = parse(
            form === 'in capitals' ? text.toUpperCase() : form === 'in lower case' ? text.toLowerCase() : text,
          )
          right.number += Number(found.number === /^\d\S*(?: \d\/\d)?/.exec(address1)?.[0].toUpperCase())
          right.zip += Number(found.zip === postalCode)
          right.state += Number(found.state === state)
          right.city += Number(townKeyOf(normalizeWords(found.city ?? '')) === townKeyOf(normalizeWords(city ?? '')))
        }
        const floor = 0.995 * rrad.addresses.length
        expect(right.number).toBeGreaterThanOrEqual(floor)
        expect(right.zip).toBeGreaterThanOrEqual(floor)
        expect(right.state).toBeGreaterThanOrEqual(floor)
        expect(right.city).toBeGreaterThanOrEqual(0.98 * rrad.addresses.length)
      })
    }
})

test('any text is parsed without an error', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 256 }), (text) => {
      expect(parse(text).text).toBe(text)
    }),
    { seed: 20_261_121, numRuns: 500 },
  )
})
