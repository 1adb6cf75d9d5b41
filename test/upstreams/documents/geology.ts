import type { Point } from '../../../src/model/place.ts'
import { jsonAnswer, textAnswer, type ReceivedRequest, type ServiceAnswer, type SimulatedService } from '../service.ts'
import { testPlaces } from '../test-places.ts'
import { testPlaceAt, regionAt } from './place-at.ts'
import { decimal, isGetOf, pointFrom, pointFromQuery } from './match-request.ts'

// Synthetic: units, spectra and counts are ours; the shapes are those of the publishers.

/**
 * Macrostrat: the geologic units mapped at a point, of one scale if it is named. None mapped: an empty list. A unit
 * without a name or lithology has empty texts; that of Anchorage has them at the large scale.
 */
export const macrostratService: SimulatedService = {
  host: 'macrostrat.org',
  answer(received) {
    const at = pointFromQuery(received.query, 'lat', 'lng')
    if (!at || !isGetOf(received, '/api/v2/geologic_units/map')) return null
    const scale = received.query.get('scale')
    const name = testPlaceAt(at)
    const isNamed = name !== 'anchorage' || scale === 'medium'
    const unit = {
      map_id: 1,
      source_id: 7,
      name: isNamed ? 'Made-up Formation, undivided' : '',
      strat_name: 'Made-up Formation',
      lith: isNamed ? 'Major:{sandstone}, Minor:{siltstone}' : '',
      descrip: '',
      comments: '',
      t_int_name: 'Holocene',
      b_int_name: 'Pliocene',
      best_age_top: 0,
      best_age_bottom: 5.3,
      color: '#fff',
    }
    return jsonAnswer({ success: { v: 2, license: 'CC-BY 4.0', data: name ? [unit] : [], refs: {} } })
  },
}

/** Earthquake hazards of the USGS: design values, and the count of the event catalogue. */
export const earthquakes: SimulatedService = {
  host: 'earthquake.usgs.gov',
  answer(received) {
    if (received.path === '/ws/building-codes/asce7-22/calculate') return design(received)
    if (received.path === '/ws/designmaps/asce7-22.json')
      return {
        status: 301,
        headers: { location: `/ws/building-codes/asce7-22/calculate?${received.query.toString()}` },
        body: '',
      }
    const hazard = /^\/ws\/nshmp\/conus-2023\/dynamic\/hazard\/([^/]+)\/([^/]+)\/760$/.exec(received.path)
    if (hazard && received.query.get('imt') === 'PGA') return hazardCurves(pointFrom(hazard[2], hazard[1]))
    if (isGetOf(received, '/fdsnws/event/1/count', { format: 'geojson' })) return events(received)
    return null
  },
}

