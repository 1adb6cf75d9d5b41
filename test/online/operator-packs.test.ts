import { afterAll, beforeAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { blob, boxRing, pointWkb, polygonWkb } from '../packs/encode-wkb.ts'
import { writePack } from '../packs/write-pack.ts'
import { openOnlineService, type OnlineService } from '../upstreams/online-service.ts'
import { testPlaces } from '../upstreams/test-places.ts'
import { fetchOnlineFields, onlineValueOf } from './fetch-fields.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const { boulder, kansas } = testPlaces
const folder = temporaryFolder()

/** Only an operator can build these packs: the publishers hand out the files to browsers, or change their names. */
let service: OnlineService
beforeAll(async () => {
  const unit = (east: number, status: string, mw: number) => ({
    geom: blob(pointWkb([boulder.lng + east, boulder.lat])),
    attributes: { 'Plant Name': 'Made-up Solar', 'Nameplate Capacity (MW)': mw, Status: status },
  })
  writePack(join(folder, 'eia_860m_planned.gpkg'))
    .layer('planned', [
      unit(0.2, '(V) Under construction, more than 50 percent complete', 120.5),
      unit(0.4, '(TS) Construction complete, but not yet in commercial operation', 60),
    ])
    .close()
  const hexagon = (half: number, mindown: number, minup: number) => ({
    geom: blob(polygonWkb(boxRing(boulder.lng - half, boulder.lat - half, boulder.lng + half, boulder.lat + half))),
    attributes: { mindown, minup },
  })
  writePack(join(folder, 'fcc_bdc_mobile_5g.gpkg'))
    .layer('cells', [hexagon(0.02, 7, 1), hexagon(0.01, 35, 3)])
    .close()
  for (const pack of ['eia_860m_planned', 'fcc_bdc_mobile_5g'])
    writeFileSync(join(folder, `${pack}.json`), JSON.stringify({ coverage: [-125, 24, -66, 50], vintage: '2026-10' }))
  service = openOnlineService({ FIELDSTONE_PACKS: folder })
  // A new file goes live at the second scan.
  await service.app.packs.poll()
  await service.app.packs.poll()
})
afterAll(() => service.close())

test('planned generators and the coverage of mobile networks are answered by the packs of an operator', async () => {
  const names = [
    'nearest_proposed_generator_distance_m',
    'nearest_proposed_generator_capacity_mw',
    'nearest_proposed_generator_status',
    'mobile_5g_coverage_class',
  ]
  const near = await fetchOnlineFields(service, boulder, names)
  expect(names.map((name) => onlineValueOf(near[name]))).toEqual([
    expect.closeTo(17_076, -1),
    120.5,
    'under construction, more than 50 percent complete',
    '5g_high_speed',
  ])
  const farther = await fetchOnlineFields(service, { lat: boulder.lat, lng: boulder.lng + 0.015 }, names)
  expect(onlineValueOf(farther.mobile_5g_coverage_class)).toBe('5g_basic')
  const nowhere = await fetchOnlineFields(service, kansas, names)
  expect(names.map((name) => nowhere[name]?.status)).toEqual(['absent', 'absent', 'absent', 'absent'])
})
