import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { tokenHash } from '../../src/auth/token.ts'
import { openUpstreams, type Upstreams } from '../upstreams/upstreams.ts'
import { openHttpService, type HttpService } from '../support/http-service.ts'

/** A service with geocoders behind its HTTP interface, with fake upstreams and access to its database. */
export type AddressService = HttpService & {
  upstreams: Upstreams
  /** The number of calls to each provider. */
  requested(): { geocodio: number; census: number; regrid: number }
  /** The address audit records, oldest first. */
  records(): { account: string; outcome: string; provider: string | null; cached: number; address_hash: Uint8Array }[]
  /** A token of a new account with only these scopes. */
  tokenOf(account: string, scopes: string): Promise<string>
}

export async function openAddressService(env: Record<string, string> = {}): Promise<AddressService> {
  const upstreams = openUpstreams()
  const server = await openHttpService({
    FIELDSTONE_OFFLINE: '0',
    FIELDSTONE_MIRROR: upstreams.url,
    GEOCODIO_API_KEY: 'test-geocodio',
    ...env,
  })
  const store = new Database(join(server.testService.app.config.data, 'state.db'))
  store.run('PRAGMA busy_timeout = 1000')
  return {
    ...server,
    upstreams,
    requested: () => ({
      geocodio: upstreams.callsTo('api.geocod.io'),
      census: callsTo(upstreams, 'geocoding.geo.census.gov', '/geocoder/locations/onelineaddress'),
      regrid: upstreams.callsTo('app.regrid.com'),
    }),
    records() {
      const months = store
        .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE name LIKE 'geocode_audit_%' ORDER BY name")
        .all()
      return months.flatMap(
        ({ name }) =>
          store
            .query(`SELECT account, outcome, provider, cached, address_hash FROM ${name} ORDER BY rowid`)
            .all() as never[],
      )
    },
    async tokenOf(account, scopes) {
      const token = await server.testService.app.accounts.issueOwnerToken(account)
      store
        .query('INSERT INTO accounts (id, name, created_at) VALUES (?, ?, 0) ON CONFLICT DO NOTHING')
        .run(account, account)
      store.query('UPDATE tokens SET account_id = ?, scopes = ? WHERE hash = ?').run(account, scopes, tokenHash(token))
      return token
    },
    async close() {
      store.close()
      await server.close()
      upstreams.close()
    },
  }
}

function callsTo({ calls }: Upstreams, host: string, path: string): number {
  return calls.filter((call) => call.host === host && call.path === path).length
}
