import { jsonAnswer, type ReceivedRequest, type ServiceAnswer, type SimulatedService } from './service.ts'
import { isGetOf } from './documents/match-request.ts'
import scriptsFile from './geocoder-scripts.json' with { type: 'json' }

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
type Script = { requested: string; note?: string; geocodio: Result[]; census: Known[] }
type Result = { of: Known; accuracy: number; accuracy_type: string; formatted?: string }

/**
 * Made-up answers in the forms of the real ones; the first script that fits the text is played, and what fits none is
 * not known to anybody.
 */
const scripts: Script[] = scriptsFile

function scriptOf(text: string): Script | undefined {
  return scripts.find(({ requested }) => new RegExp(requested, 'i').test(text))
}

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
    const results = scriptOf(text)?.geocodio ?? []
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
  const matches = scriptOf(text)?.census ?? []
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
