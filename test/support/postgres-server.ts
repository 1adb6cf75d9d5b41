import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import { freePort } from './free-port.ts'

/** A PostgreSQL server of the tests, which ends with the process that started it. */
export type PostgresServer = {
  /** Creates an empty database, and returns its URL. */
  createDatabase(): Promise<string>
  /** Ends all connections to the databases, as an administrator can. */
  killConnections(): Promise<void>
  /** Ends the server at once, without a checkpoint. The folder stays. */
  crash(): Promise<void>
  /** Starts the server again after a crash, at the same address. */
  restart(): Promise<void>
  /** The processor time of all processes of the server so far, including those that have ended. Linux only. */
  processorTime_s(): number
  /** Ends the server and removes its folder. */
  stop(): Promise<void>
}

const folders = [17, 16, 15].map((version) => `/usr/lib/postgresql/${version}/bin`)
const programs = [...folders, '/usr/local/bin', '/opt/homebrew/bin', '/usr/bin'].find((folder) =>
  existsSync(join(folder, 'initdb')),
)
const settings = {
  fsync: 'off',
  full_page_writes: 'off',
  listen_addresses: '127.0.0.1',
  max_connections: '300',
  shared_buffers: '32MB',
  deadlock_timeout: '50ms',
}

/** Whether this machine can start PostgreSQL. Tests that need it are skipped where it cannot. */
export const hasPostgres = programs !== undefined && (process.getuid!() !== 0 || Bun.which('setpriv') !== null)
if (!hasPostgres) console.warn('Tests with PostgreSQL are skipped, because initdb (or setpriv for root) is missing.')

/** Returns the path of a program of PostgreSQL, such as `createdb`. */
export function postgresProgram(name: string): string {
  return join(programs!, name)
}

/** The certificate and the key of a server, as PEM text. */
export type ServerCertificate = { certificate: string; key: string }

/** With a certificate, the server has TLS. `changes`: settings that differ from those of the tests. */
type PostgresOptions = { tls?: ServerCertificate; changes?: Partial<typeof settings> }

/** How long a hook that starts a PostgreSQL server may take on a busy machine. */
export const startsPostgres_ms = 180_000

/** Starts a PostgreSQL server on a new folder. It is empty, and accepts every user. */
export async function startPostgres({ tls, changes }: PostgresOptions = {}): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'fieldstone-postgres-'))
  const asUser = process.getuid!() === 0 ? switchUser(folder) : []
  const data = join(folder, 'data')
  const options = ['-U', 'fieldstone', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync']
  const initdb = Bun.spawnSync([...asUser, postgresProgram('initdb'), '-D', data, ...options], { cwd: folder })
  if (initdb.exitCode !== 0) throw new Error(`initdb failed: ${initdb.stderr.toString()}`)
  const port = freePort()
  const command = [
    ...asUser,
    postgresProgram('postgres'),
    '-D',
    data,
    '-k',
    folder,
    '-p',
    String(port),
    ...Object.entries({ ...settings, ...changes, ...(tls && writeCertificate(folder, tls)) }).flatMap(
      ([name, value]) => ['-c', `${name}=${value}`],
    ),
  ]
  let server = await startServer(command, folder)
  const urlOf = (database: string) => `postgres://fieldstone@127.0.0.1:${port}/${database}`
  const admin = new SQL({ url: urlOf('postgres'), max: 1 })
  let databases = 0
  return {
    async createDatabase() {
      const name = `test_${++databases}`
      await admin.unsafe(`CREATE DATABASE ${name} TEMPLATE template0`)
      return urlOf(name)
    },
    async killConnections() {
      await admin.unsafe("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname LIKE 'test_%'")
    },
    async crash() {
      server.kill('SIGQUIT')
      await server.exited
    },
    async restart() {
      server = await startServer(command, folder)
    },
    processorTime_s: () => processorTimeOf(server.pid),
    async stop() {
      await admin.close({ timeout: 0 })
      server.kill('SIGQUIT')
      await server.exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const ticksPerSecond = 100

/** The processor time of a process and its children. Its own figures include its children that have ended. */
function processorTimeOf(pid: number): number {
  const ticksOf = (process: number | string) =>
    readFileSync(`/proc/${process}/stat`, 'utf8').split(') ')[1]!.split(' ').slice(11, 15).map(Number)
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
  const ticks = [pid, ...children.filter(Boolean)].flatMap(ticksOf)
  return ticks.reduce((sum, it) => sum + it, 0) / ticksPerSecond
}

/** Writes the files of a certificate, and returns the settings that name them. */
function writeCertificate(folder: string, { certificate, key }: ServerCertificate): Record<string, string> {
  const files = { ssl_cert_file: join(folder, 'server.crt'), ssl_key_file: join(folder, 'server.key') }
  const { uid, gid } = statSync(folder)
  for (const [file, text] of [
    [files.ssl_cert_file, certificate],
    [files.ssl_key_file, key],
  ] as const) {
    writeFileSync(file, text, { mode: 0o600 })
    chownSync(file, uid, gid)
  }
  return { ssl: 'on', ...files }
}

async function startServer(command: string[], folder: string): Promise<Bun.Subprocess> {
  const server = Bun.spawn(command, { cwd: folder, stdout: 'ignore', stderr: 'pipe' })
  await waitForLog(server.stderr, 'ready to accept connections')
  return server
}

/**
 * PostgreSQL and PgBouncer refuse to run as root. Returns the command that runs them as another user, who gets the
 * folder.
 */
export function switchUser(folder: string): string[] {
  const idOf = (option: string, user: string) => Number(Bun.spawnSync(['id', option, user]).stdout.toString() || NaN)
  const user = Number.isNaN(idOf('-u', 'postgres')) ? 'nobody' : 'postgres'
  const [uid, gid] = [idOf('-u', user), idOf('-g', user)]
  chownSync(folder, uid, gid)
  return ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--pdeathsig=QUIT']
}

/** Waits until the log of a program contains a text, and reads the rest of the log in the background. */
export async function waitForLog(log: ReadableStream<Uint8Array>, text: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  void read()
  return promise

  async function read(): Promise<void> {
    let found = ''
    const decoder = new TextDecoder()
    for await (const chunk of log) {
      found = (found + decoder.decode(chunk)).slice(-10_000)
      if (found.includes(text)) resolve()
    }
    reject(new Error(`The program ended before it logged "${text}": ${found}`))
  }
}
