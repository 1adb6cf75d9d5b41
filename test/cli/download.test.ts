import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { downloadFile, type DownloadOptions } from '../../src/cli/pack/download.ts'
import { UpstreamError } from '../../src/model/error.ts'
import { newDisk } from '../store/small-disk.ts'
import { bulkFiles } from '../upstreams/bulk/bulk-file.ts'
import { openUpstreams, type Upstreams } from '../upstreams/upstreams.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()
const file = Uint8Array.from({ length: 200_000 }, (_, i) => i % 251)
let upstreams: Upstreams
beforeAll(() => {
  upstreams = openUpstreams({ services: [bulkFiles('files.example.gov', { '/all.zip': () => file })] })
})
afterAll(() => upstreams.close())

const get = (name: string, more: Partial<DownloadOptions> = {}, url = 'https://files.example.gov/all.zip') =>
  downloadFile(url, join(folder, name), {
    mirror: upstreams.url,
    hosts: new Set(['files.example.gov']),
    userAgent: 'Mozilla/5.0 (compatible; test)',
    max_bytes: 1_000_000,
    idleTimeout_ms: 30_000,
    report() {},
    ...more,
  })
const faultOf = async (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: unknown) => (error instanceof UpstreamError ? error.code : String(error)),
  )

test('a file is downloaded completely, with progress', async () => {
  const messages: number[] = []
  expect(await get('whole', { report: (done) => void messages.push(done) })).toBe(true)
  expect(readFileSync(join(folder, 'whole')).equals(file)).toBe(true)
  expect([messages.at(-1), existsSync(join(folder, 'whole.part'))]).toEqual([1, false])
})

test('two downloads of a file at the same time do not write into one part', async () => {
  const beginAnswer = Promise.withResolvers<void>()
  const server = Bun.serve({
    port: 0,
    fetch: async () => {
      await beginAnswer.promise
      return new Response(file)
    },
  })
  const downloads = [1, 2].map(() => get('twice', { mirror: server.url.origin }))
  while (!existsSync(join(folder, 'twice.lock'))) await Bun.sleep(1)
  beginAnswer.resolve()
  expect(await Promise.all(downloads)).toEqual([true, true])
  expect(readFileSync(join(folder, 'twice')).equals(file)).toBe(true)
  expect(readdirSync(folder).filter((name) => name.startsWith('twice'))).toEqual(['twice'])
  await server.stop(true)
})

test('a file that the host does not have returns false', async () => {
  expect(await get('none', {}, 'https://files.example.gov/other.zip')).toBe(false)
  expect(existsSync(join(folder, 'none'))).toBe(false)
})

test('a silent host times out, before the response and in the middle of it', async () => {
  upstreams.fault({ times: 1 }, 'hang')
  expect(await faultOf(get('silent', { idleTimeout_ms: 50 }))).toBe('timeout')
  upstreams.fault({ times: 1 }, 'drip')
  expect(await faultOf(get('dripping', { idleTimeout_ms: 50 }))).toBe('timeout')
  upstreams.heal()
})

test('a broken connection is an upstream error, and the received part is kept for the next attempt', async () => {
  upstreams.fault({ times: 1 }, 'truncated')
  expect(await faultOf(get('halved'))).toBe('connection_failed')
  const held = readFileSync(join(folder, 'halved.part'))
  expect([held.length <= 100_000, held.equals(file.subarray(0, held.length))]).toEqual([true, true])
  const before = upstreams.calls.length
  expect(await get('halved')).toBe(true)
  expect([readFileSync(join(folder, 'halved')).equals(file), upstreams.calls.length - before]).toEqual([true, 1])
})

test.each([
  ['another part', 'bytes 50000-199999/200000'],
  ['a part that it does not describe', null],
])('a download is not continued with %s of the file, and the next attempt starts again', async (_name, range) => {
  const server = Bun.serve({
    port: 0,
    fetch: ({ headers }) =>
      headers.has('range')
        ? new Response(file.subarray(50_000), {
            status: 206,
            headers: range === null ? {} : { 'content-range': range },
          })
        : new Response(file),
  })
  writeFileSync(join(folder, 'moved.part'), file.subarray(0, 100_000))
  writeFileSync(join(folder, 'moved.part.validator'), '"one"')
  const options = { mirror: server.url.origin }
  expect(await faultOf(get('moved', options))).toBe('bad_response')
  expect(readdirSync(folder).filter((name) => name.startsWith('moved'))).toEqual([])
  expect(await get('moved', options)).toBe(true)
  expect(readFileSync(join(folder, 'moved')).equals(file)).toBe(true)
  rmSync(join(folder, 'moved'))
  await server.stop(true)
})

test('a file is requested uncompressed, and a compressed response is rejected', async () => {
  upstreams.fault({ times: 1 }, { encoding: 'gzip' })
  expect(await get('accepted')).toBe(true)
  expect(readFileSync(join(folder, 'accepted')).equals(file)).toBe(true)
  upstreams.fault({ times: 1 }, { encoding: 'br' })
  expect(await faultOf(get('compressed'))).toBe('bad_response')
  expect(existsSync(join(folder, 'compressed'))).toBe(false)
})

test('a file above the limit, and an error status, are rejected', async () => {
  expect(await faultOf(get('much', { max_bytes: 1_000 }))).toContain(
    'has 200000 bytes, more than the download limit of 1000 bytes. Download the file with a browser',
  )
  upstreams.fault({ times: 1 }, { status: 503 })
  expect(await faultOf(get('busy'))).toBe('upstream_5xx')
})

const disk = newDisk(100)
afterAll(() => disk?.remove())

describe.skipIf(disk === null)('a download to a disk that is too full', () => {
  const downloads = join(disk?.folder ?? folder, 'downloads')
  const options = { hosts: new Set<string>(), userAgent: 'test', max_bytes: 1e9, idleTimeout_ms: 30_000, report() {} }
  const messageOf = (mirror: string) =>
    downloadFile('https://files.example.gov/all.zip', join(downloads, 'all.zip'), { ...options, mirror }).then(
      () => 'no error',
      (error: Error) => error.message,
    )

  test('does not begin if the host states the size', async () => {
    mkdirSync(downloads)
    const free = disk!.fill(1_000_000)
    expect(await messageOf(upstreams.url)).toMatch(
      /^all\.zip needs 67\.3 MB on the disk of \S+, and 1\.\d MB are free\. Free some space/,
    )
    free()
    expect(readdirSync(downloads)).toEqual([])
  })

  test('ends with a clear error and leaves no part of the file, if the host does not state the size', async () => {
    let sent = 0
    const server = Bun.serve({
      port: 0,
      fetch: () =>
        new Response(
          new ReadableStream({
            pull(controller) {
              if (sent++ < 80) controller.enqueue(new Uint8Array(65_536))
              else controller.close()
            },
          }),
        ),
    })
    const free = disk!.fill(1_000_000)
    const message = await messageOf(`http://127.0.0.1:${server.port}`)
    free()
    await server.stop(true)
    expect(message).toMatch(
      /^The disk of \S+ became full after 1\.\d MB of all\.zip\. The incomplete file was removed\./,
    )
    expect(readdirSync(downloads)).toEqual([])
  })
})
