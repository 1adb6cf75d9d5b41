import { afterEach, expect, test } from 'bun:test'
import { ownerId } from '../../src/auth/accounts.ts'
import { workers } from '../../src/workers.ts'
import { newFolder } from '../cli/fieldstone.ts'
import { openHouse, type House } from '../house.ts'
import { openOnlineHouse } from '../upstreams/online-house.ts'
import { parseExposition, valueOf } from '../telemetry/scrape.ts'
import type { LossMoments } from './lost-worker.ts'

const closing: { close(): void }[] = []
afterEach(() =>
  closing
    .splice(0)
    .toReversed()
    .forEach((it) => it.close()),
)

type Document = {
  run_id: string
  status: string
  progress: { done: number; ok: number }
  error: { error: string; message: string; retryable: boolean } | null
  result: unknown
}

const moments: LossMoments = {
  submitted: 'stop when submitted',
  takenUp: JSON.stringify(['county_fips', 'county']),
  written: 'stop when written',
}
const lostWorker = () => new Worker(new URL('./lost-worker.ts', import.meta.url), { argv: [JSON.stringify(moments)] })
/** A worker that does nothing. */
const idleWorker = () => new Worker('data:text/javascript,self.onmessage = () => {}')
const places = 'lat,lng,note\n39.7392,-104.9903,here\n25.7907,-80.13,there\n'
const manyPlaces = `lat,lng\n${'39.7392,-104.9903\n'.repeat(2000)}`
const stopsWhenWritten = places.replace('note', moments.written)

/** Opens a service whose workers of runs are these: one after the other, the last again and again. Counts them. */
function openWith<H extends House>(
  open: () => H,
  startWorker: (nth: number) => Worker,
): { house: H; started: () => number } {
  const real = workers.run
  let count = 0
  workers.run = () => startWorker(++count)
  try {
    const house = open()
    closing.push(house)
    return { house, started: () => count }
  } finally {
    workers.run = real
  }
}

const upload = ({ send }: House, csv: string, fields = 'county', headers: Record<string, string> = {}) =>
  send(`/v1/runs?fields=${fields}`, { method: 'POST', headers: { 'content-type': 'text/csv', ...headers }, body: csv })

async function submitted(
  house: House,
  csv: string,
  fields?: string,
  headers?: Record<string, string>,
): Promise<string> {
  const response = await upload(house, csv, fields, headers)
  expect(response.status).toBe(202)
  return ((await response.json()) as { run_id: string }).run_id
}

/** The document of a run once it is finished. */
async function finished({ send }: House, run_id: string, headers: Record<string, string> = {}): Promise<Document> {
  const events = await (await send(`/v1/runs/${run_id}/events`, { headers })).text()
  return JSON.parse(/^event: final\nid: \d+\ndata: (.*)$/m.exec(events)![1]!) as Document
}

/** The header of a second account's token. */
function otherAccount({ app: { access } }: House): { authorization: string } {
  const scopes = ['fetch', 'runs'] as const
  const account = access.users.invitedAccount(access.users.invite('other', [...scopes])!)!
  return { authorization: `Bearer ${access.tokens.create(account, { name: 'theirs', scopes: [...scopes] }).token}` }
}

async function readiness({ send }: House) {
  const response = await send('/readyz')
  const { status, checks } = (await response.json()) as {
    status: string
    checks: { runs: { status: string; message?: string; troubled?: unknown } }
  }
  return [response.status, status, checks.runs]
}

test('a run that ends its worker each time its files are written fails with a reason after three workers; the run of another account finishes, and /readyz warns', async () => {
  const { house, started } = openWith(openHouse, lostWorker)
  expect(await readiness(house)).toEqual([200, 'pass', { status: 'pass' }])
  const other = otherAccount(house)
  const theirs = await submitted(house, manyPlaces, 'county', other)
  const mine = await submitted(house, stopsWhenWritten)
  const [failed, fine] = await Promise.all([finished(house, mine), finished(house, theirs, other)])
  expect(failed).toMatchObject({
    status: 'failed',
    progress: { done: 2, ok: 2 },
    error: { error: 'internal_error', retryable: false },
    result: null,
  })
  expect(failed.error!.message).toContain(
    'crashed 3 times without progress, the last time while it was writing the result files',
  )
  expect([fine.status, fine.progress.ok, started()]).toEqual(['succeeded', 2000, 4])

  const reason = failed.error!.message
  expect(await readiness(house)).toMatchObject([
    200,
    'warn',
    { status: 'warn', troubled: [{ run_id: mine, status: 'failed', worker_losses: 3, reason }] },
  ])
  expect(valueOf(parseExposition(await (await house.send('/metrics')).text()).lines, 'fieldstone_runs_failed')).toBe(1)
  expect((await house.send(`/v1/runs/${mine}/cancel`, { method: 'POST' })).status).toBe(409)
  expect((await finished(house, await submitted(house, places))).status).toBe('succeeded')
  expect(started()).toBe(4)
}, 30_000)

