import { openTestService, type TestService, type TestServiceOptions } from '../support/test-service.ts'
import { openUpstreams } from './upstreams.ts'

/** A complete service with the simulated publishers as its network, and all keys set. */
export type OnlineService = TestService & { upstreams: ReturnType<typeof openUpstreams> }

export const testKeys = {
  CENSUS_API_KEY: 'test-census',
  NLR_API_KEY: 'test-nlr',
  NLR_API_EMAIL: 'tests@example.org',
  AIRNOW_API_KEY: 'test-airnow',
  EIA_API_KEY: 'test-eia',
  REGRID_API_TOKEN: 'test-regrid',
  GEOCODIO_API_KEY: 'test-geocodio',
}

export function openOnlineService(env: Record<string, string> = {}, options: TestServiceOptions = {}): OnlineService {
  const upstreams = openUpstreams()
  const testService = openTestService(
    {
      FIELDSTONE_OFFLINE: '0',
      FIELDSTONE_MIRROR: upstreams.url,
      FIELDSTONE_OVERPASS: 'https://overpass-api.de/api/interpreter',
      ...testKeys,
      ...env,
    },
    options,
  )
  const close = async () => {
    await testService.close()
    upstreams.close()
  }
  return { ...testService, upstreams, close, [Symbol.asyncDispose]: close }
}
