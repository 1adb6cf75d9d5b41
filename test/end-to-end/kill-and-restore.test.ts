import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Fieldstone } from '../cli/fieldstone.ts'
import { waitForAddress, createProcessGroup } from '../cli/process-group.ts'
import { words } from '../support/words.ts'

const rows = 1200
const fields = words`
  state county timezone nearest_airport_name nearest_airport_distance_m geohash mgrs nearest_place_name
`
const sites = [
  'site,lat,lng',
  ...Array.from(
    { length: rows },
    (_, i) => `s${i},${(31 + (i % 110) / 10).toFixed(6)},${(-114 + (i % 337) / 10).toFixed(6)}`,
  ),
].join('\n')

const { root: folder, start } = createProcessGroup()

/** A started server, and its requests. */
type StartedServer = {
  process: Fieldstone
  address: string
  text(path: string): Promise<string>
  submit(): Promise<string>
  run(id: string): Promise<{ status: string; done: number }>
}

async function startServer(data: string, token: string | null): Promise<StartedServer & { token: string }> {
  const process = start(['serve', '--data', data])
  const address = await waitForAddress(process)
  const owner = token ?? (await process.waitForOutput(/shown only once: (\S+)/))[1]!
  const request = (path: string, init: RequestInit = {}) =>
    fetch(address + path, { ...init, headers: { authorization: `Bearer ${owner}`, 'content-type': 'text/csv' } })
  return {
    process,
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

/** Waits until this many rows of a run are answered, or the run has ended. */
async function waitForRows(
  { run }: StartedServer,
  id: string,
  done: number,
): Promise<{ status: string; done: number }> {
  for (;;) {
    const now = await run(id)
    if (now.done >= done && (done < rows || now.status === 'done')) return now
    await Bun.sleep(20)
  }
}

async function command(words: string[]): Promise<string> {
  const { code, out, err } = await start(words).end()
  expect([code, err]).toEqual([0, ''])
  return out
}

test('a server that is killed three times answers every row of a run, and so does its backup that is restored in another folder', async () => {
  const data = join(folder, 'data')
  let server = await startServer(data, null)
  const { token } = server
  const first = await server.submit()
  for (const done of [50, 200, 400]) {
    const { status } = await waitForRows(server, first, done)
    expect(status).toBe('running')
    server.process.signal('SIGKILL')
    await server.process.end()
    server = await startServer(data, token)
  }
  await waitForRows(server, first, rows)
  const csv = await server.text(`/v1/runs/${first}/artifacts/csv`)
  expect(csv.trim().split('\n')).toHaveLength(rows + 1)

  // A run without interruption has the same bytes.
  const second = await server.submit()
  expect((await waitForRows(server, second, 20)).status).toBe('running')
  expect(await command(['backup', 'backup.tar', '--data', data])).toContain('2 runs')
  await waitForRows(server, second, rows)
  expect(await server.text(`/v1/runs/${second}/artifacts/csv`)).toBe(csv)

  // From now on, only the backup is used.
  server.process.signal('SIGKILL')
  await server.process.end()
  const restoredData = join(folder, 'restored')
  await command(['restore', 'backup.tar', '--data', restoredData])
  const restored = await startServer(restoredData, token)
  expect(await restored.text(`/v1/runs/${first}/artifacts/csv`)).toBe(csv)
  await waitForRows(restored, second, rows)
  expect(await restored.text(`/v1/runs/${second}/artifacts/csv`)).toBe(csv)

  const newToken = (await command(['token', 'new', '--name', 'after the restore', '--data', restoredData])).trim()
  expect(
    (await fetch(`${restored.address}/v1/users/me`, { headers: { authorization: `Bearer ${newToken}` } })).status,
  ).toBe(200)
  expect(await command(['doctor', '--data', restoredData])).toContain('All checks passed.')
}, 120_000)

test('a corrupt pack is reported with its reason, and the server answers', async () => {
  const data = join(folder, 'corrupt')
  mkdirSync(join(data, 'packs'), { recursive: true, mode: 0o700 })
  writeFileSync(join(data, 'packs', 'usace_nid.gpkg'), 'not a GeoPackage')
  const server = await startServer(data, null)
  const ready = JSON.parse(await server.text('/readyz')) as {
    status: string
    checks: { packs: { rejected: { file: string; reason: string }[] } }
  }
  expect([ready.status, ready.checks.packs.rejected.map(({ file }) => file)]).toEqual(['warn', ['usace_nid.gpkg']])
  expect(ready.checks.packs.rejected[0]!.reason).not.toBe('')
})
