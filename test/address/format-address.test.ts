import { describe, expect, test } from 'bun:test'
import { formatCapitals } from '../../src/address/format-address.ts'

describe('an address in capitals has the form of the other providers', () => {
  test.each([
    ['1777 BROADWAY, BOULDER, CO, 80302', '1777 Broadway, Boulder, CO 80302'],
    ['1600 PENNSYLVANIA AVE NW, WASHINGTON, DC, 20502', '1600 Pennsylvania Ave NW, Washington, DC 20502'],
    ["101 E 16TH ST, O'FALLON, MO, 63366", "101 E 16th St, O'Fallon, MO 63366"],
    ['12 MCKINLEY AVE, MCALLEN, TX, 78501', '12 McKinley Ave, McAllen, TX 78501'],
    ['5 US HWY 36, ESTES PARK, CO, 80517', '5 US Hwy 36, Estes Park, CO 80517'],
    ['1 PEÑA BLVD, DENVER, CO', '1 Peña Blvd, Denver, CO'],
    ['1777 Broadway, Boulder, CO 80302', '1777 Broadway, Boulder, CO 80302'],
  ])('%s', (found, formatted) => expect(formatCapitals(found)).toBe(formatted))
})
