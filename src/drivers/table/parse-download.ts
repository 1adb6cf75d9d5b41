import { abortable } from '../../async/deadline.ts'
import { buffersOf, createJobWorker, JobWorkerError } from '../../async/job-worker.ts'
import { UpstreamError, type UpstreamCode } from '../../model/error.ts'
import type { Budget, Properties } from '../../model/source.ts'
import type { Reply } from '../../net/call.ts'
import { parseJsonBody } from '../../net/content.ts'
import { packFeatures, type PackedFeatures } from '../features/feature-index.ts'
import { parseGeoJsonFeatures } from '../features/geojson-features.ts'
import { mapProperties } from '../imageserver/map-properties.ts'
import { createListParser, type RecordListFormat } from '../rest/record-list.ts'
import type { GeoFeature } from '../features/nearest-features.ts'
import { packTexts, type PackedTexts } from '../pack/packed-texts.ts'
import type { TableEdition } from './table-edition.ts'
import { joinEditions, normalizeKey, parseRowsByKey, requireSmallKey, type TableFormat } from './table-rows.ts'

/** A download to parse. Parsing 64 MB takes seconds, so it runs in a worker. */
export type ParseJobs = {
  /** All rows of a table, joined with its earlier editions, as JSON texts by key. The editions come back. */
  table: {
    job: { editions: TableEdition[]; asset: string; format: TableFormat }
    parsed: PackedTexts & { editions: TableEdition[] }
  }
  /** The rows of one key of a table. */
  rows: { job: { bytes: Uint8Array; asset: string; format: TableFormat; key: string }; parsed: Properties[] }
  /** The features of a GeoJSON file. */
  features: {
    job: { bytes: Uint8Array; contentType: string; host: string; attributes: Record<string, string> | undefined }
    parsed: PackedFeatures
  }
  /** The features of a list of records. */
  records: {
    job: { bytes: Uint8Array; contentType: string; host: string; format: RecordListFormat }
    parsed: PackedFeatures
  }
}
type ParseKind = keyof ParseJobs

/** Parses a download, whose bytes move to the parser. @throws UpstreamError if it is invalid or too large. */
export type ParseDownload = <Kind extends ParseKind>(
  kind: Kind,
  job: ParseJobs[Kind]['job'],
  budget: Budget,
) => Promise<ParseJobs[Kind]['parsed']>

/** The message to the worker, and its reply. */
export type ParseMessage = { [Kind in ParseKind]: { kind: Kind; job: ParseJobs[Kind]['job'] } }[ParseKind]
export type ParseReply =
  | { parsed: ParseJobs[ParseKind]['parsed'] }
  | { code: UpstreamCode; message: string; missing: readonly string[] }
  | { error: string }

/** Parses in this thread: in the worker, and where there is none. */
export async function parseHere({ kind, job }: ParseMessage): Promise<ParseJobs[ParseKind]['parsed']> {
  if (kind === 'table')
    return { ...packTexts(await joinEditions(job.editions, job.asset, job.format)), editions: job.editions }
  if (kind === 'rows') {
    const { bytes, asset, format, key } = job
    const rows = (await parseRowsByKey(bytes, asset, format)).get(normalizeKey(key, format)) ?? []
    requireSmallKey(key, rows)
    return rows
  }
  const features = kind === 'records' ? listedFeaturesOf(job) : geoJsonFeaturesOf(job)
  // The document and its text are garbage now. They would stay while the features are packed.
  Bun.gc(true)
  return packFeatures(features)
}

function listedFeaturesOf({ format, ...job }: ParseJobs['records']['job']): GeoFeature[] {
  return createListParser(format, job.host)(documentOf(job)).records
}

function geoJsonFeaturesOf({ attributes, ...job }: ParseJobs['features']['job']): GeoFeature[] {
  return parseGeoJsonFeatures(documentOf(job), job.host, (record) => mapProperties(record, attributes))
}

function documentOf({ bytes, contentType, host }: { bytes: Uint8Array; contentType: string; host: string }): unknown {
  const reply: Reply = { status: 200, headers: new Headers({ 'content-type': contentType }), bytes }
  return parseJsonBody(reply, host)
}

/** Parses in the thread of the caller, for tests and commands without workers. */
export const parseInThisThread: ParseDownload = async (kind, job) => await parseHere({ kind, job } as ParseMessage)

/** Returns the buffers of a job, or of what was parsed, that move to the other thread. */
export function parseBuffersOf(message: ParseJobs[ParseKind]['job' | 'parsed']): ArrayBuffer[] {
  return [...('editions' in message ? message.editions : []), message].flatMap((it) => buffersOf(it))
}

/** No file within the size limit of a download takes longer. */
const timeout_ms = 30_000

/** Parses downloads one after the other in a thread, which `startWorker` starts. It ends when no job is left. */
export function createDownloadParser(startWorker: () => Worker): { parse: ParseDownload; close(): void } {
  const worker = createJobWorker<ParseMessage, ParseReply>(startWorker)
  return {
    async parse(kind, job, { signal }) {
      const message = { kind, job } as ParseMessage
      const replying = worker.run(message, { timeout_ms, transfer: parseBuffersOf(job) }).catch((error: unknown) => {
        if (!(error instanceof JobWorkerError)) throw error
        throw new UpstreamError('worker_lost', `The worker that parses downloads failed: ${error.message}.`)
      })
      const reply = await abortable(replying, signal)
      if ('parsed' in reply) return reply.parsed
      if ('error' in reply) throw new Error(reply.error)
      throw new UpstreamError(reply.code, reply.message, { missing: reply.missing })
    },
    close: worker.close,
  }
}
