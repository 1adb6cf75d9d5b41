import { tokenHash } from '../../src/auth/token.ts'
import { openUpstreams, type Upstreams } from '../upstreams/upstreams.ts'
import { parseExposition } from '../telemetry/scrape.ts'
import { openHttpService, type HttpService } from '../support/http-service.ts'
import type { TestServiceOptions } from '../support/test-service.ts'
import { usesPostgres, type TestState } from '../support/test-state.ts'

type AuditRow = { account: string; outcome: string; provider: string | null; cached: number; address_hash: Uint8Array }

/** A service with geocoders behind its HTTP interface, with fake upstreams and access to its database. */
export type AddressService = HttpService & {
  upstreams: Upstreams
  /** The number of calls to each provider. */
  requested(): { geocodio: number; census: number; regrid: number }
  /** The address audit records, oldest first. */
  records(): Promise<AuditRow[]>
  /** A token of a new account with only these scopes. */
  tokenOf(account: string, scopes: string): Promise<string>
}

export async function openAddressService(
  env: Record<string, string> = {},
  options?: TestServiceOptions,
): Promise<AddressService> {
  const upstreams = openUpstreams()
  const network = { FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: upstreams.url, GEOCODIO_API_KEY: 'test-geocodio' }
  const server = await openHttpService({ ...network, ...env }, options)
  const { state } = server.testService
  return {
    ...server,
    upstreams,
    requested: () => ({
      geocodio: upstreams.callsTo('api.geocod.io'),
      census: callsTo(upstreams, 'geocoding.geo.census.gov', '/geocoder/locations/onelineaddress'),
      regrid: upstreams.callsTo('app.regrid.com'),
    }),
    async records() {
      const metrics = await (await server.testService.send('/metrics')).text()
      const addresses = parseExposition(metrics).lines.filter(({ name }) => name === 'fieldstone_geocodes_total')
      const expected = addresses.reduce((sum, { value }) => sum + value, 0)
      // No request waits for its record.
      for (;;) {
        const rows = await auditRows(state)
        if (rows.length >= expected) return rows
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
    async tokenOf(account, scopes) {
      const token = await server.testService.app.accounts.issueOwnerToken(account)
      await state.query(
        'INSERT INTO accounts (id, name, created_at) VALUES (?, ?, 0) ON CONFLICT DO NOTHING',
        account,
        account,
      )
      const statement = 'UPDATE tokens SET account_id = ?, scopes = ? WHERE hash = ?'
      await state.query(statement, account, scopes, tokenHash(token))
      return token
    },
    async close() {
      await server.close()
      upstreams.close()
    },
  }
}

async function auditRows(state: TestState): Promise<AuditRow[]> {
  const columns = 'account, outcome, provider, cached, address_hash'
  if (usesPostgres) {
    const statement = `SELECT ${columns} FROM geocode_audit ORDER BY at, ctid`
    const rows = await state.query<Omit<AuditRow, 'cached'> & { cached: boolean }>(statement)
    return rows.map((row) => ({ ...row, cached: Number(row.cached) }))
  }
  const tables = await state.query<{ name: string }>(
    "SELECT name FROM sqlite_schema WHERE name LIKE 'geocode_audit_%' ORDER BY name",
  )
  const months = tables.map(({ name }) => state.query<AuditRow>(`SELECT ${columns} FROM ${name} ORDER BY rowid`))
  return (await Promise.all(months)).flat()
}

function callsTo({ calls }: Upstreams, host: string, path: string): number {
  return calls.filter((call) => call.host === host && call.path === path).length
}
