import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Fieldstone } from '../cli/fieldstone.ts'
import { waitForAddress, createProcessGroup } from '../cli/process-group.ts'

const rows = 1200
const fields = [
  'state',
  'county',
  'timezone',
  'nearest_airport_name',
  'nearest_airport_distance_m',
  'geohash',
  'mgrs',
  'nearest_place_name',
]
const sites = [
  'site,lat,lng',
  ...Array.from(
    { length: rows },
    (_, i) => `s${i},${(31 + (i % 110) / 10).toFixed(6)},${(-114 + (i % 337) / 10).toFixed(6)}`,
  ),
].join('\n')

const { root: folder, start } = createProcessGroup()

/** A service, as a person of this machine has it: started, its address, and what is asked of it. */
type Served = {
  it: Fieldstone
  address: string
  text(path: string): Promise<string>
  submit(): Promise<string>
  run(id: string): Promise<{ status: string; done: number }>
}

async function served(data: string, token: string | null): Promise<Served & { token: string }> {
  const it = start(['serve', '--data', data])
  const address = await waitForAddress(it)
  const owner = token ?? (await it.waitForOutput(/shown only once: (\S+)/))[1]!
  const request = (path: string, init: RequestInit = {}) =>
    fetch(address + path, { ...init, headers: { authorization: `Bearer ${owner}`, 'content-type': 'text/csv' } })
  return {
    it,
    address,
    token: owner,
    async text(path) {
      const response = await request(path)
      if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`)
      return response.text()
    },
    async submit() {
      const response = await request(`/v1/runs?kind=fetch_batch&fields=${fields.join()}`, {
        method: 'POST',
        body: sites,
      })
      expect(response.status).toBe(202)
      return ((await response.json()) as { run_id: string }).run_id
    },
    async run(id) {
      const { items } = (await (await request('/v1/runs')).json()) as {
        items: { run_id: string; status: string; progress: { done: number } }[]
      }
      const { status, progress } = items.find(({ run_id }) => run_id === id)!
      return { status, done: progress.done }
    },
  }
}

/** Waits until so many rows of a run are answered, or it is over. */
async function until({ run }: Served, id: string, done: number): Promise<{ status: string; done: number }> {
  for (;;) {
    const now = await run(id)
    if (now.done >= done && (done < rows || now.status === 'succeeded')) return now
    await Bun.sleep(20)
  }
}

async function command(words: string[]): Promise<string> {
  const { code, out, err } = await start(words).end()
  expect([code, err]).toEqual([0, ''])
  return out
}

test('served, given rows, killed, backed up while it works and restored elsewhere, it answers every row, and both the same', async () => {
  const data = join(folder, 'data')
  let here = await served(data, null)
  const { token } = here
  const first = await here.submit()
  for (const done of [50, 200, 400]) {
    const { status } = await until(here, first, done)
    expect(status).toBe('running')
    here.it.signal('SIGKILL')
    await here.it.end()
    here = await served(data, token)
  }
  await until(here, first, rows)
  const csv = await here.text(`/v1/runs/${first}/artifacts/csv`)
  expect(csv.trim().split('\n')).toHaveLength(rows + 1)

  // Nothing of it shows that it was killed: a run that nobody disturbed has the same bytes.
  const second = await here.submit()
  expect((await until(here, second, 20)).status).toBe('running')
  expect(await command(['backup', 'walk.tar', '--data', data])).toContain('2 runs')
  await until(here, second, rows)
  expect(await here.text(`/v1/runs/${second}/artifacts/csv`)).toBe(csv)

  // The disk that the first one lay on is gone.
  here.it.signal('SIGKILL')
  await here.it.end()
  const elsewhere = join(folder, 'restored')
  await command(['restore', 'walk.tar', '--data', elsewhere])
  const there = await served(elsewhere, token)
  expect(await there.text(`/v1/runs/${first}/artifacts/csv`)).toBe(csv)
  await until(there, second, rows)
  expect(await there.text(`/v1/runs/${second}/artifacts/csv`)).toBe(csv)

  const another = (await command(['token', 'new', '--name', 'the next day', '--data', elsewhere])).trim()
  expect(
    (await fetch(`${there.address}/v1/users/me`, { headers: { authorization: `Bearer ${another}` } })).status,
  ).toBe(200)
  expect(await command(['doctor', '--data', elsewhere])).toContain('All checks passed.')
}, 120_000)

test('a mistake in the folder of packs is named, and all else goes on', async () => {
  const data = join(folder, 'mistaken')
  mkdirSync(join(data, 'packs'), { recursive: true, mode: 0o700 })
  writeFileSync(join(data, 'packs', 'usace_nid.gpkg'), 'half a file')
  const here = await served(data, null)
  const ready = JSON.parse(await here.text('/readyz')) as {
    status: string
    checks: { packs: { rejected: { file: string; reason: string }[] } }
  }
  expect([ready.status, ready.checks.packs.rejected.map(({ file }) => file)]).toEqual(['warn', ['usace_nid.gpkg']])
  expect(ready.checks.packs.rejected[0]!.reason).not.toBe('')
}, 60_000)
