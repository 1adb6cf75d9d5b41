import { join } from 'node:path'
import { withHealthProbe } from './health-probe.ts'
import { atMost, type Finding } from './finding.ts'
import { startService } from './service-process.ts'

const held_ms = 5000
const writes = 20

/** Tests P34: another process locks the database for five seconds while tokens, clients and runs are created. */
export async function testLockedDatabase(): Promise<Finding[]> {
  const it = await startService({ FIELDSTONE_OFFLINE: '1' })
  try {
    const other = Bun.spawn(
      [
        process.execPath,
        '--no-env-file',
        '-e',
        `
      const { Database } = require('bun:sqlite')
      const db = new Database(process.argv[1])
      db.run('BEGIN IMMEDIATE')
      console.log('held')
      await Bun.sleep(${held_ms})
      db.run('COMMIT')`,
        join(it.data, 'state.db'),
      ],
      { stdout: 'pipe' },
    )
    await other.stdout.getReader().read()
    const { result, health } = await withHealthProbe(it, async () => {
      const all = Array.from({ length: writes }, (_, i) => [
        it.post('/v1/users/me/tokens', { name: `t${i}`, scopes: ['fetch'] }),
        it.post('/oauth/device_authorization', {}),
        it.post('/v1/runs', {
          kind: 'fetch_batch',
          request: { locations: [{ lat: 39 + i / 100, lng: -104.9 }], fields: ['geohash'] },
        }),
        it.post('/v1/fetch', { lat: 39 + i / 100, lng: -104.9, fields: ['geohash'] }),
      ]).flat()
      return Promise.all(all)
    })
    await other.exited
    const { items } = (await (await fetch(new URL('/v1/users/me/tokens?limit=100', it.url))).json()) as {
      items: { name: string }[]
    }
    const runs = ((await (await fetch(new URL('/v1/runs?limit=100', it.url))).json()) as { items: unknown[] }).items
      .length
    const acknowledged = (path: string) =>
      result.filter((response) => new URL(response.url).pathname === path && response.ok).length
    return [
      atMost(
        'P34',
        'answers of 500 while another process locks the database for 5 s',
        result.filter(({ status }) => status === 500).length,
        0,
      ),
      atMost(
        'P34',
        'acknowledged writes that were lost',
        acknowledged('/v1/users/me/tokens') -
          items.filter(({ name }) => /^t\d+$/.test(name)).length +
          acknowledged('/v1/runs') -
          runs,
        0,
      ),
      atMost(
        'P34',
        'writes rejected, of 40',
        2 * writes - acknowledged('/v1/users/me/tokens') - acknowledged('/v1/runs'),
        0,
      ),
      atMost('P34', 'p99 of /healthz meanwhile', health.p99_ms, { bound: 100, unit: 'ms' }),
    ]
  } finally {
    await it.stop()
  }
}
