import { ApiError, ValidationError } from '../../model/error.ts'
import { addedColumns } from '../../runs/artifacts/artifact-columns.ts'
import type { ArtifactFormat, ArtifactVariant } from '../../runs/artifacts/artifact-writer.ts'
import type { RunArtifacts } from '../../runs/artifacts/artifact-files.ts'
import type { Artifact } from '../../store/runs/artifacts.ts'
import type { Runs } from '../../runs/runs.ts'
import { parseRunColumn } from '../../store/runs/run-request.ts'
import type { StoredRun } from '../../store/runs/runs.ts'
import { splitNames } from '../../model/text.ts'
import { listViolations, literalViolations } from '../request/paging.ts'
import { hasEtag } from '../pages/static-body.ts'
import { pacedStream, piece_bytes, type PacedReader } from './paced-stream.ts'

/** The media type and the ending of each format. */
const fileTypes = {
  csv: ['text/csv; charset=utf-8; header=present', 'csv'],
  geojson: ['application/geo+json', 'geojson'],
  ndjson: ['application/x-ndjson', 'ndjson'],
  parquet: ['application/vnd.apache.parquet', 'parquet'],
  xlsx: ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'],
  gpkg: ['application/geopackage+sqlite3', 'gpkg'],
  report: ['application/json', 'json'],
} as const satisfies Record<ArtifactFormat, readonly [type: string, ending: string]>

/** Streams a result file of a finished run, or one byte range of it. */
export async function artifactResponse(
  run: StoredRun,
  format: ArtifactFormat,
  { headers, method, url }: Request,
  { runs, reader }: { runs: Pick<Runs, 'artifacts' | 'prepareArtifact'>; reader: PacedReader },
): Promise<Response> {
  const variant = variantOf(format, new URL(url).searchParams)
  const name = await runs.prepareArtifact(run, format, variant)
  const artifact = await runs.artifacts.find(run.number, name)
  if (!artifact) throw new ApiError('internal_error', 'The result file was deleted while it was being read.')
  const common = { etag: artifact.etag, 'accept-ranges': 'bytes', 'cache-control': 'private, no-cache' }
  if (hasEtag(headers, [artifact.etag])) return new Response(null, { status: 304, headers: common })
  const [type, ending] = fileTypes[format]
  const fileName = variant.isInputFirst ? nameLikeInput(run, ending) : `${run.id}.${ending}`
  const file = { type, disposition: dispositionOf(fileName) }
  const moved = followsRedirects({ headers, method })
    ? await runs.artifacts.downloadUrlOf(run.number, name, file)
    : null
  if (moved !== null)
    return new Response(null, { status: 302, headers: { location: moved, 'cache-control': 'no-store' } })
  const range = rangeOf(headers, artifact)
  const [from, to] = range ?? [0, artifact.bytes - 1]
  const responseHeaders = {
    ...common,
    'content-type': file.type,
    'content-disposition': file.disposition,
    'content-length': String(to - from + 1),
    ...(range && { 'content-range': `bytes ${from}-${to}/${artifact.bytes}` }),
  }
  await runs.artifacts.requireIntact(run.number, name, artifact)
  const pieces = artifactPieces(run.number, name, { from, to }, runs.artifacts)
  return new Response(method === 'HEAD' ? null : pacedStream(pieces, reader), {
    status: range ? 206 : 200,
    headers: responseHeaders,
  })
}

/**
 * Whether a client can download from another host. A script in a browser cannot: the dashboard's content security
 * policy and the cross-origin rules forbid it.
 */
function followsRedirects({ headers, method }: Pick<Request, 'headers' | 'method'>): boolean {
  const mode = headers.get('sec-fetch-mode')
  return method === 'GET' && (mode === null || mode === 'navigate')
}

/** The variant in `include`, a comma-separated list. A report has no columns. @throws {ValidationError} */
function variantOf(format: ArtifactFormat, query: URLSearchParams): ArtifactVariant {
  const allowed = format === 'report' ? ['retries'] : ['retries', ...addedColumns]
  const violations = [
    ...listViolations(query, 'include', allowed),
    ...literalViolations(query, 'columns', [inputFirst]),
  ]
  if (violations.length > 0) throw new ValidationError(violations)
  const names = query.getAll('include').flatMap(splitNames)
  return {
    retries: names.includes('retries'),
    added: addedColumns.filter((it) => names.includes(it)),
    isInputFirst: query.get('columns') === inputFirst,
  }
}

/** The order of the columns that the command line and the dashboard ask for. */
const inputFirst = 'input_first'

/** The name of the uploaded file with the preset, without what a file name cannot have. */
function nameLikeInput(run: StoredRun, ending: string): string {
  const { id, name } = run
  const { preset } = parseRunColumn(run, 'selection') as { preset?: string }
  const stem = name === null ? id : name.replace(/\.[a-z0-9]{1,10}$/i, '')
  const words = [stem, ...(preset === undefined ? [] : [preset]), ending]
  return words
    .join('.')
    .toWellFormed()
    .replaceAll(/[\p{Cc}/\\:*?"<>|]/gu, '_')
}

/** The name in ASCII is for clients that do not know the other one (RFC 6266). */
function dispositionOf(fileName: string): string {
  const ascii = fileName.replaceAll(/[^ -~]/g, '_')
  if (ascii === fileName) return `attachment; filename="${ascii}"`
  const encoded = encodeURIComponent(fileName).replaceAll(/['()*]/g, (it) => `%${it.charCodeAt(0).toString(16)}`)
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`
}

/**
 * Returns the first and the last byte of the requested range, null for the whole file (RFC 9110, 14). An invalid header
 * and multiple ranges are ignored.
 */
function rangeOf(headers: Headers, { etag, bytes }: Artifact): [from: number, to: number] | null {
  const parts = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(headers.get('range')?.trim() ?? '')
  const condition = headers.get('if-range')
  if (!parts || (condition !== null && condition.trim() !== etag) || (parts[1] === '' && parts[2] === '')) return null
  const [first, last] = [parts[1] === '' ? null : Number(parts[1]), parts[2] === '' ? null : Number(parts[2])]
  if (first !== null && last !== null && last < first) return null
  const from = first ?? Math.max(0, bytes - last!)
  if (from >= bytes || (first === null && last === 0))
    throw new ApiError('range_not_satisfiable', `The requested range is outside the file, which has ${bytes} bytes.`, {
      bytes,
    })
  return [from, first === null ? bytes - 1 : Math.min(last ?? bytes - 1, bytes - 1)]
}

async function* artifactPieces(
  run: number,
  name: string,
  { from, to }: { from: number; to: number },
  artifacts: Pick<RunArtifacts, 'readBytes'>,
): AsyncGenerator<Uint8Array, void> {
  for (let position = from; position <= to;) {
    const bytes = await artifacts.readBytes(run, name, position, Math.min(piece_bytes, to + 1 - position))
    // The run expired during the download. An error keeps the truncated file from looking complete.
    if (bytes.length === 0) throw new Error('The artifact was deleted.')
    yield bytes
    position += bytes.length
  }
}