test('lost workers are counted across a restart of the service, and /readyz warns before the run fails', async () => {
  const { folder, remove } = newFolder()
  closing.push({ close: remove })
  const env = { FIELDSTONE_DATA: folder }
  const { promise: twoLost, resolve } = Promise.withResolvers<void>()
  const first = openWith(
    () => openHouse(env),
    (nth) => {
      if (nth <= 2) return lostWorker()
      resolve()
      return idleWorker()
    },
  )
  const run_id = await submitted(first.house, stopsWhenWritten)
  await twoLost
  expect(await readiness(first.house)).toMatchObject([
    200,
    'warn',
    { status: 'warn', message: expect.stringContaining('Workers lost in the last 10 minutes: 2.') as string },
  ])
  closing.splice(closing.indexOf(first.house), 1)
  first.house.close()

  const second = openWith(() => openHouse(env), lostWorker)
  const token = second.house.app.access.tokens.create(
    { id: ownerId, name: ownerId, scopes: new Set(['runs', 'fetch']) },
    { name: 'second', scopes: ['runs', 'fetch'] },
  ).token
  const headers = { authorization: `Bearer ${token}` }
  second.house.app.runs.resume()
  const { status, error } = await finished(second.house, run_id, headers)
  expect([status, error?.message, second.started()]).toEqual(['failed', expect.stringContaining('crashed 3 times'), 2])
  expect((await finished(second.house, await submitted(second.house, places, 'county', headers), headers)).status).toBe(
    'succeeded',
  )
}, 40_000)

test('a run that ends its worker each time it is taken up fails with a reason, and the one beside it finishes', async () => {
  const { house, started } = openWith(openHouse, lostWorker)
  const beside = await submitted(house, manyPlaces)
  const run_id = await submitted(house, places, 'county_fips,county')
  const { status, error } = await finished(house, run_id)
  expect([status, error?.message]).toEqual([
    'failed',
    expect.stringContaining('while it was reading the locations (0 of 2 answered)'),
  ])
  expect([(await finished(house, beside)).status, started()]).toEqual(['succeeded', 4])
}, 30_000)

test('a run that ends its worker each time it is cancelled fails with a reason; the cancel is answered, and the run of another account finishes', async () => {
  const { house, started } = openWith(openOnlineHouse, lostWorker)
  const other = otherAccount(house)
  house.upstreams.delay(60_000)
  const mine = await submitted(house, stopsWhenWritten, 'fema_flood_zone')
  const theirs = await submitted(house, manyPlaces, 'county', other)
  const cancelled = await house.send(`/v1/runs/${mine}/cancel`, { method: 'POST' })
  expect([cancelled.status, ((await cancelled.json()) as { detail: unknown }).detail]).toMatchObject([
    409,
    { error: 'run_not_cancellable', status: 'failed' },
  ])
  const [failed, fine] = await Promise.all([finished(house, mine), finished(house, theirs, other)])
  expect([failed.status, failed.error?.message]).toEqual([
    'failed',
    expect.stringContaining('while it was cancelling the run'),
  ])
  expect([fine.status, fine.progress.ok, started()]).toEqual(['succeeded', 2000, 4])
}, 40_000)

test('a submission that ends its worker is answered worker_lost each time, leaves no run, and costs no other run a location', async () => {
  const { house } = openWith(openHouse, lostWorker)
  const other = otherAccount(house)
  const theirs = await submitted(house, manyPlaces, 'county', other)
  for (let i = 0; i < 3; i++) {
    const lost = await upload(house, places.replace('note', moments.submitted))
    expect([
      lost.status,
      lost.headers.get('retry-after'),
      ((await lost.json()) as { detail: unknown }).detail,
    ]).toMatchObject([503, '1', { error: 'worker_lost', retryable: true }])
  }
  expect(((await (await house.send('/v1/runs')).json()) as { items: unknown[] }).items).toEqual([])
  expect(await finished(house, theirs, other)).toMatchObject({ status: 'succeeded', progress: { ok: 2000 } })
  expect(await readiness(house)).toMatchObject([200, 'warn', { status: 'warn', troubled: [] }])
}, 40_000)
