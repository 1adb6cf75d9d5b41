import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startFieldstone } from '../../test/cli/fieldstone.ts'
import { startS3Server, type S3Fault, type S3Server } from '../../test/support/s3-server.ts'
import { fieldsAt, heightPack, openStorageService, wetlandPack } from '../../test/support/stored-packs.ts'
import { hasSwift, startSwift } from '../../test/support/swift-server.ts'
import type { TestService } from '../../test/support/test-service.ts'
import { atLeast, atMost, type Finding } from './finding.ts'

const nodeCount = 2
const faultShare = 0.15
/** The nodes list the storage every minute. Here they list it all the time. */
const finish_ms = 60_000

/** What the nodes answered. */
type StoredPackUse = {
  answers: number
  /** Values of one edition with the vintage of another, or values of no edition. */
  mixed: number
  /** Answers at the end, without faults, that are not of the last edition. */
  stale: number
}

/**
 * Publishes one edition of two packs after the other while nodes answer from them, on the S3 server of the tests with
 * faults, and on Swift if it is installed. With a server that always sends the same ETag, nodes keep the first edition:
 * this shows that the suite finds it.
 */
export async function soakStoredPacks(editions = 12): Promise<Finding[]> {
  const s3 = startS3Server()
  const faulty = await useStorage(
    s3.environment,
    editions,
    (isFaulty) => (s3.faultOf = isFaulty ? faultOf : () => null),
  )
  const rejected = s3.requests.filter(({ status }) => status === 403 || status === 503).length
  await s3.close()
  const findings = [
    ...findingsOf('the S3 server of the tests', faulty),
    atLeast('P20', 'requests to it that failed', rejected, 1),
  ]
  if (hasSwift) {
    const swift = await startSwift()
    findings.push(...findingsOf('Swift', await useStorage(swift.environment, editions)))
    await swift.stop()
  } else console.warn('Packs on Swift are skipped, because Swift or memcached is missing.')
  const lying = startS3Server({ etagOf: () => '"always-the-same"' })
  const { stale } = await useStorage(lying.environment, 2)
  await lying.close()
  return [...findings, atLeast('P20', 'stale answers if the storage always sends the same ETag', stale, 1)]
}

function findingsOf(server: string, { answers, mixed, stale }: StoredPackUse): Finding[] {
  return [
    atLeast('P20', `answers from packs on ${server}`, answers, 1),
    atMost('P20', `mixed or wrong answers from packs on ${server}`, mixed, 0),
    atMost('P20', `answers of an earlier edition at the end, on ${server}`, stale, 0),
  ]
}

const faults: readonly S3Fault[] = [
  { kind: 'status', status: 503, code: 'SlowDown' },
  { kind: 'status', status: 403, code: 'AccessDenied' },
  { kind: 'truncate' },
  { kind: 'ignore_range' },
]

const faultOf: S3Server['faultOf'] = () =>
  Math.random() < faultShare ? faults[Math.floor(Math.random() * faults.length)]! : null

async function useStorage(
  environment: Record<string, string>,
  editions: number,
  setFaults: (isFaulty: boolean) => void = () => {},
): Promise<StoredPackUse> {
  const folder = mkdtempSync(join(tmpdir(), 'soak-stored-packs-'))
  const settings = { FIELDSTONE_PACKS: 's3://gis-packs/us', ...environment }
  await publishEdition(1, folder, settings)
  const nodes = Array.from({ length: nodeCount }, () => openStorageService(settings))
  await Promise.all(nodes.map(async ({ app }) => app.packs.waitUntilChecked()))
  const use: StoredPackUse = { answers: 0, mixed: 0, stale: 0 }
  const ending = new AbortController()
  setFaults(true)
  const working = nodes.flatMap((node) => [readUntilEnd(node, use, ending.signal), syncUntilEnd(node, ending.signal)])
  for (let edition = 2; edition <= editions; edition++) await publishEdition(edition, folder, settings)
  setFaults(false)
  await publishEdition(editions, folder, settings)
  const deadline_ms = performance.now() + finish_ms
  const isCurrent = async (node: TestService) => (await editionsOf(node)).every((edition) => edition === editions)
  for (const node of nodes) while (!(await isCurrent(node)) && performance.now() < deadline_ms) await Bun.sleep(200)
  use.stale = (await Promise.all(nodes.map(isCurrent))).filter((is) => !is).length
  ending.abort()
  await Promise.all(working)
  await Promise.all(nodes.map(async (node) => node.close()))
  rmSync(folder, { recursive: true })
  return use
}

/** Publishes an edition, again and again until the storage has it. */
async function publishEdition(edition: number, folder: string, settings: Record<string, string>): Promise<void> {
  const packs = join(folder, 'data', 'packs')
  mkdirSync(packs, { recursive: true })
  for (const [name, content] of [
    ['usfws_nwi.gpkg', wetlandPack(`Wetland ${edition}`)],
    ['usgs_3dep_13.tif', heightPack(edition)],
  ] as const) {
    writeFileSync(join(packs, name), content)
    writeFileSync(join(packs, name.replace(/\.\w+$/, '.json')), JSON.stringify({ vintage: `edition ${edition}` }))
  }
  const environment = { FIELDSTONE_OFFLINE: '0', ...settings }
  for (;;) if ((await startFieldstone(['pack', 'publish'], environment, folder).end()).code === 0) return
}

async function syncUntilEnd({ app }: TestService, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) await app.packs.waitUntilChecked()
}

async function readUntilEnd(node: TestService, use: StoredPackUse, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    for (const edition of await editionsOf(node)) {
      if (edition !== 'failed') use.answers++
      if (edition === 'mixed') use.mixed++
    }
    await Bun.sleep(10)
  }
}

/** The edition of the answer from each pack. */
async function editionsOf(node: TestService): Promise<(number | 'mixed' | 'failed')[]> {
  // Different places, because the parts of a raster that were read are in memory.
  const at = { lat: 39.01 + 0.08 * Math.random(), lng: -104.99 + 0.08 * Math.random() }
  const { nwi_wetland_type, elevation } = await fieldsAt(node, ['nwi_wetland_type', 'elevation'], at)
  return [
    { result: nwi_wetland_type!, edition: Number(/^Wetland (\d+)$/.exec(String(nwi_wetland_type!.value))?.[1]) },
    { result: elevation!, edition: Number(elevation!.value) },
  ].map(({ result, edition }) => {
    if (result.status === 'failed') return 'failed'
    return result.status === 'ok' && result.dataset_vintage === `edition ${edition}` ? edition : 'mixed'
  })
}
