import { afterEach, expect, test } from 'bun:test'
import { noDeadline } from '../../src/async/deadline.ts'
import { openS3Storage } from '../../src/storage/s3-storage.ts'
import { startS3Server } from '../support/s3-server.ts'

const servers: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

const storageAt = (endpoint: string, keys = { accessKeyId: 'reader', secretAccessKey: 'secret' }) =>
  openS3Storage({
    kind: 's3',
    bucket: 'gis-packs',
    prefix: 'us and more/',
    endpoint,
    region: 'us-west-2',
    credentials: () => keys,
  })

/** A storage whose endpoint answers every request like this. */
function storageAnswering(answer: (request: Request) => Response) {
  const http = Bun.serve({ port: 0, fetch: answer })
  servers.push({ close: () => http.stop(true) })
  return storageAt(http.url.href.replace(/\/$/, ''))
}

const listOf = (storage: ReturnType<typeof storageAt>, signal = noDeadline.signal) =>
  storage.list({ signal }).catch((error: unknown) => (error as { code: string }).code)
const file = '<Contents><Key>us and more/a.tif</Key><ETag>&quot;1&quot;</ETag><Size>5</Size></Contents>'

test('the pages of a bucket are listed, with a signature that the server checks', async () => {
  const s3 = startS3Server()
  servers.push(s3)
  for (const name of ['a (1).tif', 'b&c.tif', 'd.gpkg']) s3.put(`us and more/${name}`, 'x')
  const files = await storageAt(s3.endpoint, s3).list(noDeadline)
  expect(files.map(({ name, size_bytes }) => [name, size_bytes])).toEqual([
    ['a (1).tif', 1],
    ['b&c.tif', 1],
    ['d.gpkg', 1],
  ])
  expect(await listOf(storageAt(s3.endpoint, { ...s3, secretAccessKey: 'wrong' }))).toBe('upstream_rejected')
})

test('a page without an end is not read beyond its limit', async () => {
  let sent_bytes = 0
  const chunk = new TextEncoder().encode(file.repeat(1000))
  const storage = storageAnswering(
    () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            sent_bytes += chunk.length
            controller.enqueue(chunk)
          },
        }),
      ),
  )
  expect(await listOf(storage)).toBe('too_large')
  expect(sent_bytes).toBeLessThan(64 * 1024 * 1024)
})

test.each([
  ['a page with too many files', `<ListBucketResult>${file.repeat(1001)}</ListBucketResult>`, 'bad_response'],
  ['a page that is cut off', `<ListBucketResult>${file}`, 'bad_response'],
  ['a page of something else', '<html></html>', 'bad_response'],
  [
    'a file of another prefix',
    `<ListBucketResult>${file.replace('us and more', 'other')}</ListBucketResult>`,
    'bad_response',
  ],
  [
    'a page after a page without an end',
    '<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>x</NextContinuationToken></ListBucketResult>',
    'too_large',
  ],
])('%s is no list', async (_, body, code) => {
  expect(await listOf(storageAnswering(() => new Response(body)))).toBe(code)
})

test('a stop ends the request of a list', async () => {
  const stopped = Promise.withResolvers<void>()
  const controller = new AbortController()
  const storage = storageAnswering((request) => {
    request.signal.addEventListener('abort', () => stopped.resolve())
    controller.abort(new Error('The server stops.'))
    return new Response(new ReadableStream({ pull: () => new Promise(() => {}) }))
  })
  expect(storage.list({ signal: controller.signal })).rejects.toThrow('The server stops.')
  await stopped.promise
})
