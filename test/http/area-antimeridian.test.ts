import { expect, test } from 'bun:test'
import { join } from 'node:path'
import type { AreaAnswer } from '../../src/areas/area-answer.ts'
import type { FetchAnswer } from '../../src/fetch/fetch-answer.ts'
import { blob, boxRing, polygonWkb } from '../packs/encode-wkb.ts'
import { writePack } from '../packs/write-pack.ts'
import { openPackService } from '../support/pack-service.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

// The Aleutian Islands have longitudes of both signs. A layer may have those in the east below -180.
const packs = temporaryFolder()
writePack(join(packs, 'usfws_nwi.gpkg'))
  .layer('Wetlands', [
    {
      geom: blob(polygonWkb(boxRing(-180.6, 51, -178.8, 52.2))),
      attributes: { ATTRIBUTE: 'PFO1A', WETLAND_TYPE: 'Lake', ACRES: 2 },
    },
  ])
  .close()
const service = await openPackService(packs)

async function fieldsOf(request: object, fields: string[]): Promise<AreaAnswer['fields']> {
  const response = await service.post('/v1/areas', { ...request, fields })
  expect(response.status).toBe(200)
  return ((await response.json()) as AreaAnswer).fields
}

/** Parts of Semisopochnoi, at 179.6 east, and of Amatignak, at 179.1 west. */
const [semisopochnoi, amatignak] = [boxRing(179.6, 51.92, 179.65, 51.95), boxRing(-179.12, 51.25, -179.1, 51.27)]

test('an area on both sides of the antimeridian has the parts of a feature on both sides', async () => {
  const geometry = { type: 'MultiPolygon', coordinates: [[semisopochnoi], [amatignak]] }
  const { nwi_wetland_type } = await fieldsOf({ geometry }, ['nwi_wetland_type'])
  expect(nwi_wetland_type!.value).toMatchObject({ classes: [{ value: 'Lake', share: expect.closeTo(1, 9) }] })
})

test('a distance is measured from the edge of an area to a feature beyond the antimeridian', async () => {
  const field = 'nearest_airport_distance_m'
  const corner = await service.post('/v1/fetch', { lat: 51.92, lng: 179.65, fields: [field] })
  const { value } = ((await corner.json()) as FetchAnswer).fields[field]!
  const { [field]: result } = await fieldsOf({ geometry: { type: 'Polygon', coordinates: [semisopochnoi] } }, [field])
  // The nearest place is on the eastern edge, a little north of its southern end.
  const { distance_m } = result!.value as { distance_m: number }
  expect(distance_m).toBeWithin(Number(value) - 100, Number(value))
})
