import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FetchAnswer } from '../../src/fetch/fetch-answer.ts'
import { submitTestRun, waitForRun } from '../../test/runs/http-runs.ts'
import { testKeys } from '../../test/upstreams/online-service.ts'
import { testPlaces } from '../../test/upstreams/test-places.ts'
import { openUpstreams, type Upstreams } from '../../test/upstreams/upstreams.ts'
import { atMost, type Finding } from './finding.ts'
import { startService, type ServiceProcess } from './service-process.ts'

const libraries = '/usr/lib'
const jump = '40d'
const locations = 200
const staleDays = 2
/**
 * Hours after which a value with a TTL of one day is requested again, and its age in the notes; null if it is too old.
 */
const ages: [hours: number, ageText: string | null][] = [
  [25, '25 hours'],
  [30, '30 hours'],
  [47, '47 hours'],
  [60, '3 days'],
  [71, '3 days'],
  [73, null],
  [96, null],
  [240, null],
]

/** Tests runs, waits and cached values when the system clock jumps. Skipped without libfaketime. */
export async function soakClock(): Promise<Finding[]> {
  const library = fakeTime()
  if (library === null) {
    console.error('Skipped: libfaketime (Debian package faketime) is not installed.')
    return []
  }
  const upstreams = openUpstreams()
  try {
    return [...(await jumps(upstreams, library)), ...(await staleAnswers(upstreams, library))]
  } finally {
    upstreams.close()
  }
}

/** Returns the path of the library that changes the clock of a process, or null. */
export function fakeTime(): string | null {
  const folders = existsSync(libraries) ? readdirSync(libraries).map((name) => join(libraries, name, 'faketime')) : []
  return folders.map((folder) => join(folder, 'libfaketimeMT.so.1')).find((path) => existsSync(path)) ?? null
}

/**
 * Starts a service whose wall clock can be set while it runs. The monotonic clock, used for waits and durations, does
 * not change.
 */
async function servedWithClock(
  upstreams: Upstreams,
  library: string,
  env: Record<string, string> = {},
): Promise<ServiceProcess & { set(ahead: string): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'fieldstone-clock-'))
  const file = join(folder, 'ahead')
  const set = (ahead: string) => writeFileSync(file, ahead)
  set('+0')
  const it = await startService({
    FIELDSTONE_OFFLINE: '0',
    FIELDSTONE_MIRROR: upstreams.url,
    ...testKeys,
    ...env,
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    FAKETIME_DONT_RESET: '1',
  })
  return {
    ...it,
    set,
    async stop() {
      await it.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function jumps(upstreams: Upstreams, library: string): Promise<Finding[]> {
  const it = await servedWithClock(upstreams, library)
  const statusOf = async (run_id: string) => (await fetch(new URL(`/v1/runs/${run_id}`, it.url))).status
  try {
    const address = it.url.origin
    const before = await submitTestRun(address, 'before', requestFor(0, 5))
    await waitForRun(address, before)
    upstreams.delay(50)
    const wrong: string[] = []
    const expect = <T>(what: string, is: T, shall: T) => {
      if (is !== shall) wrong.push(`${what}: ${String(is)}, not ${String(shall)}`)
    }
    const from = upstreams.calls.length
    const during = await submitTestRun(address, 'during', requestFor(1_000, locations))
    let failed = 0
    for (const ahead of [`+${jump}`, '+0', `-${jump}`, '+0', `+${jump}`]) {
      const asking = it.post('/v1/fetch', {
        lat: 40.1 + failed,
        lng: -105 - Math.random(),
        fields: ['in_opportunity_zone'],
      })
      it.set(ahead)
      failed += (await (await asking).text()).includes('"partial_failures":[]') ? 0 : 1
      expect(`a finished run at ${ahead}`, await statusOf(before), ahead.startsWith('+4') ? 404 : 200)
    }
    it.set('+0')
    const document = await waitForRun(address, during)
    expect('a finished run after all jumps', await statusOf(before), 200)
    expect('the run in progress', `${document?.status} ${document?.progress.ok}`, `done ${locations}`)
    expect(
      'the indices of its results',
      document?.result?.results.every(({ index }, i) => index === i),
      true,
    )
    const calls = upstreams.calls.slice(from).filter(({ host }) => host === 'app.regrid.com')
    for (const line of wrong) console.error(line)
    return [
      atMost(
        'P37',
        `runs lost, restored or visible after expiry in five jumps of 40 days (${locations + 5} locations)`,
        wrong.length,
        0,
      ),
      atMost(
        'P37',
        'calls for the run in progress beyond one a location',
        calls.length - new Set(calls.map(({ query }) => query.toString())).size,
        0,
      ),
      atMost('P37', 'requests in progress at a jump that fail', failed, 0),
    ]
  } finally {
    upstreams.heal()
    await it.stop()
  }
}

async function staleAnswers(upstreams: Upstreams, library: string): Promise<Finding[]> {
  const it = await servedWithClock(upstreams, library, { FIELDSTONE_STALE_DAYS: String(staleDays) })
  const never = ['parcel_zoning', 'nhdplus_comid']
  const field = 'in_opportunity_zone'
  const request = async (fields: string[], at: { lat: number; lng: number }) =>
    ((await (await it.post('/v1/fetch', { ...at, fields })).json()) as FetchAnswer).fields
  try {
    // A parcel is billed, and Miami Beach has no stream. Neither may be answered with a stale value.
    await request([field, 'parcel_zoning'], testPlaces.boulder)
    await request(['nhdplus_comid'], testPlaces.miami_beach)
    upstreams.fault({}, { status: 503 })
    let [wrong, staleUsed] = [0, 0]
    for (const [hours, ageText] of ages) {
      it.set(`+${hours}h`)
      const { [field]: it_, parcel_zoning } = await request([field, 'parcel_zoning'], testPlaces.boulder)
      const { nhdplus_comid } = await request(['nhdplus_comid'], testPlaces.miami_beach)
      const isRight =
        ageText === null
          ? it_!.status === 'failed'
          : it_!.status === 'ok' && it_!.cache === 'stale' && (it_!.notes ?? '').includes(ageText)
      if (!isRight) console.error(`after ${hours} hours: ${JSON.stringify(it_)}`)
      if (!isRight) wrong++
      staleUsed += [parcel_zoning, nhdplus_comid].filter((other) => other!.status !== 'failed').length
    }
    return [
      atMost(
        'P27',
        `stale answers, of ${ages.length}, with a missing or wrong age, or older than ${staleDays} days`,
        wrong,
        0,
      ),
      atMost('P27', `stale values of billed or absent fields (${never.join(', ')})`, staleUsed, 0),
    ]
  } finally {
    upstreams.heal()
    await it.stop()
  }
}

/** Requests parcels, which are billed, so that no call is hedged or repeated. */
function requestFor(first: number, count: number) {
  return {
    locations: Array.from({ length: count }, (_none, i) => ({ lat: 25.79, lng: -80.13 - (first + i) / 10_000 })),
    fields: ['parcel_zoning'],
  }
}
