import { cacheFiles, noSuchKey, answerRange } from '../rasters/files.ts'
import { textAnswer, type SimulatedService } from '../service.ts'

/** The files of a host by path, created at the first request. `mozilla`: rejects other User-Agents. */
export function bulkFiles(
  host: string,
  files: Record<string, () => Uint8Array>,
  { mozilla = false, type = 'application/zip' } = {},
): SimulatedService {
  const file = cacheFiles((path) => files[path]?.() ?? null)
  return {
    host,
    answer(request) {
      if (request.method !== 'GET') return null
      if (mozilla && request.headers.get('user-agent')?.startsWith('Mozilla/') !== true)
        return textAnswer('<html><body><h1>403 Forbidden</h1></body></html>', 'text/html', 403)
      const found = file(request.path)
      return found ? { ...answerRange(request, found)!, type } : null
    },
  }
}

/** Returns the answer of a host to a missing file under these paths. */
export function missingFileService(host: string, paths: RegExp): SimulatedService {
  return { host, answer: ({ path }) => (paths.test(path) ? noSuchKey(path) : null) }
}
