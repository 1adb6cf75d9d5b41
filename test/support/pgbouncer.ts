import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { switchUser, waitForLog } from './postgres-server.ts'

/** PgBouncer in transaction mode, which ends with the process that started it. */
export type PgBouncer = {
  /** The URL of a database of the server through PgBouncer, without prepared statements. */
  urlOf(url: string): string
  stop(): Promise<void>
}

const program = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/opt/homebrew/bin/pgbouncer'].find((it) =>
  existsSync(it),
)

/** Whether this machine has PgBouncer. Tests that need it are skipped where it is missing. */
export const hasPgBouncer = program !== undefined
if (!hasPgBouncer) console.warn('Tests with PgBouncer are skipped, because pgbouncer is missing.')

/** Starts PgBouncer for all databases of the server at a URL. */
export async function startPgBouncer(serverUrl: string): Promise<PgBouncer> {
  const folder = mkdtempSync(join(tmpdir(), 'fieldstone-pgbouncer-'))
  const asUser = process.getuid!() === 0 ? switchUser(folder) : []
  const port = freePort()
  const file = join(folder, 'pgbouncer.ini')
  await Bun.write(
    file,
    `[databases]
* = host=127.0.0.1 port=${new URL(serverUrl).port} user=fieldstone
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 20
max_client_conn = 200
server_login_retry = 1
`,
  )
  const child = Bun.spawn([...asUser, program!, file], { cwd: folder, stdout: 'ignore', stderr: 'pipe' })
  await waitForLog(child.stderr, 'process up')
  return {
    urlOf(url) {
      const through = new URL(url)
      through.port = String(port)
      through.searchParams.set('prepare', 'false')
      return through.href
    },
    async stop() {
      child.kill('SIGKILL')
      await child.exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
