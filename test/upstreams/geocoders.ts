import { jsonAnswer, type ReceivedRequest, type ServiceAnswer, type SimulatedService } from './service.ts'
import { isGetOf } from './documents/match-request.ts'

/** What a made-up address is at both providers: the parts of Geocodio, and where it lies. */
type Known = {
  number: string
  predirectional?: string
  street: string
  suffix?: string
  postdirectional?: string
  city: string
  county: string
  state: string
  zip: string
  lat: number
  lng: number
}

/** An answer of one provider to some texts: Geocodio's results, the Census Bureau's matches. */
type Script = { requested: RegExp; geocodio: Result[]; census: Known[] }
type Result = { of: Known; accuracy: number; accuracy_type: string; formatted?: string }

const white = {
  number: '1600',
  street: 'Pennsylvania',
  suffix: 'Ave',
  postdirectional: 'NW',
  city: 'Washington',
  county: 'District of Columbia',
  state: 'DC',
  zip: '20500',
  lat: 38.897675,
  lng: -77.036547,
}
const highland = {
  number: '1109',
  predirectional: 'N',
  street: 'Highland',
  suffix: 'St',
  city: 'Arlington',
  county: 'Arlington County',
  state: 'VA',
  zip: '22201',
  lat: 38.886672,
  lng: -77.094735,
}
const boulder = {
  number: '1777',
  street: 'Broadway',
  city: 'Boulder',
  county: 'Boulder County',
  state: 'CO',
  zip: '80302',
  lat: 40.015,
  lng: -105.2705,
}
const elm = {
  number: '100',
  street: 'Elm',
  suffix: 'St',
  city: 'Dallas',
  county: 'Dallas County',
  state: 'TX',
  zip: '75201',
  lat: 32.7813,
  lng: -96.7972,
}
const denverBroadway = {
  number: '100',
  street: 'Broadway',
  city: 'Denver',
  county: 'Denver County',
  state: 'CO',
  zip: '80203',
  lat: 39.7185,
  lng: -104.9875,
}

const rooftop = (of: Known, accuracy = 1): Result => ({ of, accuracy, accuracy_type: 'rooftop' })

/**
 * Made-up answers in the forms of the real ones; the first script that fits the text is played, and what fits none is
 * not known to anybody.
 */
