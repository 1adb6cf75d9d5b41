import { ApiError } from '../model/error.ts'
import { hasRunResult } from '../runs/run-document.ts'
import type { ArtifactName } from '../runs/artifact-writer.ts'
import type { Artifact, ArtifactStore } from '../store/artifacts.ts'
import type { Runs } from '../runs/runs.ts'
import type { StoredRun } from '../store/run-reader.ts'
import { pacedPieces, pacedStream, piece_bytes } from './paced-stream.ts'

const contentTypes: Record<ArtifactName, string> = {
  csv: 'text/csv; charset=utf-8; header=present',
  geojson: 'application/geo+json',
}

/** Streams an artifact of a finished run, or one byte range of it. */
export function artifactResponse(
  run: StoredRun,
  name: ArtifactName,
  { headers, method }: Request,
  { artifacts, readerTurns }: Pick<Runs, 'artifacts' | 'readerTurns'>,
): Response {
  const artifact = hasRunResult(run) ? artifacts.find(run.number, name) : null
  if (!artifact)
    throw new ApiError(
      'run_not_finished',
      run.status === 'failed'
        ? 'This run failed, so it has no artifacts. Submit its locations again.'
        : `This run is ${run.status}. Its artifacts are available when it has ended.`,
      { status: run.status },
    )
  const common = { etag: artifact.etag, 'accept-ranges': 'bytes', 'cache-control': 'private, no-cache' }
  if (matchesEtag(headers.get('if-none-match'), artifact)) return new Response(null, { status: 304, headers: common })
  const range = rangeOf(headers, artifact)
  const [from, to] = range ?? [0, artifact.bytes - 1]
  const responseHeaders = {
    ...common,
    'content-type': contentTypes[name],
    'content-disposition': `attachment; filename="${run.id}.${name}"`,
    'content-length': String(to - from + 1),
    ...(range && { 'content-range': `bytes ${from}-${to}/${artifact.bytes}` }),
  }
  const pieces = artifactPieces(run.number, name, { from, to }, artifacts)
  return new Response(method === 'HEAD' ? null : pacedStream(pacedPieces(pieces, readerTurns)), {
    status: range ? 206 : 200,
    headers: responseHeaders,
  })
}

function matchesEtag(ifNoneMatch: string | null, { etag }: Artifact): boolean {
  return (ifNoneMatch ?? '')
    .split(',')
    .map((it) => it.trim().replace(/^W\//, ''))
    .some((it) => it === '*' || it === etag)
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

function* artifactPieces(
  run: number,
  name: ArtifactName,
  { from, to }: { from: number; to: number },
  artifacts: ArtifactStore,
): Generator<Uint8Array, void> {
  for (let position = from; position <= to;) {
    const bytes = artifacts.readBytes(run, name, position, Math.min(piece_bytes, to + 1 - position))
    // The run expired during the download. An error keeps the truncated file from looking complete.
    if (bytes.length === 0) throw new Error('The artifact was deleted.')
    yield bytes
    position += bytes.length
  }
}
