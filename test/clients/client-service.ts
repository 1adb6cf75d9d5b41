import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeToken, secureRandomBytes } from '../../src/auth/token.ts'
import { startFieldstone } from '../cli/fieldstone.ts'
import { testKeys } from '../upstreams/online-service.ts'
import { openUpstreams } from '../upstreams/upstreams.ts'

/** A server process, the simulated publishers as its network, and a token of its owner. */
export type ClientService = {
  url: string
  token: string
  folder: string
  send(method: string, path: string, body: unknown): Promise<{ status: number; body: unknown }>
  close(): Promise<void>
}

/** Starts the source, or the executable in FIELDSTONE_EXECUTABLE, as clients of the public interface expect it. */
export async function openClientService(auth: 'on' | 'off'): Promise<ClientService> {
  const folder = mkdtempSync(join(tmpdir(), 'fieldstone-clients-'))
  const upstreams = openUpstreams()
  const token = makeToken('pat', secureRandomBytes)
  const env = {
    FIELDSTONE_OFFLINE: '0',
    FIELDSTONE_MIRROR: upstreams.url,
    FIELDSTONE_OVERPASS: 'https://overpass-api.de/api/interpreter',
    FIELDSTONE_FETCH_FIELDS_MAX: '200',
    FIELDSTONE_AUTH: auth,
    FIELDSTONE_LOG: 'error',
    ...testKeys,
    ...(auth === 'on' && { FIELDSTONE_TOKEN: token }),
  }
  const program = startFieldstone(['serve'], env, folder)
  const [url] = await program.waitForOutput(/http:\/\/127\.0\.0\.1:\d+/)
  return {
    url,
    token,
    folder,
    async send(method, path, body) {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: {
          ...(auth === 'on' && { authorization: `Bearer ${token}` }),
          ...(body !== null && { 'content-type': 'application/json' }),
        },
        ...(body !== null && { body: JSON.stringify(body) }),
      })
      return { status: response.status, body: await response.json() }
    },
    async close() {
      program.signal('SIGTERM')
      await program.end()
      upstreams.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
