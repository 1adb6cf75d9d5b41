import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'

/** OpenStack Swift with its S3 interface, which ends with the process that started it. */
export type SwiftServer = {
  /** The AWS variables of a client. The bucket is `gis-packs`. */
  environment: Record<string, string>
  stop(): Promise<void>
}

const programs = ['swift-ring-builder', 'swift-proxy-server', 'memcached']
const kinds = ['account', 'container', 'object'] as const
const key = 'a-key-of-swift'

/** Whether this machine has Swift (the Debian packages swift-proxy, swift-account, swift-container, swift-object). */
export const hasSwift = [...programs, ...kinds.map((kind) => `swift-${kind}-server`)].every((it) =>
  existsSync(`/usr/bin/${it}`),
)

/** Starts Swift with one device in a temporary folder, and creates the bucket. */
export async function startSwift(): Promise<SwiftServer> {
  const folder = mkdtempSync(join(tmpdir(), 'fieldstone-swift-'))
  mkdirSync(join(folder, 'devices', 'd1'), { recursive: true })
  const children: Bun.Subprocess[] = []
  const start = (command: string[]) =>
    children.push(Bun.spawn(command, { cwd: folder, stdout: 'ignore', stderr: 'ignore' }))
  const cachePort = freePort()
  const proxyPort = freePort()
  start(['/usr/bin/memcached', '-u', 'nobody', '-l', '127.0.0.1', '-p', String(cachePort), '-m', '16'])
  for (const kind of kinds) {
    const port = freePort()
    await Bun.write(join(folder, `${kind}.conf`), storageSettings(kind, port, folder))
    buildRing(kind, port, folder)
    start([`/usr/bin/swift-${kind}-server`, `${kind}.conf`])
  }
  await Bun.write(join(folder, 'proxy.conf'), proxySettings(proxyPort, cachePort, folder))
  start(['/usr/bin/swift-proxy-server', 'proxy.conf'])
  const url = `http://127.0.0.1:${proxyPort}`
  await createBucket(url, children)
  return {
    environment: {
      AWS_ENDPOINT_URL: url,
      AWS_REGION: 'us-west-2',
      AWS_ACCESS_KEY_ID: 'test:reader',
      AWS_SECRET_ACCESS_KEY: key,
    },
    async stop() {
      for (const child of children) child.kill('SIGKILL')
      await Promise.all(children.map(({ exited }) => exited))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Waits until the servers answer. */
async function createBucket(url: string, children: Bun.Subprocess[]): Promise<void> {
  const headers = { 'x-auth-user': 'test:reader', 'x-auth-key': key }
  for (;;) {
    if (children.some(({ exitCode }) => exitCode !== null)) throw new Error('A server of Swift ended.')
    const login = await fetch(`${url}/auth/v1.0`, { headers }).catch(() => null)
    const token = login?.headers.get('x-auth-token')
    const created = token
      ? await fetch(`${url}/v1/AUTH_test/gis-packs`, { method: 'PUT', headers: { 'x-auth-token': token } })
      : null
    if (created?.ok) return
    await Bun.sleep(100)
  }
}

function buildRing(kind: string, port: number, folder: string): void {
  const device = `r1z1-127.0.0.1:${port}/d1`
  for (const words of [['create', '1', '1', '1'], ['add', device, '1'], ['rebalance']])
    Bun.spawnSync(['/usr/bin/swift-ring-builder', `${kind}.builder`, ...words], { cwd: folder })
}

function commonSettings(port: number, folder: string): string {
  return `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = ${userInfo().username}
swift_dir = ${folder}
log_level = ERROR
`
}

function storageSettings(kind: string, port: number, folder: string): string {
  return `${commonSettings(port, folder)}devices = ${folder}/devices
mount_check = false
fallocate_reserve = 0
[pipeline:main]
pipeline = ${kind}-server
[app:${kind}-server]
use = egg:swift#${kind}
`
}

function proxySettings(port: number, cachePort: number, folder: string): string {
  return `${commonSettings(port, folder)}[pipeline:main]
pipeline = catch_errors cache s3api tempauth slo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
allow_account_management = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:${cachePort}
[filter:s3api]
use = egg:swift#s3api
location = us-west-2
[filter:tempauth]
use = egg:swift#tempauth
user_test_reader = ${key} .admin
[filter:slo]
use = egg:swift#slo
`
}