const scripts: Script[] = [
  // The Census Bureau changes the ZIP code of the White House without a word.
  {
    requested: /^1600 pennsylvania/i,
    geocodio: [rooftop(white)],
    census: [{ ...white, zip: '20502', lat: 38.898754, lng: -77.03535 }],
  },
  {
    requested: /^1109 n highland/i,
    geocodio: [rooftop(highland)],
    census: [{ ...highland, lat: 38.8867, lng: -77.0948 }],
  },
  { requested: /^1777 broadway/i, geocodio: [rooftop(boulder)], census: [boulder] },
  {
    requested: /^1777 range/i,
    geocodio: [
      { of: { ...boulder, street: 'Range', suffix: 'Rd' }, accuracy: 0.9, accuracy_type: 'range_interpolation' },
    ],
    census: [{ ...boulder, street: 'Range', suffix: 'Rd' }],
  },
  { requested: /^1777 census/i, geocodio: [], census: [{ ...boulder, street: 'Census', suffix: 'Ln' }] },
  {
    requested: /^1777 nearest/i,
    geocodio: [
      { of: { ...boulder, street: 'Nearest', suffix: 'St' }, accuracy: 0.95, accuracy_type: 'nearest_rooftop_match' },
    ],
    census: [],
  },
  {
    requested: /^1777 point/i,
    geocodio: [{ of: { ...boulder, street: 'Point', suffix: 'St' }, accuracy: 0.95, accuracy_type: 'point' }],
    census: [],
  },
  // The number is another one, though the label says rooftop and the score is 1.
  {
    requested: /^1778 wrongnumber/i,
    geocodio: [rooftop({ ...boulder, number: '1700', street: 'Wrongnumber', suffix: 'St' })],
    census: [],
  },
  {
    requested: /^1777 wrongstate/i,
    geocodio: [
      rooftop({
        ...boulder,
        street: 'Wrongstate',
        suffix: 'St',
        state: 'WY',
        zip: '82001',
        city: 'Cheyenne',
        lat: 41.14,
        lng: -104.82,
      }),
    ],
    census: [],
  },
  {
    requested: /^1777 wrongzip/i,
    geocodio: [rooftop({ ...boulder, street: 'Wrongzip', suffix: 'St', zip: '81501' })],
    census: [],
  },
  {
    requested: /^1777 wrongtown/i,
    geocodio: [rooftop({ ...denverBroadway, number: '1777', street: 'Wrongtown', suffix: 'St' })],
    census: [],
  },
  {
    requested: /^1777 atsea/i,
    geocodio: [rooftop({ ...boulder, street: 'Atsea', suffix: 'St', lat: 0, lng: 0 })],
    census: [],
  },
  {
    requested: /^1777 otherstate/i,
    geocodio: [rooftop({ ...boulder, street: 'Otherstate', suffix: 'St', lat: 44.05, lng: -103.23 })],
    census: [],
  },
  {
    requested: /^1777 doubtful/i,
    geocodio: [rooftop({ ...boulder, street: 'Doubtful', suffix: 'St' }, 0.7)],
    census: [],
  },
  {
    requested: /^1777 hopeless/i,
    geocodio: [rooftop({ ...boulder, street: 'Hopeless', suffix: 'St' }, 0.5)],
    census: [],
  },
  // Geocodio degrades a street that it does not know to the town, and says that it is certain.
  {
    requested: /^1777 coarse/i,
    geocodio: [
      {
        of: { ...boulder, number: '', street: '' },
        accuracy: 1,
        accuracy_type: 'place',
        formatted: 'Boulder, CO 80302',
      },
    ],
    census: [],
  },
  {
    requested: /^1777 streetonly/i,
    geocodio: [
      {
        of: { ...boulder, number: '', street: 'Streetonly', suffix: 'St' },
        accuracy: 1,
        accuracy_type: 'street_center',
      },
    ],
    census: [],
  },
  {
    requested: /^100 twice/i,
    geocodio: [
      rooftop({ ...elm, street: 'Twice', suffix: 'Ave' }, 0.95),
      rooftop({ ...elm, street: 'Twice', suffix: 'Ave', zip: '75217', lat: 32.72, lng: -96.68 }, 0.95),
    ],
    census: [],
  },
  // The recorded answer for 1101 Pennsylvania Avenue NW: three rooftops, of which two are elsewhere.
  {
    requested: /^1101 pennsylvania/i,
    census: [],
    geocodio: [
      rooftop({ ...white, number: '1101', zip: '20004', lat: 38.895, lng: -77.0271 }),
      rooftop({ ...white, number: '1101', postdirectional: 'SE', zip: '20003', lat: 38.8842, lng: -76.9907 }, 0.8),
      rooftop(
        {
          ...white,
          number: '1101',
          street: 'Penn',
          suffix: 'St',
          postdirectional: 'NE',
          zip: '20002',
          lat: 38.9086,
          lng: -76.9911,
        },
        0.5,
      ),
    ],
  },
  {
    requested: /^broadway (&|and) (1st|e 1st|first)/i,
    geocodio: [
      {
        of: { ...denverBroadway, number: '' },
        accuracy: 1,
        accuracy_type: 'intersection',
        formatted: 'Broadway and 1st Ave, Denver, CO 80203',
      },
    ],
    census: [],
  },
]

/**
 * Geocodio: one script for each text. The keys `refused` and `spent` are answered as the real service answers such
 * accounts.
 */
