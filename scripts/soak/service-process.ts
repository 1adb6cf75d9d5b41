import { join } from 'node:path'
import { secureRandomBytes, makeToken, tokenHash } from '../../src/auth/token.ts'
import { openState } from '../../src/store/sqlite/state-database.ts'
import { newFolder, startFieldstone } from '../../test/cli/fieldstone.ts'

/** A running service process with its own data folder. */
export type ServiceProcess = {
  url: URL
  pid: number
  data: string
  post(path: string, body: unknown, signal?: AbortSignal): Promise<Response>
  stop(): Promise<void>
}

/** Starts the service and waits until its embedded data is loaded. `prepare` gets the data folder before the start. */
export async function startService(
  env: Record<string, string>,
  prepare: (data: string) => unknown = () => {},
): Promise<ServiceProcess> {
  const { folder, remove } = newFolder()
  const data = join(folder, 'data')
  await prepare(data)
  const child = startFieldstone(
    ['serve', '--data', data],
    { FIELDSTONE_AUTH: 'off', FIELDSTONE_LOG: 'error', ...env },
    folder,
  )
  const url = new URL((await child.waitForOutput(/answers at (http:\S+)/))[1]!)
  while (await isWarming(url)) await Bun.sleep(20)
  // A town is not an address. Rejecting it loads the gazetteer.
  await post('/v1/lookup', { input: 'Denver, CO' })
  return {
    url,
    pid: child.pid,
    data,
    post,
    async stop() {
      child.signal('SIGKILL')
      await child.end()
      remove()
    },
  }

  function post(path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
    return fetch(new URL(path, url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    })
  }
}

async function isWarming(url: URL): Promise<boolean> {
  const { checks } = (await (await fetch(new URL('/readyz', url), { headers: { connection: 'close' } })).json()) as {
    checks: { sources: Record<string, { state: string }> }
  }
  return Object.values(checks.sources).some(({ state }) => state === 'warming')
}

/** Adds an account to the database of a service that is not started yet. Returns its token. */
export function addAccount(data: string, name: string, scopes = 'fetch'): string {
  const db = openState(data)
  const token = makeToken('pat', secureRandomBytes)
  db.query('INSERT INTO accounts (id, name, created_at, scopes) VALUES (?, ?, 0, ?)').run(`acc_${name}`, name, scopes)
  db.query('INSERT INTO tokens (account_id, hash, last_four, name, scopes, created_at) VALUES (?, ?, ?, ?, ?, 0)').run(
    `acc_${name}`,
    tokenHash(token),
    token.slice(-4),
    name,
    scopes,
  )
  db.close()
  return token
}
