import { openHouse, type House, type HouseOptions } from '../house.ts'
import { openUpstreams } from './upstreams.ts'

/** The whole service with the upstream world in place of the network, and every key set. */
export type OnlineHouse = House & { upstreams: ReturnType<typeof openUpstreams> }

export const testKeys = {
  CENSUS_API_KEY: 'test-census',
  NLR_API_KEY: 'test-nlr',
  AIRNOW_API_KEY: 'test-airnow',
  REGRID_API_TOKEN: 'test-regrid',
  GEOCODIO_API_KEY: 'test-geocodio',
}

export function openOnlineHouse(env: Record<string, string> = {}, options: HouseOptions = {}): OnlineHouse {
  const upstreams = openUpstreams()
  const house = openHouse(
    {
      FIELDSTONE_OFFLINE: '0',
      FIELDSTONE_MIRROR: upstreams.url,
      FIELDSTONE_OVERPASS: 'https://overpass-api.de/api/interpreter',
      ...testKeys,
      ...env,
    },
    options,
  )
  return {
    ...house,
    upstreams,
    close() {
      house.close()
      upstreams.close()
    },
  }
}