const geocodio: SimulatedService = {
  host: 'api.geocod.io',
  answer(received) {
    const text = received.query.get('q')
    if (text === null || !isGetOf(received, '/v1.11/geocode', { limit: '5' })) return null
    const key = received.headers.get('authorization')
    if (!key?.startsWith('Bearer ') || key === 'Bearer refused') return jsonAnswer({ error: 'Invalid API key' }, 403)
    if (key === 'Bearer spent')
      return jsonAnswer(
        {
          error:
            "You can't make this request as it is above your daily maximum. You can configure billing at https://dash.geocod.io",
        },
        403,
      )
    if (key === 'Bearer unpaid') return jsonAnswer({ error: 'Payment required' }, 402)
    if (!['USA', 'Canada', 'Mexico'].includes(received.query.get('country') ?? 'USA'))
      return jsonAnswer({ error: 'The country parameter must be one of: USA, Canada, Mexico' }, 422)
    if (!/\d{5}|[a-z]{2}\b/i.test(text))
      return jsonAnswer({ error: 'Could not geocode address, zip code or city/state are required' }, 422)
    const results = scripts.find((script) => script.requested.test(text))?.geocodio ?? []
    return jsonAnswer({ input: { address_components: {}, formatted_address: text }, results: results.map(resultOf) })
  },
}

/**
 * The one-line geocoder of the Census Bureau: 100 characters at most, no score, the range of the street in place of the
 * number.
 */
const censusOneLine: SimulatedService = {
  host: 'geocoding.geo.census.gov',
  answer(received) {
    if (!isGetOf(received, '/geocoder/locations/onelineaddress', { format: 'json' })) return null
    return oneLine(received)
  },
}

export const geocoders: SimulatedService[] = [geocodio, censusOneLine]

function oneLine({ query }: ReceivedRequest): ServiceAnswer {
  const text = query.get('address') ?? ''
  if (query.get('benchmark') !== 'Public_AR_Current')
    return jsonAnswer({ errors: ['Specify a valid benchmark'], status: '400' }, 400)
  if (text === '' || [...text].length > 100)
    return jsonAnswer(
      { errors: ['Street address cannot be empty and cannot exceed 100 characters'], status: '400' },
      400,
    )
  if (/^unreadable/i.test(text))
    return jsonAnswer(
      { errors: ['Specify House number and Street name along with City and State and/or ZIP Code'], status: '400' },
      400,
    )
  const matches = scripts.find((script) => script.requested.test(text))?.census ?? []
  return jsonAnswer({
    result: {
      input: {
        address: { address: text },
        benchmark: { id: '4', benchmarkName: 'Public_AR_Current', isDefault: false },
      },
      addressMatches: matches.map(matchOf),
    },
  })
}

/** Keys are left out where there is nothing. */
function resultOf({ of, accuracy, accuracy_type, formatted }: Result) {
  const { lat, lng, ...components } = of
  const street = [of.predirectional, of.street, of.suffix, of.postdirectional].filter(Boolean).join(' ')
  const line = [of.number, street].filter(Boolean).join(' ')
  const address_components = Object.fromEntries(
    Object.entries({ ...components, formatted_street: street, country: 'US' }).filter(([, value]) => value !== ''),
  )
  return {
    address_components,
    address_lines: [line, '', `${of.city}, ${of.state} ${of.zip}`],
    formatted_address: formatted ?? `${line}, ${of.city}, ${of.state} ${of.zip}`,
    location: { lat, lng },
    accuracy,
    accuracy_type,
    source: 'Made up',
  }
}

function matchOf({
  number,
  predirectional = '',
  street,
  suffix = '',
  postdirectional = '',
  city,
  state,
  zip,
  lat,
  lng,
}: Known) {
  const line = [number, predirectional, street, suffix, postdirectional].filter(Boolean).join(' ')
  return {
    matchedAddress: `${line}, ${city}, ${state}, ${zip}`.toUpperCase(),
    coordinates: { x: lng, y: lat },
    tigerLine: { tigerLineId: '76225813', side: 'L' },
    addressComponents: {
      fromAddress: '1600',
      toAddress: '1798',
      preQualifier: '',
      preDirection: predirectional.toUpperCase(),
      preType: '',
      streetName: street.toUpperCase(),
      suffixType: suffix.toUpperCase(),
      suffixDirection: postdirectional.toUpperCase(),
      suffixQualifier: '',
      city: city.toUpperCase(),
      state,
      zip,
    },
  }
}
