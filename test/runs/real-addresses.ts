import rrad from 'rrad/addresses-us-all.json'
import { isGetOf } from '../upstreams/documents/match-request.ts'
import { jsonAnswer, type SimulatedService } from '../upstreams/service.ts'

/** A real address, as written by people, and its coordinate. */
export type RealAddress = { street: string; city: string; state: string; zip: string; lat: number; lng: number }

/** So many real addresses with a house number and a town, no two at one place. */
export function realAddresses(count: number): RealAddress[] {
  const whole = rrad.addresses.filter(({ address1, city }) => /^\d+ [A-Z]/.test(address1) && city !== undefined)
  const places = new Map(whole.map((it) => [`${it.coordinates.lat},${it.coordinates.lng}`, it]))
  return [...places.values()].slice(0, count).map(({ address1, city, state, postalCode, coordinates }) => ({
    street: address1,
    city: city!,
    state,
    zip: postalCode,
    ...coordinates,
  }))
}

/** The one-line geocoder of the Census Bureau as far as it knows these addresses, in the forms of the real one. */
export function censusOf(addresses: RealAddress[]): SimulatedService {
  const known = new Map(addresses.map((it) => [keyOf(`${it.street}, ${it.city}, ${it.state}, ${it.zip}`), it]))
  return {
    host: 'geocoding.geo.census.gov',
    answer(request) {
      if (!isGetOf(request, '/geocoder/locations/onelineaddress', { format: 'json' })) return null
      const found = known.get(keyOf(request.query.get('address') ?? ''))
      return jsonAnswer({ result: { input: {}, addressMatches: found ? [matchOf(found)] : [] } })
    },
  }
}

function keyOf(address: string): string {
  return address.toLowerCase().replaceAll(/[^a-z0-9]+/g, ' ')
}

function matchOf({ street, city, state, zip, lat, lng }: RealAddress) {
  const [number = '', ...name] = street.toUpperCase().split(' ')
  return {
    matchedAddress: `${[number, ...name].join(' ')}, ${city.toUpperCase()}, ${state}, ${zip}`,
    coordinates: { x: lng, y: lat },
    tigerLine: { tigerLineId: '1', side: 'L' },
    addressComponents: {
      fromAddress: number,
      toAddress: number,
      preQualifier: '',
      preDirection: '',
      preType: '',
      streetName: name.join(' '),
      suffixType: '',
      suffixDirection: '',
      suffixQualifier: '',
      city: city.toUpperCase(),
      state,
      zip,
    },
  }
}
