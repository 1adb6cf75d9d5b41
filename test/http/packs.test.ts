import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeToken, secureRandomBytes } from '../../src/auth/token.ts'
import { createStartCommand } from '../../src/cli/server/start-command.ts'
import type { PackFetchStatus, PackPlan } from '../../src/catalog/pack-fetch-document.ts'
import type { CommandProcess, StartCommand } from '../../src/pack-plans/pack-fetches.ts'
import type { ErrorDetail } from '../../src/model/error.ts'
import { openTestService, type TestService } from '../support/test-service.ts'
import { openUpstreams } from '../upstreams/upstreams.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const upstreams = openUpstreams()
const data = temporaryFolder()
const online = {
  FIELDSTONE_OFFLINE: '0',
  FIELDSTONE_MIRROR: upstreams.url,
  FIELDSTONE_DATA: data,
  FIELDSTONE_TOKEN: makeToken('pat', secureRandomBytes),
}
/** The same program as the command line starts. */
const startProgram = createStartCommand(
  [process.execPath, '--no-env-file', join(import.meta.dir, '../../src/main.ts')],
  { ...process.env, TZ: 'UTC' },
)
const commands: CommandProcess[] = []
const startCommand: StartCommand = (words, settings) => {
  commands.push(startProgram(words, settings))
  return commands.at(-1)!
}
let service: TestService = openTestService(online, { startCommand })
afterAll(async () => {
  await service.close()
  upstreams.close()
})

const small = { area: '-105.28,40.01,-105.26,40.03', presets: ['flood_risk'] }
const detailOf = async (response: Response) => ((await response.json()) as { detail: ErrorDetail }).detail
const current = async () => ((await (await service.send('/v1/packs/fetch')).json()) as { fetch: PackFetchStatus }).fetch

/** Waits for a state of the fetch. */
async function until(isReached: (status: PackFetchStatus) => boolean): Promise<PackFetchStatus> {
  for (;;) {
    const status = await current()
    if (isReached(status)) return status
    await Bun.sleep(5)
  }
}

