import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { strToU8, zipSync } from 'fflate'
import { kmlFeatures } from '../../src/areas/shape/kml-features.ts'
import { readShapesFile } from '../../src/areas/shape/shapes-file.ts'
import { shapeOfFeature } from '../../src/areas/shape/feature-shapes.ts'
import { openPlacesFile } from '../../src/cli/run/places-file.ts'
import { toDegreesOf } from '../../src/files/crs.ts'
import { nad83, shapefileOf, squareAt } from '../upstreams/bulk/shapefile.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()

/** Reads a file in steps; returns its shapes, or the message of its error. */
async function shapesIn(content: string | Uint8Array) {
  const path = join(folder, 'shapes')
  writeFileSync(path, content)
  try {
    const file = await openPlacesFile(path, 'shapes', { layer: null, encoding: undefined }, join(folder, 'unpacked'))
    if ('table' in file) return 'a table'
    const input = await file.open()
    const how = { toDegrees: toDegreesOf(input.crs, file.name, ''), name: file.name }
    const shapes = []
    let number = 0
    for await (const { features } of input.batches())
      for (const feature of features) shapes.push(shapeOfFeature(feature, ++number, how))
    input.close()
    return shapes.filter((shape) => shape !== null)
  } catch (error) {
    return (error as Error).message
  }
}

const square = squareAt({ lat: 39.7, lng: -105 }, 0.01)
const feature = { type: 'Feature', properties: { name: 'A' }, geometry: { type: 'Polygon', coordinates: [square] } }
const point = { type: 'Feature', properties: {}, geometry: { type: 'Point', coordinates: [1, 2] } }
const mercator = { type: 'name', properties: { name: 'EPSG:3857' } }
const positions = square.map((at) => at.join()).join(' ')
const placemark = `<Placemark><name>Site &amp; yard</name><!-- a > b --><Polygon><outerBoundaryIs><LinearRing><coordinates>${positions}</coordinates></LinearRing></outerBoundaryIs></Polygon></Placemark>`
const kml = `<?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2"><Document>${placemark}<![CDATA[<x>]]>${placemark}</Document></kml>`
const shapefile = shapefileOf('parcels.shp', [{ kind: 'polygon', points: square, row: { NAME: 'A' } }], nad83)

describe('a file that is read in steps has the shapes of the whole file', () => {
  test.each([
    ['a geometry', JSON.stringify(feature.geometry)],
    ['a collection', JSON.stringify({ type: 'FeatureCollection', features: [feature, point, feature] })],
    [
      'a coordinate system after the features',
      JSON.stringify({
        type: 'FeatureCollection',
        features: [
          { ...feature, geometry: { type: 'LineString', coordinates: square.map(([x, y]) => [x * 1e5, y * 1e5]) } },
        ],
        crs: mercator,
      }),
    ],
    ['well-known text', `POLYGON ((${square.map((at) => at.join(' ')).join(', ')}))`],
    ['KML', kml],
    ['KMZ', zipSync({ 'doc.kml': strToU8(kml) })],
    ['KMZ with a link', zipSync({ 'doc.kml': strToU8('<kml><href>a.kml</href></kml>'), 'a.kml': strToU8(kml) })],
    ['a shapefile', zipSync(shapefile)],
  ])('%s', async (_name, content) => {
    const bytes = typeof content === 'string' ? strToU8(content) : content
    expect(await shapesIn(content)).toEqual((await readShapesFile(bytes, 'shapes')).shapes)
  })

  test('KML in pieces of any size', () => {
    const whole = [...kmlFeatures([kml], 'kml')]
    expect(whole).toHaveLength(2)
    for (let size = 1; size < 40; size++) {
      const pieces = Array.from({ length: Math.ceil(kml.length / size) }, (_, i) => kml.slice(i * size, (i + 1) * size))
      expect([...kmlFeatures(pieces, 'kml')]).toEqual(whole)
    }
  })
})

const spaces = ' '.repeat(17_000_000)

describe('a file that would take a lot of memory is rejected', () => {
  test.each([
    [
      'GeoJSON nested a million levels deep',
      `{"type":"Polygon","coordinates":${'['.repeat(1e6)}`,
      'nested more than 256',
    ],
    ['a feature of 34 MB', `{"type":"Feature","x":"${spaces}${spaces}"}`, 'an object of more than 33554432 bytes'],
    ['a list of numbers', `{"type":"FeatureCollection","features":[${'0,'.repeat(1000)}0]}`, 'that is not an object'],
    ['17 MB between two tags', `<kml><a>${spaces}</a></kml>`, 'of more than 8 MB'],
    [
      'a placemark of 9 MB',
      `<kml><Placemark>${`<a>${spaces.slice(0, 3e6)}</a>`.repeat(3)}</Placemark></kml>`,
      'of more than 8 MB',
    ],
    ['a placemark nested deep', `<kml><Placemark>${'<a>'.repeat(1000)}</Placemark></kml>`, 'nested more than 100'],
    ['a KMZ archive of spaces', zipSync({ 'doc.kml': strToU8(`<kml>${spaces}</kml>`) }), 'of more than 8 MB'],
    ['well-known text of 17 MB', `POLYGON ((${spaces}))`, 'has more than 16 MB of well-known text'],
  ])('%s', async (_name, content, message) => expect(await shapesIn(content)).toContain(message))
})
