import { join } from 'node:path'
import { readUntilWord } from '../bench/child.ts'
import { costFindings, costTable, isBounded, openWorkProbe, workAttempts, type WorkCost } from './bounded-work.ts'
import { atLeast, type Finding } from './finding.ts'
import { measureBuilds } from './hostile-builds.ts'
import { addHostileFields } from './hostile-catalog.ts'
import { hostileInputs, type HostileInput } from './hostile-inputs.ts'
import { startService } from './service-process.ts'

/** The cost of a file, and what the service said about it. */
type FileCost = { cost: WorkCost; fate: string }

/**
 * Tests every file that a publisher, a pack or the operator's folders can bring: peak memory and longest pause of the
 * service, the fate of the file, and that the service is alive afterwards. Prints the table of the guide. HOSTILE_FILE
 * selects files by a part of their name.
 */
export async function soakHostileFiles(): Promise<Finding[]> {
  const only = process.env.HOSTILE_FILE ?? ''
  const { costs, findings } = await measureFiles(hostileInputs.filter(({ name }) => name.includes(only)))
  for (const { input, fate, ...cost } of await measureBuilds(only)) {
    costs.push({ ...cost, input: input.name })
    findings.push(...costFindings({ ...cost, input: input.name }), fateFinding(input, fate))
  }
  console.error(costTable(costs))
  return [...findings, ...(await measurePlantedFaults())]
}

/** Measures files that the service reads. */
export async function measureFiles(
  inputs: readonly HostileInput[],
): Promise<{ costs: WorkCost[]; findings: Finding[] }> {
  const costs: WorkCost[] = []
  const findings: Finding[] = []
  for (const input of inputs) {
    const { cost, fate } = await measureInput(input)
    costs.push(cost)
    findings.push(...costFindings(cost), fateFinding(input, fate))
    console.error(input.name, cost.memory_mb, cost.pause_ms, fate)
  }
  return { costs, findings }
}

function fateFinding({ name, fate: expected }: { name: string; fate: RegExp }, fate: string): Finding {
  const figure = `what is said about ${name}: ${fate.slice(0, 200)}`
  return { promise: 'P13', figure, value: 1, target: String(expected), pass: expected.test(fate) }
}

/** The best of several attempts, each with a new service. */
async function measureInput(input: HostileInput): Promise<FileCost> {
  let best = await tryInput(input)
  for (let i = 1; i < workAttempts && !isBounded(best.cost); i++) {
    const { cost, fate } = await tryInput(input)
    const memory_mb = Math.min(cost.memory_mb, best.cost.memory_mb)
    best = { cost: { ...cost, memory_mb, pause_ms: Math.min(cost.pause_ms, best.cost.pause_ms) }, fate }
  }
  return best
}

async function tryInput(input: HostileInput): Promise<FileCost> {
  const downloads = new Map<string, Uint8Array>()
  const mirror = Bun.serve({
    port: 0,
    idleTimeout: 0,
    fetch(request) {
      const { pathname } = new URL(request.url)
      const body = downloads.get(pathname.slice(pathname.lastIndexOf('/') + 1))
      return body ? rangeOf(request, body) : new Response('', { status: 404 })
    },
  })
  const env = { FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: mirror.url.href.replace(/\/$/, '') }
  const service = await startService(env, addHostileFields)
  const probe = openWorkProbe(service, 1)
  try {
    let fate = ''
    const size_bytes = input.prepare({ data: service.data, downloads })
    const cost = await probe.measure({ input: input.name, sentBy: input.sentBy, size_bytes }, async () => {
      input.place()
      fate = await input.ask(service)
    })
    const isAlive = (await fetch(new URL('/healthz', service.url))).ok
    return { cost, fate: isAlive ? fate : 'not alive' }
  } finally {
    probe.close()
    await service.stop()
    await mirror.stop(true)
  }
}

function rangeOf(request: Request, body: Uint8Array): Response {
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.get('range') ?? '') ?? []
  if (from === undefined) return new Response(body)
  const end = Math.min(Number(to) + 1, body.length)
  return new Response(body.subarray(Number(from), end), {
    status: 206,
    headers: { 'content-range': `bytes ${from}-${end - 1}/${body.length}` },
  })
}

/** Two faults in a process of its own, which the measurement must see. */
export async function measurePlantedFaults(): Promise<Finding[]> {
  const child = Bun.spawn([process.execPath, '--no-env-file', join(import.meta.dir, 'misbehaving-service.ts')], {
    stdout: 'pipe',
  })
  const url = new URL((await readUntilWord(child.stdout, '\n')).trim())
  const probe = openWorkProbe({ url, pid: child.pid }, 1)
  const measure = (path: string) =>
    probe.measure({ input: path, sentBy: 'suite', size_bytes: 0 }, async () => {
      await (await fetch(new URL(path, url))).text()
    })
  try {
    const isQuiet = isBounded(await measure('/'))
    const faults = [await measure('/block'), await measure('/allocate')]
    const seen = faults.filter((cost) => costFindings(cost).some(({ pass }) => !pass)).length
    return [
      atLeast('P13', 'planted faults that the measurement sees, of 2', seen, 2),
      atLeast('P13', 'planted processes without a fault that pass, of 1', Number(isQuiet), 1),
    ]
  } finally {
    probe.close()
    child.kill()
  }
}
