import { textAnswer, type ReceivedRequest, type ServiceAnswer } from '../service.ts'

/** Caches files. Each is created at the first request. */
export function cacheFiles(make: (path: string) => Uint8Array | null): (path: string) => Uint8Array | null {
  const made = new Map<string, Uint8Array | null>()
  return (path) => {
    if (!made.has(path)) made.set(path, make(path))
    return made.get(path) ?? null
  }
}

/** Answers with a file or the requested range. */
export function answerRange({ headers }: ReceivedRequest, file: Uint8Array): ServiceAnswer {
  const whole = { type: 'image/tiff', headers: fileHeaders(file) }
  const requested = headers.get('range')
  if (requested === null) return { ...whole, body: file }
  const range = /^bytes=(\d*)-(\d*)$/.exec(requested)
  const from = range?.[1] ? Number(range[1]) : Math.max(0, file.length - Number(range?.[2] || Number.NaN))
  const to = range?.[1] && range[2] ? Math.min(Number(range[2]), file.length - 1) : file.length - 1
  if (!(from <= to))
    return { ...whole, status: 416, headers: { ...whole.headers, 'content-range': `bytes */${file.length}` }, body: '' }
  return {
    ...whole,
    status: 206,
    headers: { ...whole.headers, 'content-range': `bytes ${from}-${to}/${file.length}` },
    body: file.subarray(from, to + 1),
  }
}

function fileHeaders(file: Uint8Array) {
  return {
    'accept-ranges': 'bytes',
    etag: `"made-up-${file.length}"`,
    'last-modified': 'Tue, 12 Aug 2025 09:00:00 GMT',
  }
}

/** The answer of an object store to an unknown name. */
export function noSuchKey(path: string): ServiceAnswer {
  return textAnswer(
    `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message><Key>${path.slice(1)}</Key></Error>`,
    'application/xml',
    404,
  )
}