describe('a fetch of packs', () => {
  test('is planned for an area that is a code or a box, never a file of the server', async () => {
    const { area, datasets } = (await (
      await service.post('/v1/packs/plan', { area: 'Boulder County, CO', presets: ['flood_risk'] })
    ).json()) as PackPlan
    expect(area).toBe('Boulder County, CO')
    expect(datasets.find(({ dataset }) => dataset === 'fema_nfhl_zones')).toMatchObject({ how: 'service', requests: 9 })
    const file = join(data, 'area.geojson')
    writeFileSync(file, JSON.stringify({ type: 'Point', coordinates: [-105, 40] }))
    for (const path of [file, '/etc/passwd', 'Nowhere County, CO']) {
      const response = await service.post('/v1/packs/plan', { ...small, area: path })
      expect([path, response.status, await response.text()]).toEqual([
        path,
        422,
        expect.stringContaining('not an area'),
      ])
    }
    expect((await detailOf(await service.post('/v1/packs/fetch', { ...small, presets: ['flod'] }))).error).toBe(
      'preset_unknown',
    )
    expect((await service.post('/v1/packs/fetch', { ...small, presets: [] })).status).toBe(422)
  })

  test('runs in the background, one at a time, and goes on after a restart where it stopped', async () => {
    expect(await current()).toBeNull()
    expect((await detailOf(await service.post('/v1/packs/fetch/cancel', {}))).error).toBe('pack_fetch_not_active')
    const started = await service.post('/v1/packs/fetch', small)
    expect([started.status, await started.json()]).toMatchObject([202, { status: 'running', datasets: [] }])
    const second = await service.post('/v1/packs/fetch', small)
    expect([second.status, (await detailOf(second)).error]).toEqual([409, 'pack_fetch_active'])
    await until(({ datasets }) => datasets.some(({ state }) => state === 'done'))
    await service.close()
    const copied = upstreams.calls.length
    service = openTestService(online, { startCommand })
    expect((await current()).status).toBe('running')
    service.app.packFetches!.resume()
    const ended = await until(({ status }) => status !== 'running')
    expect(ended.message).toBeNull()
    expect(ended.status).toBe('succeeded')
    expect(ended.datasets.filter(({ state }) => state !== 'done')).toEqual([])
    expect(ended.fields).toBe(service.app.catalog.presets.get('flood_risk')!.fields.length)
    expect(upstreams.calls.length).toBeGreaterThan(copied)
    await service.app.packs.waitUntilChecked()
    const { areas } = (await (await service.send('/v1/meta/sources')).json()) as { areas: { area: string }[] }
    expect(areas.map(({ area }) => area)).toContain(small.area)
  }, 120_000)

  test('goes on when its command gets the signal of a terminal or a service manager', async () => {
    await service.post('/v1/packs/fetch', { ...small, area: '-105.29,40.01,-105.27,40.02' })
    const before = commands.length
    commands.at(-1)!.interrupt()
    const { status } = await until((it) => it.status !== 'running' || commands.length > before)
    expect(status).toBe('running')
    expect((await service.post('/v1/packs/fetch/cancel', {})).status).toBe(200)
  })

  test('fails if its status cannot be saved, and the next start continues it', async () => {
    await service.post('/v1/packs/fetch', { ...small, area: '-105.29,40.01,-105.28,40.02' })
    const blocked = join(data, 'pack-fetch.json.part')
    mkdirSync(blocked)
    const { status, message } = await until((it) => it.status !== 'running')
    expect([status, message]).toEqual(['failed', expect.stringContaining('EISDIR')])
    rmdirSync(blocked)
    await service.close()
    service = openTestService(online, { startCommand })
    expect((await current()).status).toBe('running')
    service.app.packFetches!.resume()
    expect((await service.post('/v1/packs/fetch/cancel', {})).status).toBe(200)
  })

  test('copies only in the hours of `between`, and says until when it waits', async () => {
    const hourIn = (hours: number) => `${String((new Date().getUTCHours() + hours) % 24).padStart(2, '0')}:00`
    const wrong = await service.post('/v1/packs/fetch', { ...small, between: '22-6' })
    expect([wrong.status, await wrong.text()]).toEqual([422, expect.stringContaining('such as 22:00-06:00')])
    const between = `${hourIn(2)}-${hourIn(3)}`
    const started = await service.post('/v1/packs/fetch', { area: '08061', presets: ['flood_risk'], between })
    expect([started.status, await started.json()]).toMatchObject([202, { status: 'running', between }])
    const { datasets } = await until((it) => it.datasets.some(({ message }) => message !== null))
    expect(datasets.flatMap(({ message }) => message ?? [])).toEqual([
      expect.stringContaining(`Paused until ${between.slice(0, 5)} in the time zone UTC`),
    ])
    expect((await (await service.post('/v1/packs/fetch/cancel', {})).json()) as object).toMatchObject({ between })
  })

  test('can be cancelled', async () => {
    expect((await service.post('/v1/packs/fetch', { area: '08059', presets: ['flood_risk'] })).status).toBe(202)
    const cancelled = await service.post('/v1/packs/fetch/cancel', {})
    expect([cancelled.status, await cancelled.json()]).toMatchObject([
      200,
      { status: 'cancelled', area: 'Jefferson County, CO' },
    ])
    expect((await current()).status).toBe('cancelled')
    expect((await detailOf(await service.post('/v1/packs/fetch/cancel', {}))).error).toBe('pack_fetch_not_active')
  })

  test('reports a dataset that fails', async () => {
    upstreams.fault({ host: 'hazards.fema.gov' }, 'arcgis_400')
    await service.post('/v1/packs/fetch', { ...small, area: '-105.27,40.01,-105.26,40.02' })
    const { status, message, datasets } = await until((it) => it.status !== 'running')
    upstreams.heal()
    expect([status, message]).toEqual(['failed', expect.stringContaining('fema_nfhl_zones: hazards.fema.gov')])
    expect(datasets.filter(({ state }) => state === 'failed').map(({ dataset }) => dataset)).toEqual([
      'fema_nfhl_zones',
    ])
  }, 120_000)
})

test('without a network there is no fetch, and the message says what to do', async () => {
  await using offline = openTestService({}, { startCommand })
  const response = await offline.post('/v1/packs/fetch', small)
  expect([response.status, (await detailOf(response)).message]).toEqual([409, expect.stringContaining('pack export')])
  expect(await (await offline.send('/v1/packs/fetch')).json()).toEqual({ fetch: null })
})
