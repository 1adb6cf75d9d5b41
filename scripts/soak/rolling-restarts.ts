import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../test/support/free-port.ts'
import { newFolder, startFieldstone, type Fieldstone } from '../../test/cli/fieldstone.ts'
import { atLeast, atMost, type Finding } from './finding.ts'

/** How often HAProxy checks /readyz. Two failed checks take a service out. */
const check_ms = 200
/** How long a restarted service gets until HAProxy sends requests to it. */
const noticed_ms = 5 * check_ms
const clients = 8
const drain_s = 2

/**
 * Restarts two services behind HAProxy in turn while clients send requests. Needs Debian's haproxy. Without the time
 * for load balancers, requests fail: this shows that the suite finds them.
 */
export async function soakRollingRestarts(restarts = 20): Promise<Finding[]> {
  if (Bun.which('haproxy') === null) {
    console.error('The suite restarts is skipped: it needs haproxy.')
    return []
  }
  const withDrain = await restartInTurn(restarts, drain_s)
  const withoutDrain = await restartInTurn(2, 0)
  return [
    atLeast('P6', `requests during ${restarts} rolling restarts behind HAProxy`, withDrain.requests, 50 * restarts),
    atMost('P6', 'requests of them that failed', withDrain.failed, 0),
    atMost('P6', 'services that exited with an error', withDrain.badExits, 0),
    atLeast('P6', 'failed requests in 2 restarts with FIELDSTONE_DRAIN_SECONDS=0', withoutDrain.failed, 1),
  ]
}

type Result = { requests: number; failed: number; badExits: number }

async function restartInTurn(restarts: number, drainSeconds: number): Promise<Result> {
  const { folder, remove } = newFolder()
  const ports = [freePort(), freePort()]
  const services = await Promise.all(ports.map((port) => start(folder, port, drainSeconds)))
  const balancer = await startBalancer(folder, ports)
  const result: Result = { requests: 0, failed: 0, badExits: 0 }
  const stopping = new AbortController()
  try {
    const load = Array.from({ length: clients }, async () => {
      while (!stopping.signal.aborted) {
        result.requests++
        if (!(await isAnswered(balancer.url))) result.failed++
      }
    })
    for (let restart = 0; restart < restarts; restart++) {
      const index = restart % 2
      services[index]!.signal('SIGTERM')
      if ((await services[index]!.end()).code !== 0) result.badExits++
      services[index] = await start(folder, ports[index]!, drainSeconds)
      await Bun.sleep(noticed_ms)
    }
    stopping.abort()
    await Promise.all(load)
    return result
  } finally {
    stopping.abort()
    await balancer.stop()
    for (const service of services) {
      service.signal('SIGKILL')
      await service.end()
    }
    remove()
  }
}

/** Starts a service and waits until it is ready. */
async function start(folder: string, port: number, drainSeconds: number): Promise<Fieldstone> {
  const data = join(folder, `data-${port}`)
  const service = startFieldstone(
    ['serve', '--data', data, '--port', String(port)],
    { FIELDSTONE_AUTH: 'off', FIELDSTONE_LOG: 'error', FIELDSTONE_DRAIN_SECONDS: String(drainSeconds) },
    folder,
  )
  await service.waitForOutput(/answers at/)
  while ((await fetch(`http://127.0.0.1:${port}/readyz`)).status !== 200) await Bun.sleep(check_ms)
  return service
}

async function isAnswered(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/v1/fetch`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"lat":39.7392,"lng":-104.9903,"fields":["county","timezone"]}',
    })
    return response.status === 200 && (await response.text()).includes('"status":"ok"')
  } catch {
    return false
  }
}

/** HAProxy with its defaults, except that a failed connection is not tried again. */
async function startBalancer(folder: string, ports: number[]): Promise<{ url: string; stop(): Promise<void> }> {
  const port = freePort()
  const file = join(folder, 'haproxy.cfg')
  await Bun.write(
    file,
    `defaults
  mode http
  retries 0
  timeout connect 1s
  timeout client 30s
  timeout server 30s
frontend clients
  bind 127.0.0.1:${port}
  default_backend services
backend services
  balance roundrobin
  option httpchk
  http-check send meth GET uri /readyz ver HTTP/1.1 hdr Host localhost
  default-server check inter ${check_ms} fall 2 rise 1
${ports.map((it) => `  server on-${it} 127.0.0.1:${it}`).join('\n')}
`,
  )
  const child = Bun.spawn(['haproxy', '-f', file, '-db'], { stdout: 'ignore', stderr: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  for (let attempt = 0; !(await isAnswered(url)); attempt++) {
    if (attempt === 50) throw new Error('HAProxy passes no request on.')
    await Bun.sleep(check_ms)
  }
  return {
    url,
    async stop() {
      child.kill('SIGKILL')
      await child.exited
      rmSync(file)
    },
  }
}
