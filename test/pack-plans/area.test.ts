import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { areaAround, boxesOfArea, geometryOfArea, parseArea, parseRadius } from '../../src/pack-plans/area.ts'
import { openCounties } from '../../src/pack-plans/counties.ts'
import { openEmbeddedData } from '../../src/packs/embedded/embedded-data.ts'
import { packPathPattern } from '../../src/packs/part-files.ts'
import { embeddedFile } from '../support/test-service.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const embedded = openEmbeddedData(embeddedFile)
const layer = embedded.layer('counties')
const counties = openCounties(embedded)
const folder = temporaryFolder()
const area = (text: string) => parseArea(text, counties)
const messageOf = (work: () => unknown) => {
  try {
    work()
  } catch (error) {
    return (error as Error).message
  }
  return 'no error'
}

describe('An area', () => {
  test('is every county of the US, by its code and by its name with the code or the name of its state', () => {
    const all = Array.from({ length: layer.features }, (_, row) => layer.propertiesAt(row) as Record<string, string>)
    expect(all.length).toBeGreaterThan(3_200)
    for (const { GEOID, NAMELSAD, STUSPS, STATE_NAME } of all)
      for (const text of [GEOID!, `${NAMELSAD}, ${STUSPS}`, `${NAMELSAD}, ${STATE_NAME}`.toUpperCase()])
        expect([text, counties.find(text)]).toMatchObject([text, { id: GEOID, geoids: [GEOID] }])
  })

  test('of a county has its polygons: its border contains the point at which it is the county, and the box too', () => {
    const boulder = area('boulder county, co')
    expect(boulder).toMatchObject({ name: 'Boulder County, CO', id: '08013' })
    const [box] = boxesOfArea(boulder)
    expect([box!.w < -105.27, box!.e > -105.27, box!.s < 40.01, box!.n > 40.01]).toEqual([true, true, true, true])
    expect(geometryOfArea(boulder).type).toBe('MultiPolygon')
  })

  test('is found without "County", accents and the long form of Saint', () => {
    expect(area('Boulder, Colorado').id).toBe('08013')
    expect(area('Dona Ana, NM').id).toBe('35013')
    expect(area('Saint Clair County, IL').id).toBe('17163')
    expect(area('Anasco, PR').id).toBe('72011')
  })

  test('with the name of several counties, or of none, is an error that names candidates', () => {
    expect(messageOf(() => area('Baltimore, MD'))).toBe(
      '"Baltimore, MD" can be Baltimore County, MD (24005) or Baltimore city, MD (24510). Use one of these names or codes.',
    )
    expect(messageOf(() => area('Bolder County, CO'))).toContain('Did you mean "Boulder County, CO"?')
    expect(messageOf(() => area('Boulder'))).toEndWith('GeoJSON file. Did you mean "Boulder County, CO"?')
    expect(messageOf(() => area('Baltimore'))).toEndWith('"Baltimore County, MD" or "Baltimore city, MD"?')
    expect(messageOf(() => area('Orange County'))).toMatch(/Add the state, such as "Orange County, [A-Z]{2}"\.$/)
    expect(messageOf(() => area('99999'))).toBe('"99999" is not the code of a county.')
    expect(messageOf(() => area('14500'))).toContain('use cbsa:14500')
    expect(messageOf(() => area('cbsa:99999'))).toContain('cbsa:99999 is not known')
  })

  test('is a state or a metropolitan area: all its counties', () => {
    expect([area('CO'), area('colorado'), area('08')]).toMatchObject(
      [1, 2, 3].map(() => ({ name: 'Colorado', id: '08' })),
    )
    expect(counties.find('DE')!.geoids).toEqual(['10001', '10003', '10005'])
    expect(counties.find('cbsa:14500')!.geoids).toEqual(['08013'])
  })

  test('of Alaska has a box on each side of the antimeridian', () => {
    const boxes = boxesOfArea(area('Alaska'))
    expect(boxes.length).toBe(2)
    expect(boxes.every(({ w, e }) => e - w < 60)).toBe(true)
  })

  test('is a bounding box or the polygons of a GeoJSON file', () => {
    expect(boxesOfArea(area('-105.7,39.9,-105.0,40.3'))).toEqual([{ w: -105.7, s: 39.9, e: -105, n: 40.3 }])
    expect(boxesOfArea(area('179,51,-179,52')).length).toBe(2)
    expect(messageOf(() => area('39.9,-105.7,40.3,-105.0'))).toContain('is not a bounding box')
    expect(messageOf(() => area('-105.0,39.9,-105.7,40.3'))).toEndWith('Did you mean -105.7,39.9,-105,40.3?')
    expect(area('172,51,-165,54').polygons).toHaveLength(2)
    expect(messageOf(() => area('2,48,3,49'))).toContain('is outside the United States')
    const write = (name: string, value: unknown) => {
      writeFileSync(join(folder, name), JSON.stringify(value))
      return join(folder, name)
    }
    const ring = [
      [-105, 40],
      [-104, 40],
      [-104, 41],
      [-105, 40],
    ]
    const file = write('field.geojson', {
      type: 'FeatureCollection',
      features: [{ type: 'Feature', properties: {}, geometry: { type: 'Polygon', coordinates: [ring] } }],
    })
    expect(area(file)).toMatchObject({ name: 'field.geojson', id: 'field', polygons: [[ring]] })
    const named = ['Öland.geojson', '(1).geojson', '.hidden.json', '中.json'].map(
      (name) => area(write(name, { type: 'Polygon', coordinates: [ring] })).id,
    )
    expect(named.filter((id) => !packPathPattern.test(`usfws_nwi/${id}.gpkg`))).toEqual([])
    // A region archive takes names of at most 100 bytes.
    const long = ['40.300000000000004', '40.300000000000011'].map(
      (north) => area(`-105.70000000000002,39.900000000000006,-105.00000000000001,${north}`).id,
    )
    expect([
      new Set(long).size,
      ...long.map((id) => Buffer.byteLength(`packs/${'d'.repeat(40)}/${id}.gpkg`) <= 100),
    ]).toEqual([2, true, true])
    const points = write('points.json', { type: 'Point', coordinates: [-105, 40] })
    expect(messageOf(() => area(points))).toContain('has no polygon. For points, use --sites')
    expect(messageOf(() => area(write('other.json', { type: 'Topology' })))).toContain('is not GeoJSON with polygons')
    expect(messageOf(() => area(join(folder, 'missing.json')))).toContain('Cannot read the area')
    writeFileSync(join(folder, 'site.kml'), '<kml></kml>')
    expect(messageOf(() => area(join(folder, 'site.kml')))).toContain('is not GeoJSON. An area needs')
  })

  test('around points is their boxes, merged where they overlap', () => {
    const one = areaAround([{ lat: 40, lng: -105 }], 5_000, '40,-105')
    const [box] = boxesOfArea(one)
    expect([box!.n - 40, -105 - box!.w].map((it) => it > 0.0449 && it < 0.06)).toEqual([true, true])
    expect(one.id).toBe('at-40_-105-5000m')
    const sites = [-105, -105.001, -104].map((lng) => ({ lat: 40, lng }))
    expect(boxesOfArea(areaAround(sites, 5_000, 'sites.csv')).length).toBe(2)
    expect(messageOf(() => areaAround([], 5_000, 'sites.csv'))).toBe('sites.csv has no points.')
    expect(messageOf(() => areaAround([{ lat: 48, lng: 2 }], 5_000, 'sites.csv'))).toContain(
      'outside the United States',
    )
    expect([parseRadius('500m'), parseRadius('5 km'), parseRadius('1mi')]).toEqual([500, 5_000, 1609.344])
    for (const text of ['5', '5 ft', '-5km', '0m', '900km'])
      expect(messageOf(() => parseRadius(text))).toContain('--radius')
  })
})
