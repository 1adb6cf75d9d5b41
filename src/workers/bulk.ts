import { servedPackFolderOf } from '../app-packs.ts'
import { openStandaloneSources } from '../app-sources.ts'
import type { BulkWorkerInput, BulkWorkerOptions, BulkWorkerOutput } from '../bulk/block-workers.ts'
import { createLocalAnswers } from '../bulk/local-answers.ts'
import { configOf } from '../config.ts'
import { createLog } from '../log.ts'
import { openAddressPackFolder } from '../packs/addresses/address-pack-folder.ts'
import { createCheckedPacks } from '../packs/check/checked-packs.ts'
import { checkPackFile } from '../packs/check/pack-check.ts'
import type { CheckPack } from '../packs/check/pack-checker.ts'
import { createAddressReader } from '../place/address-reader.ts'
import { createLocalGeocoder } from '../place/local-geocoder.ts'
import { type AnswerBlock, createBlockGarbageCollector } from '../bulk/answer-blocks.ts'

declare const self: Worker

const collectGarbage = createBlockGarbageCollector()

let answering: Promise<AnswerBlock> | null = null

/** Answers blocks of rows from the data of this machine. Unexpected errors end the run. */
self.onmessage = ({ data }: MessageEvent<BulkWorkerInput>) => {
  if ('open' in data) answering = openAnswerer(data.open)
  else void replyTo(data)
}

async function openAnswerer({
  job,
  environment,
  contents,
  embedded,
  version,
  geocoding,
}: BulkWorkerOptions): Promise<AnswerBlock> {
  const config = configOf(environment)
  const log = createLog(config.log, (line) => process.stderr.write(`${line}\n`))
  const now = () => new Date(job.now_ms)
  const checkedPacks = createCheckedPacks(config.data)
  // The main thread has checked the large ones.
  const checkPack: CheckPack = async (path, sha256) =>
    checkedPacks.has(path, sha256) ? new Map() : checkPackFile(path, sha256)
  const sources = openStandaloneSources({
    config,
    contents,
    embedded,
    version,
    now,
    log,
    checkPack,
    copySchedule: 'never',
  })
  await sources.packs.waitUntilChecked()
  const deps = { ...sources, now, log }
  if (geocoding === null) return createLocalAnswers(job, deps)
  const packs = openAddressPackFolder(servedPackFolderOf(config), { now, check: checkPack })
  await packs.waitForChecks(Infinity)
  const reader = createAddressReader(sources.embedded)
  await reader.gazetteer.warm()
  const geocode = createLocalGeocoder({ reader, packs, isOnlyGeocoder: geocoding === 'packs' })
  return createLocalAnswers(job, { ...deps, geocode })
}

async function replyTo({ id, block }: Extract<BulkWorkerInput, { id: number }>): Promise<void> {
  try {
    const answered = await (await answering!)(block)
    post({ id, answered }, [answered.text.buffer as ArrayBuffer])
    collectGarbage()
  } catch (error) {
    post({ id, failed: error instanceof Error ? (error.stack ?? error.message) : String(error) }, [])
  }
}

function post(message: BulkWorkerOutput, transfer: ArrayBuffer[]): void {
  self.postMessage(message, transfer)
}