/** The Holocene volcanoes of the Smithsonian, as its GeoServer gives them. */
export const volcanoes: SimulatedService = {
  host: 'webservices.volcano.si.edu',
  answer(received) {
    const requested = {
      service: 'WFS',
      version: '2.0.0',
      request: 'GetFeature',
      typeName: 'GVP-VOTW:Smithsonian_VOTW_Holocene_Volcanoes',
      outputFormat: 'application/json',
    }
    if (!isGetOf(received, '/geoserver/GVP-VOTW/ows', requested)) return null
    const features = [
      volcano(313_020, 'Spurr', 'United States', { lat: 61.299, lng: -152.251 }, 1992),
      volcano(323_080, 'Lassen Volcanic Center', 'United States', { lat: 40.492, lng: -121.508 }, 1917),
      volcano(332_010, "Kama'ehuakanaloa", 'United States', { lat: 18.92, lng: -155.27 }, 1996),
      volcano(341_010, 'Isla Tortuga', 'Mexico', { lat: 27.43, lng: -111.88 }, null),
    ]
    return jsonAnswer({
      type: 'FeatureCollection',
      features,
      totalFeatures: features.length,
      numberMatched: features.length,
      numberReturned: features.length,
      crs: { type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::4326' } },
    })
  },
}

function design(received: ReceivedRequest): ServiceAnswer {
  if (
    !isGetOf(received, received.path, {
      riskCategory: /I|II|III|IV/,
      siteClass: /Default|A|B|BC|C|CD|D|DE|E/,
      title: /.+/,
    })
  )
    return null
  const at = pointFromQuery(received.query, 'latitude', 'longitude')
  const { riskCategory, siteClass, title } = Object.fromEntries(received.query)
  const request = {
    date: new Date().toISOString(),
    referenceDocument: 'ASCE7-22',
    url: received.path,
    parameters: { latitude: at?.lat, longitude: at?.lng, riskCategory, siteClass, title },
  }
  if (!at || !regionAt(at))
    return jsonAnswer(
      {
        request: { ...request, status: 'error' },
        response: 'Location is outside of the region of the reference document',
      },
      500,
    )
  const strong = testPlaceAt(at) === 'paradise' || testPlaceAt(at) === 'anchorage'
  const data = {
    pgam: strong ? 0.61 : 0.09,
    sms: 0.64,
    sm1: 0.38,
    sds: strong ? 0.98 : 0.43,
    sd1: strong ? 0.71 : 0.25,
    sdc: testPlaceAt(at) === 'san_juan' ? null : strong ? 'D' : 'B',
    ss: 0.61,
    s1: 0.18,
    ts: 0.58,
    t0: 0.12,
    tl: 12,
    cv: 1.1,
    underlyingData: {},
    multiPeriodDesignSpectrum: {},
  }
  return jsonAnswer({ request: { ...request, status: 'success' }, response: { data, metadata: {} } })
}

function hazardCurves(at: Point | null): ServiceAnswer {
  if (!at || regionAt(at) !== 'CONUS')
    return jsonAnswer({ status: 'error', message: 'Site is outside of the bounds of the model' }, 400)
  const strong = testPlaceAt(at) === 'paradise' ? 4 : 1
  const xs = [0.0025, 0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56]
  const ys = [0.09, 0.05, 0.03, 0.011, 0.003, 0.0011, 0.00039, 0.00012, 0.000024, 0.000003, 0]
  const total = { component: 'Total', values: { xs, ys: ys.map((it) => it * strong) } }
  const hazardCurves = [{ imt: { display: 'Peak Ground Acceleration', value: 'PGA' }, data: [total] }]
  return jsonAnswer({ name: 'National Seismic Hazard Model', status: 'success', response: { hazardCurves } })
}

function events({ query }: ReceivedRequest): ServiceAnswer {
  const at = pointFromQuery(query, 'latitude', 'longitude')
  const numbers = ['maxradiuskm', 'minmagnitude'].every((name) =>
    new RegExp(`^${decimal.source}$`).test(query.get(name) ?? ''),
  )
  if (!at || !numbers || !/^\d{4}-\d\d-\d\d$/.test(query.get('starttime') ?? '')) {
    return textAnswer(
      'Error 400: Bad Request\n\nBad parameter value\n\nUsage details are available from https://earthquake.usgs.gov/fdsnws/event/1',
      'text/plain',
      400,
    )
  }
  const name = testPlaceAt(at)
  const explosions = query.get('eventtype') === 'earthquake' ? 0 : 5
  return jsonAnswer({ count: name ? 3 * Object.keys(testPlaces).indexOf(name) + explosions : 0, maxAllowed: 20_000 })
}

function volcano(number: number, name: string, country: string, { lat, lng }: Point, last: number | null) {
  return {
    type: 'Feature',
    id: `Smithsonian_VOTW_Holocene_Volcanoes.${number}`,
    geometry: { type: 'Point', coordinates: [lng, lat] },
    geometry_name: 'GeoLocation',
    properties: {
      Volcano_Number: number,
      Volcano_Name: name,
      Country: country,
      Last_Eruption_Year: last,
      Latitude: lat,
      Longitude: lng,
    },
  }
}
