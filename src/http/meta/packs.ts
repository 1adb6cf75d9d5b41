import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { App } from '../../app.ts'
import { selectFields } from '../../fetch/catalog/select.ts'
import { findArea } from '../../pack-plans/area.ts'
import { parseCopyHours } from '../../pack-plans/copy-hours.ts'
import { AreaError, openCounties } from '../../pack-plans/counties.ts'
import { PackFetchRequest, PackFetchStatus, PackPlan } from '../../catalog/pack-fetch-document.ts'
import { ApiError, type ValidationError } from '../../model/error.ts'
import { createBodyReader } from '../request/json-body.ts'
import { defineOperations } from '../request/operation.ts'
import { createViolationError } from '../request/violations.ts'

const examples = { county: { area: 'Boulder County, CO', presets: ['flood_risk'] } }

export const packOperations = defineOperations('Packs', {
  'POST /v1/packs/plan': {
    scope: 'admin',
    summary: 'Plan the packs of an area',
    description:
      'Says for each dataset that presets read how it can be obtained for an area, the expected size and time, and what cannot be copied and why. It asks the services how much data there is.',
    body: PackFetchRequest,
    examples,
    responses: { 200: PackPlan },
    errorCodes: ['preset_unknown', 'pack_fetch_failed', 'pack_fetch_unavailable'],
  },
  'POST /v1/packs/fetch': {
    scope: 'admin',
    writes: true,
    summary: 'Fetch the packs of an area',
    description:
      'Starts what `fieldstone pack fetch` does, in the background. One fetch runs at a time. If the server stops, the fetch continues at its next start. Poll GET /v1/packs/fetch for its progress.',
    body: PackFetchRequest,
    examples,
    responses: { 202: PackFetchStatus },
    errorCodes: ['preset_unknown', 'pack_fetch_active', 'pack_fetch_unavailable'],
  },
  'GET /v1/packs/fetch': {
    scope: 'admin',
    limits: 'minute',
    summary: 'The last fetch of packs',
    description: 'The state of each dataset. `fetch` is null if nothing was fetched on this server.',
    responses: { 200: Type.Object({ fetch: Type.Union([Type.Null(), PackFetchStatus]) }) },
  },
  'POST /v1/packs/fetch/cancel': {
    scope: 'admin',
    limits: 'minute',
    summary: 'Cancel the fetch of packs',
    description: 'Finished packs stay. The same request continues where this one stopped, within a week.',
    responses: { 200: PackFetchStatus },
    errorCodes: ['pack_fetch_not_active', 'pack_fetch_unavailable'],
  },
})

const readFetchBody = createBodyReader(PackFetchRequest, () => [])

export const packRoutes = (app: App) =>
  new Elysia()
    .post('/v1/packs/plan', async ({ request }) =>
      requireFetches(app).plan((await readRequest(request, app)).fetch, request.signal),
    )
    .post('/v1/packs/fetch', async ({ request, set }) => {
      const { fetch, areaName } = await readRequest(request, app)
      set.status = 202
      return requireFetches(app).start(fetch, areaName)
    })
    .get('/v1/packs/fetch', async () => ({ fetch: (await app.packFetches?.current()) ?? null }))
    .post('/v1/packs/fetch/cancel', () => requireFetches(app).cancel())

/** Reads a request. Its area becomes a code or a box, so that no text of it can name a file of the server. */
async function readRequest(request: Request, app: App): Promise<{ fetch: PackFetchRequest; areaName: string }> {
  const { area, presets, between } = await readFetchBody(request)
  for (const preset of presets) selectFields({ preset }, 'none', app.catalog)
  if (between !== undefined && parseCopyHours(between) === null)
    throw createValueError('between', 'Use two times of the day, such as 22:00-06:00.', between)
  const { area: found, code } = findFetchArea(area, app)
  const fetch = { area: code, presets: [...new Set(presets)], ...(between !== undefined && { between }) }
  return { fetch, areaName: found.name }
}

function createValueError(member: string, message: string, input: string): ValidationError {
  return createViolationError('value_error', ['body', member], `Value error, ${message}`, input)
}

function findFetchArea(text: string, { embedded }: App): ReturnType<typeof findArea> {
  try {
    return findArea(text, openCounties(embedded))
  } catch (error) {
    if (!(error instanceof AreaError)) throw error
    throw createValueError('area', error.message, text)
  }
}

function requireFetches({ packFetches, config }: App): NonNullable<App['packFetches']> {
  if (packFetches) return packFetches
  throw new ApiError(
    'pack_fetch_unavailable',
    config.offline
      ? 'The network is off (FIELDSTONE_OFFLINE=1), so nothing can be fetched. Run `fieldstone pack fetch` on a machine with a network, and carry the packs here with `fieldstone pack export` and `pack import`.'
      : config.pack_storage !== null
        ? 'This server reads its packs from storage (FIELDSTONE_PACKS), so it cannot fetch packs. Run `fieldstone pack fetch`, then `fieldstone pack publish`, on a machine with write access to the storage.'
        : 'The data folder is read-only, so nothing can be fetched.',
  )
}
