import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomOf } from '../../scripts/bench/random.ts'
import type { Properties } from '../../src/model/source.ts'
import type { StoredFeature } from '../packs/create-geopackage.ts'
import { blob, boxRing, lineWkb, pointWkb, polygonWkb } from '../packs/encode-wkb.ts'
import { catalogAttributesOf } from '../packs/catalog-attributes.ts'
import { writePack } from '../packs/write-pack.ts'

/** The packs cover the north-east of this corner, where the points of pack requests are. */
export const packArea = { south: 39, west: -105, degrees: 1 }
const perLayer = 300
const bases = ['X', 'AE', 'VE', 'AREA NOT INCLUDED', 'D', null]
const wetlands = ['PFO1A', 'L1UBH', 'PEM1C', 'R2UBH']

/** Packs with random features. Some overlap, some touch, and some lack attributes. */
export function writeGoldenPacks(): { folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'fieldstone-golden-packs-'))
  const random = randomOf(7)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
  // Rounded, so that borders meet.
  const corner = (): [lng: number, lat: number] => [
    Number((packArea.west + packArea.degrees * random()).toFixed(2)),
    Number((packArea.south + packArea.degrees * random()).toFixed(2)),
  ]
  const box = (attributes: Properties) => {
    const [[west, south], size] = [corner(), 0.02 + 0.03 * Math.round(2 * random())]
    return { geom: blob(polygonWkb(boxRing(west, south, west + size, south + size))), attributes }
  }
  const line = (attributes: Properties) => ({ geom: blob(lineWkb(corner(), corner(), corner())), attributes })
  const point = (attributes: Properties) => ({ geom: blob(pointWkb(corner())), attributes })
  const write = (file: string, layer: string, make: (i: number) => StoredFeature) => {
    const complete = catalogAttributesOf(file, layer)
    const features = Array.from({ length: perLayer }, (_, i) => make(i))
    const stored = features.map(({ geom, attributes }) => ({ geom, attributes: complete(attributes) }))
    writePack(join(folder, file)).layer(layer, stored).close()
  }
  const zone = () => {
    const FLD_ZONE = pick(bases)
    const isHigh = FLD_ZONE === 'AE' || FLD_ZONE === 'VE'
    return box({ FLD_ZONE, SFHA_TF: isHigh ? 'T' : 'F', ZONE_SUBTY: null, STATIC_BFE: -9999, LEN_UNIT: null })
  }
  const wetland = () => box({ ATTRIBUTE: pick(wetlands), WETLAND_TYPE: pick(['Lake', 'Pond', null]), ACRES: random() })
  const flow = (i: number) =>
    line({ gnis_name: pick(['Creek', null]), ftype: 460, fcode: 46006, permanent_identifier: `f${i}` })
  const road = (i: number) => line({ OID: `o${i}`, NAME: pick(['Main St', null]), MTFCC: pick(['S1100', 'S1200']) })
  write('fema_nfhl.gpkg', 'S_FLD_HAZ_AR', zone)
  mkdirSync(join(folder, 'usfws_nwi'))
  for (const part of ['east', 'west']) write(`usfws_nwi/${part}.gpkg`, 'Wetlands', wetland)
  write('usgs_nhd.gpkg', 'NHDFlowline', flow)
  write('census_tiger_major_roads.gpkg', 'roads', road)
  write('usgs_landslide.gpkg', 'US_Landslide_point', () => point({ Confidence: Math.ceil(8 * random()) }))
  const { south, west, degrees } = packArea
  const coverage = [west, south, west + 0.9 * degrees, south + 0.9 * degrees]
  for (const pack of ['usgs_landslide', 'fema_nfhl', 'usgs_nhd'])
    writeFileSync(join(folder, `${pack}.json`), JSON.stringify({ coverage, vintage: '2026-01' }))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
